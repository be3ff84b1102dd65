"""What is not followed is not counted as nothing: it takes the verdict away, and is named."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport, Sight, UnseenKind, Verdict
from roofline_core.settings import Settings
from roofline_lsp.formats.sight import doubt, half_seen, missing, undecided

N = 1 << 24
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
MAIN = f"""int main() {{ float *a, *b; cudaMalloc(&a, 4L * {N}); cudaMalloc(&b, 4L * {N});
  k<<<{N} / 256, 256>>>(a, b, {N}); }}"""


def judged(
    body: str, before: str = "", params: str = "const float *a, float *b, int n"
) -> KernelReport:
    source = f"{before}\n__global__ void k({params}) {{ {INDEX} {body} }}\n{MAIN}"
    report = analyze(
        source.encode(), Path("/src/kernel.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    return kernel


def names(kernel: KernelReport) -> set[tuple[UnseenKind, str]]:
    sight = kernel.prediction.sight
    assert sight is not None
    return {(item.kind, item.name) for item in sight.missing}


def test_a_kernel_that_is_followed_whole_has_full_sight() -> None:
    kernel = judged("if (i < n) b[i] = 2.f * a[i];")
    assert kernel.prediction.sight is not None
    assert (kernel.prediction.sight.share, kernel.prediction.sight.missing) == (1.0, ())
    assert kernel.prediction.verdict is not None
    assert half_seen(kernel.prediction.sight) is None


def test_a_kernel_that_only_calls_what_is_not_known_is_undecided() -> None:
    kernel = judged("step(a, b, i);", "__device__ void step(const float *, float *, int);")
    assert kernel.prediction.verdict is None
    assert kernel.prediction.confidence == 0.5
    assert names(kernel) == {(UnseenKind.CALL, "step")}
    text = undecided(kernel.prediction.sight)
    assert "the body of 'step'" in text
    assert "--include-dir" in text


@pytest.mark.parametrize("more", [8, 64])
def test_a_small_unknown_part_leaves_the_verdict_and_is_named(more: int) -> None:
    loads = " + ".join(f"a[i + {j} * n]" for j in range(more))
    kernel = judged(f"b[i] = {loads}; trace(i);", "__device__ void trace(int);")
    assert kernel.prediction.verdict is not None
    assert names(kernel) == {(UnseenKind.CALL, "trace")}
    assert "the body of 'trace'" in (half_seen(kernel.prediction.sight) or "")


def test_the_more_often_it_runs_the_more_it_weighs() -> None:
    device = "__device__ float f(float);"
    shares = []
    for calls in ("if (i == 0) s += f(s);", "s += f(s);", "for (int j = 0; j < 9; ++j) s += f(s);"):
        kernel = judged(f"float s = a[i]; {calls} b[i] = s;", device)
        assert kernel.prediction.sight is not None
        shares.append(kernel.prediction.sight.share)
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.99 > shares[1] > shares[2]


def test_bytes_that_are_not_seen_and_would_change_the_class_make_it_undecided() -> None:
    """Twenty operations on each of a few constants: compute-bound if the store moves nothing."""
    sums = "float s = c[0]; for (int j = 0; j < 10; ++j) s = s * s + 1.f;"
    seen = judged(f"{sums} b[0] = s;", "__constant__ float c[4];")
    assert seen.prediction.verdict is not None
    assert seen.prediction.verdict.value == "CB"
    lost = judged(f"{sums} view(i) = s;", "__constant__ float c[4]; extern __device__ Out view;")
    assert lost.prediction.verdict is None


def test_elements_of_a_type_that_is_not_known() -> None:
    kernel = judged("b[i] = a[i] * 2;", params="const thing *a, thing *b, int n")
    assert (UnseenKind.TYPE, "thing") in names(kernel)
    assert kernel.prediction.verdict is None
    assert "the type 'thing'" in undecided(kernel.prediction.sight)


PUT = "__device__ void put(float *, int, float);"


def test_what_computes_much_is_undecided_where_its_stores_are_not_seen() -> None:
    body = "float s = a[i]; for (int k = 0; k < 4096; k++) s = s * s + 1.f;"
    kernel = judged(body + "put(b, i, s);", PUT)
    assert kernel.prediction.sight is not None
    assert kernel.prediction.sight.share > 0.99
    assert kernel.prediction.verdict is None
    told = "what it writes is not known, nor the body of 'put'"
    assert undecided(kernel.prediction.sight).startswith(told)
    seen = judged(body + "b[i] = s; put(b, i, s);", PUT)
    assert seen.prediction.verdict is Verdict.COMPUTE_BOUND


def test_stores_that_the_launch_does_not_come_to() -> None:
    body = "float s = a[i]; for (int k = 0; k < 4096; k++) s = s * s + 1.f; if (s > 3.f) b[0] = s;"
    kernel = judged(body.replace("b[0] = s", "if (n < 0) put(b, i, s)"), PUT)
    assert kernel.prediction.sight is not None
    assert kernel.prediction.sight.missing == ()
    assert kernel.prediction.verdict is None
    assert undecided(kernel.prediction.sight).startswith("its stores stand in code")
    assert judged(body).prediction.verdict is Verdict.COMPUTE_BOUND


def test_what_moves_much_keeps_its_class_where_its_stores_are_not_seen() -> None:
    loads = "".join(f"s += a[i + {k} * n / 8];" for k in range(8))
    kernel = judged(f"float s = 0; {loads} put(b, i, s);", PUT)
    assert kernel.prediction.verdict is Verdict.BANDWIDTH_BOUND


def test_a_kernel_without_a_result() -> None:
    kernel = judged("float s = a[i];")
    assert kernel.prediction.verdict is None
    assert "nothing that the kernel writes" in undecided(kernel.prediction.sight)


def test_a_kernel_that_prints_or_cannot_write_has_one() -> None:
    assert judged('printf("%f", a[i]);').prediction.verdict is not None
    only_reads = "const float *a, const float *b, int n"
    assert judged("float s = a[i];", params=only_reads).prediction.verdict is not None


ERROR = '\n#ifdef WIDE\n  b[i] = a[i];\n#else\n#error define WIDE: it\'s "needed" {here\n#endif\n'


def test_an_error_directive_stands_for_code_that_is_not_there() -> None:
    kernel = judged(ERROR)
    assert kernel.prediction.verdict is None
    ((kind, name),) = names(kernel)
    assert (kind, name.split()) == (
        UnseenKind.DIRECTIVE,
        ["#error", "define", "WIDE:", "it", "s", "needed", "here"],
    )
    assert "the macro that it asks for" in undecided(kernel.prediction.sight)
    assert judged(ERROR, "#define WIDE").prediction.verdict is not None


def test_an_error_directive_elsewhere_takes_nothing_away() -> None:
    before = f"__device__ void other(float *a, float *b, int i) {{ {ERROR} }}\n#error outside"
    kernel = judged("if (i < n) b[i] = 2.f * a[i];", before)
    assert (kernel.prediction.verdict is not None, names(kernel)) == (True, set())
    assert names(judged("other(b, b, i);", before)).pop()[0] is UnseenKind.DIRECTIVE


LONG = "if (i == 0) { float s = a[i];\n" + "s = s * 1.5f + 2.0f;\n" * 8_000 + "b[i] = s; }"
"""More statements than are followed."""


@pytest.mark.parametrize(
    ("operations", "verdict"),
    [(0, Verdict.BANDWIDTH_BOUND), (20, None), (400, Verdict.COMPUTE_BOUND)],
)
def test_a_kernel_too_long_to_be_followed(operations: int, verdict: Verdict | None) -> None:
    each = "s = s * 1.5f + 2.0f; " * (operations // 2)
    begin = f"if (i < n) {{ float s = a[i]; {each} b[i] = s; }}"
    whole = judged(begin).prediction
    assert whole.sight is not None
    assert whole.sight.is_whole
    assert whole.verdict is (verdict or Verdict.BANDWIDTH_BOUND)
    cut = judged(begin + LONG).prediction
    assert cut.sight is not None
    assert not cut.sight.is_whole
    assert cut.verdict is verdict
    if verdict is None:
        assert "too long to be followed to its end" in undecided(cut.sight)


def test_recursion_is_unseen() -> None:
    kernel = judged(
        "b[i] = f(i);", "__device__ float f(int n) { return n ? f(n - 1) * 2.f : 1.f; }"
    )
    assert (UnseenKind.RECURSION, "f") in names(kernel)
    assert "how deep 'f' calls itself" in missing(kernel.prediction.sight or Sight(1.0))


def test_a_store_at_an_address_that_is_not_known_is_unseen() -> None:
    kernel = judged("float *p = pick(b); p[i] = a[i];", "__device__ float *pick(float *);")
    assert names(kernel) >= {(UnseenKind.CALL, "pick")}


@pytest.mark.parametrize(
    ("statement", "read", "written"),
    [
        ("__stcs(b + i, __ldcs(a + i));", 4 * N, 4 * N),
        ("memcpy(b + i, a + i, sizeof(float));", 4 * N, 4 * N),
        ("float4 v = ((const float4 *)a)[i / 4]; b[i] = ((float *)&v)[0];", 4 * N, 4 * N),
        ("memset(b + i, 0, 4);", 0, 4 * N),
    ],
)
def test_copies_of_bytes_are_seen(statement: str, read: float, written: float) -> None:
    kernel = judged(statement)
    assert names(kernel) == set()
    assert kernel.prediction.dram_read_bytes == pytest.approx(read, rel=0.01, abs=1e4)
    assert kernel.prediction.dram_write_bytes == pytest.approx(written, rel=0.02, abs=1e4)


TRANSPOSED = """
__global__ void k(const float *a, float *b, int width, int heads) {
  int each = width / heads, x = threadIdx.x, y = threadIdx.y + blockIdx.z * heads;
  int from = blockIdx.x * width + blockIdx.y * each + y;
  b[blockIdx.x * width + y * each + x % 2] = a[from];
}
"""


def test_assumed_sizes_that_make_threads_store_to_one_place() -> None:
    """A grid of a million threads, and strides that leave them a few places: nothing is sure."""
    source = (
        f"{TRANSPOSED}void run(float *a, float *b, dim3 g, int w) {{ k<<<g, 256>>>(a, b, w, 8); }}"
    )
    report = analyze(
        source.encode(), Path("/src/kernel.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    sight = kernel.prediction.sight
    assert sight is not None
    assert sight.colliding_bytes > 4 * (kernel.prediction.dram_write_bytes or 0)
    assert kernel.prediction.verdict is None
    assert "store to the same places" in undecided(sight)
    assert "--args" in undecided(sight)


def test_assumed_sizes_that_leave_threads_without_work() -> None:
    """A million threads, of which a remainder works: what the others reckon is no work."""
    source = """
    __global__ void k(const float *a, float *b, int rows, int width) {
      int at = blockIdx.x * 64 + threadIdx.x;
      if (at < rows % width) b[at] = a[at];
    }
    void run(float *a, float *b, int n, int rows, int width) { k<<<n, 64>>>(a, b, rows, width); }
    """
    report = analyze(
        source.encode(), Path("/src/kernel.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    sight = kernel.prediction.sight
    assert sight is not None
    assert sight.idle_bytes is not None
    threads = math.prod(kernel.prediction.grid or ()) * 64
    assert sight.idle_bytes == pytest.approx((kernel.prediction.dram_bytes or 0) / threads)
    assert sight.idle_bytes < 0.25
    assert kernel.prediction.verdict is Verdict.COMPUTE_BOUND
    assert kernel.prediction.confidence == 0.5
    assert "without work" in (doubt(sight) or "")
    known = source.replace("<<<n,", "<<<4096,").replace("(a, b, rows, width)", "(a, b, 64, 65)")
    report = analyze(
        known.encode(),
        Path("/src/kernel.cu"),
        Settings(gpu="A100"),
        reader=lambda _: None,
    )
    sight = report.kernels[0].prediction.sight
    assert sight is not None
    assert sight.idle_bytes is None, "known sizes are no guess"
    assert doubt(sight) is None


def test_assumed_sizes_for_which_no_thread_does_anything() -> None:
    source = """
    __global__ void k(const float *a, float *b, int first, int last) {
      int at = blockIdx.x * 64 + threadIdx.x;
      if (first > 100000 && at < last) b[at] = a[at];
    }
    void run(float *a, float *b, int first, int last) { k<<<99, 64>>>(a, b, first, last); }
    """
    report = analyze(
        source.encode(), Path("/src/kernel.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    assert kernel.prediction.verdict is None
    assert kernel.prediction.confidence == 0.5
    assert "without work" in undecided(kernel.prediction.sight)
    assert "--args" in undecided(kernel.prediction.sight)
    known = source.replace("(a, b, first, last);", "(a, b, 6, 6);")
    report = analyze(
        known.encode(), Path("/src/kernel.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    assert report.kernels[0].prediction.verdict is not None, "the program wants it so"


def test_an_invented_launch_of_threads_that_do_nothing() -> None:
    source = """
    __global__ void print(const float *a, int columns) {
      if (blockIdx.x == 0) for (int i = 0; i < columns; i++) printf("%f %d\\n", a[i], threadIdx.x);
    }"""
    report = analyze(
        source.encode(), Path("/src/kernel.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    (kernel,) = report.kernels
    assert kernel.prediction.verdict is None
    assert "without work" in undecided(kernel.prediction.sight)


@pytest.mark.parametrize(
    "body",
    [
        "if (i < n && a[i] > 3.f) b[0] = 1.f;",  # a flag
        "for (int k = 0; k < 64; k++) b[i] = a[i] * k;",  # in turns, by one thread
        "b[threadIdx.x] = 2.f * a[i];",  # with a launch whose sizes are known
        # In turns, by one thread that counts what it finds.
        (
            "int c = 0; for (int k = 0; k < 512; ++k) if (a[k] > a[i]) {"
            " b[i * 8 + c] = a[k]; ++c; if (c >= 8) break; }"
        ),
    ],
)
def test_stores_that_do_not_collide(body: str) -> None:
    sight = judged(body).prediction.sight
    assert sight is not None
    assert sight.colliding_bytes == 0
