"""Launches that kernels make themselves."""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.api.entry import analyze
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.host.values import LaunchContext
from roofline_core.settings import Settings

SETTINGS = Settings(gpu="RTX 3080", clock="base", args=())
PATH = Path("/p/main.cu")
CHILD = """__global__ void child(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
"""


def contexts(source: str, name: str = "child") -> list[LaunchContext]:
    text = source.encode()
    analysis = ProgramAnalysis.load([PATH], SETTINGS, argv=(), reader={PATH: text}.get)
    assert not [p for p in analysis.host.problems if p.message.startswith("internal")]
    return [c for c in analysis.host.launches if c.kernel.name == name]


def parent(body: str, grid: str = "8", block: str = "256", before: str = "") -> list[LaunchContext]:
    return contexts(
        f"""{CHILD}{before}
        __global__ void parent(float *x, int n, const int *count) {{ {body} }}
        int main() {{
          float *d; int *c;
          cudaMalloc(&d, 4096); cudaMalloc(&c, 4096);
          parent<<<{grid}, {block}>>>(d, 1024, c);
        }}"""
    )


def number(context: LaunchContext) -> tuple[object, object, object]:
    assert context.grid is not None
    assert context.block is not None
    repeat = context.repeat.constant if context.repeat is not None else None
    return context.grid[0].constant, context.block[0].constant, repeat


def test_one_thread_of_each_block_launches() -> None:
    (launch,) = parent("if (threadIdx.x == 0) child<<<n / 256, blockDim.x>>>(x, n);")
    assert number(launch) == (4, 256, 8)
    assert launch.certain
    assert launch.line == 6


def test_threads_that_leave_before_do_not_launch() -> None:
    body = """int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 100) return;
    if (i % 2 == 0) child<<<1, 32>>>(x, n);"""
    (launch,) = parent(body)
    assert number(launch) == (1, 32, 50)


def test_loops_count() -> None:
    (launch,) = parent("for (int k = 0; k < 3; k++) if (threadIdx.x == 0) child<<<1, 32>>>(x, n);")
    assert number(launch) == (1, 32, 24)


def test_a_branch_and_its_other_side() -> None:
    one, other = parent(
        "if (threadIdx.x < 10) child<<<1, 32>>>(x, n); else child<<<2, 32>>>(x, n);", grid="1"
    )
    assert number(one) == (1, 32, 10)
    assert number(other) == (2, 32, 246)


def test_what_depends_on_data_is_named_and_not_certain() -> None:
    (launch,) = parent("int m = count[threadIdx.x]; if (m > 3) child<<<m, 128>>>(x, m);")
    assert number(launch) == (None, 128, None)
    assert not launch.certain
    assert launch.unknowns
    assert any("c[" in unknown.name for unknown in launch.unknowns.values())


def test_a_large_launch_is_counted_by_sampled_blocks() -> None:
    (launch,) = parent("if (threadIdx.x == 0) child<<<1, 32>>>(x, n);", "1 << 20", "256")
    assert number(launch) == (1, 32, 1 << 20)


def test_a_device_function_in_between() -> None:
    before = "__device__ void go(float *x, int m) { child<<<(m + 63) / 64, 64>>>(x, m); }"
    (launch,) = parent("if (threadIdx.x == 0) go(x, n);", before=before)
    assert number(launch) == (16, 64, 8)


def test_children_of_children_and_recursion_end() -> None:
    source = """
    template <int D> __global__ void rec(float *x) {
      if (threadIdx.x == 0 && D < 3) rec<D + 1><<<2, 32 * D + 32>>>(x);
    }
    __global__ void deep(float *x, int depth) {
      if (depth >= 4) return;
      if (threadIdx.x == 0) deep<<<1, 32>>>(x, depth + 1);
    }
    int main() { float *d; cudaMalloc(&d, 64); rec<0><<<1, 32>>>(d); deep<<<4, 64>>>(d, 0); }
    """
    assert [number(c) for c in contexts(source, "rec")] == [
        (1, 32, 1), (2, 32, 1), (2, 64, 2), (2, 96, 4),
    ]  # fmt: skip
    assert [number(c) for c in contexts(source, "deep")] == [(4, 64, 1), (1, 32, 4)]


def test_a_parent_that_nothing_launches() -> None:
    source = f"""{CHILD}
    __global__ void parent(float *x, int n) {{ if (threadIdx.x == 0) child<<<n, 512>>>(x, n); }}"""
    (launch,) = contexts(source)
    assert number(launch) == (None, 512, None)
    assert not launch.certain


def test_the_report_shows_the_line_of_the_launch_in_the_kernel() -> None:
    source = f"""{CHILD}
    __global__ void parent(float *x) {{
      child<<<2, 64>>>(x, 100);
    }}
    int main() {{ float *d; cudaMalloc(&d, 4096); parent<<<1, 1>>>(d); }}"""
    report = analyze(source.encode(), PATH, SETTINGS, reader=lambda _: None)
    (launch,) = next(k for k in report.kernels if k.base_name == "child").launches
    assert (launch.line, launch.grid, launch.block) == (7, (2, 1, 1), (64, 1, 1))
    assert [a.value for a in launch.arguments] == ["device buffer 'd' of 4096 bytes", "100"]
    assert launch.prediction.sp_flops == 100
