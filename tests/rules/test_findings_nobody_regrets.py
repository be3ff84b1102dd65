"""Findings rest on what was followed, say what was assumed, and come once for a sweep."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import Finding, KernelReport
from roofline_analysis.rules.registry import RULES
from roofline_core.settings import Settings

SWEEP = """
template <int B> __global__ void horner(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i], s = v;
    for (int k = 0; k < 400; k++) s = s * v + 1.0f;
    x[i] = s;
  }
}
int main(int argc, char **argv) {
  int n = 1 << 20; float *x; cudaMalloc(&x, n * sizeof(float));
%s
}
"""
LITERAL = """
__device__ float outside(float v);
__global__ void scale(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = x[i];
    for (int k = 0; k < 200; k++) s = s * 1.5 + 0.25;
    %s
    y[i] = s;
  }
}
int main(int argc, char **argv) {
  int n = 1 << 20; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
  scale<<<n / 256, 256>>>(n, x, y);
}
"""


def kernel_of(source: str) -> KernelReport:
    report = analyze(source.encode(), Path("/p/main.cu"), Settings(), reader=lambda path: None)
    (kernel,) = report.kernels
    return kernel


def found(source: str, code: str) -> list[Finding]:
    return [finding for finding in kernel_of(source).findings if finding.code == code]


def swept(*blocks: int, argument: str = "{}") -> str:
    launches = [
        f"  horner<{argument.format(block)}><<<(n + {block - 1}) / {block}, {block}>>>(n, x);"
        for block in blocks
    ]
    return SWEEP % "\n".join(launches)


@pytest.mark.parametrize("blocks", [(72, 40), (100, 72, 40, 50)])
def test_a_sweep_of_template_arguments_gives_one_finding(blocks: tuple[int, ...]) -> None:
    (finding,) = found(swept(*blocks), "RL301")
    rest = len(blocks) - 1
    more = "another instantiation" if rest == 1 else f"{rest} other instantiations"
    assert f"; the same in {more} of the kernel. By the model: " in finding.message
    # It stands where most time is saved, and names the other launches.
    assert finding.span.line == 12 + blocks.index(40)
    others = [each.line for each in finding.related if each.message == "here too"]
    assert others == [12 + at for at, block in enumerate(blocks) if block != 40]


def test_launches_with_the_same_arguments_are_no_sweep() -> None:
    findings = found(swept(40, 72, argument="1"), "RL301")
    assert [finding.span.line for finding in findings] == [12, 13]
    (alone,) = found(swept(40), "RL301")
    assert "instantiation" not in alone.message


def test_a_gain_from_assumed_sizes_says_if() -> None:
    (known,) = found(LITERAL % "", "RL201")
    (assumed,) = found(LITERAL.replace("1 << 20", "atoi(argv[1])") % "", "RL201")
    assert known.effect is not None
    assert known.effect.assumed == ()
    assert "By the model: " in known.message
    assert assumed.effect is not None
    (size,) = assumed.effect.assumed
    assert size.assumed is not None
    assert f"By the model, if argv[1] = {size.assumed:,.0f}: " in assumed.message


def test_a_fix_needs_complete_sight() -> None:
    (whole,) = found(LITERAL % "", "RL201")
    assert whole.fix is not None
    (part,) = found(LITERAL % "if (i == 7) s = outside(s);", "RL201")
    assert part.fix is None
    assert kernel_of(LITERAL % "if (i == 7) s = outside(s);").prediction.verdict is not None


def test_an_undecided_kernel_has_no_findings() -> None:
    hidden = "for (int j = 0; j < 5000; j++) s = outside(s);"
    kernel = kernel_of(LITERAL % hidden)
    assert kernel.prediction.verdict is None
    assert kernel.findings == ()


@pytest.mark.parametrize(("call", "count"), [("", 1), ("stage(i); ", 0)])
def test_a_barrier_is_needless_only_where_all_was_followed(call: str, count: int) -> None:
    source = RULES["RL309"].bad.replace("__syncthreads();", call + "__syncthreads();")
    assert len(found(source, "RL309")) == count


SIGNALS = """
__global__ void await(VOLATILE int *flags, int *seen, int chunks) {
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < chunks; c += gridDim.x * blockDim.x) {
    while (flags[c] != 0) {}
    seen[c] += 1;
  }
}
int main() {
  int n = 1 << 14, *flags, *seen; cudaMalloc(&flags, n * 4); cudaMalloc(&seen, n * 4);
  await<<<1, 32>>>(flags, seen, n);
}
"""


@pytest.mark.parametrize(("word", "number"), [("", 1), ("volatile", 0)])
def test_what_waits_for_signals_wants_no_more_blocks(word: str, number: int) -> None:
    assert len(found(SIGNALS.replace("VOLATILE", word), "RL302")) == number


IDLE = """
__global__ void k(const float *a, float *b, int rows, int width, int x, int y) {
  int at = blockIdx.x * 64 + threadIdx.x;
  int place = at / x % y * (at / y % x) + at / width;
  if (place % width < rows % width && at < rows % width) b[at] = a[place];
}
void run(float *a, float *b, int n, int rows, int width, int x, int y) {
  k<<<BLOCKS, 64>>>(a, b, rows, width, x, y);
}
"""


def test_nothing_is_saved_by_threads_that_seem_to_have_nothing_to_do() -> None:
    """Their divisions run on a grid that is guessed; on one that is written they are told."""
    guessed = kernel_of(IDLE.replace("BLOCKS", "n"))
    assert guessed.prediction.sight is not None
    assert guessed.prediction.sight.idle_bytes is not None
    assert guessed.findings == ()
    known = kernel_of(IDLE.replace("BLOCKS", "65536"))
    assert [finding.code for finding in known.findings] == ["RL205"]


TWICE = """
template <int M> __device__ void add(int n, int i, const float *a, const float *b, float *y) {
  for (int k = 0; k < M; k++) y[i] += a[k] * b[k * n + i];
}
__global__ void twice(int n, const float *a, const float *b, float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  add<FIRST>(n, i, a, b, y);
  add<256>(n, i, a, b, y);
}
int main() {
  int n = 1 << 16; float *a, *b, *y; cudaMalloc(&a, 1024); cudaMalloc(&b, n * 1024);
  cudaMalloc(&y, n * 4);
  twice<<<n / 256, 256>>>(n, a, b, y, y);
}
"""


@pytest.mark.parametrize("runs", [256, 300])
def test_a_line_that_is_walked_twice_is_told_once(runs: int) -> None:
    """Both loops are of one line, and what is said of them differs in the number of runs alone."""
    kernel = kernel_of(TWICE.replace("FIRST", str(runs)))
    (told,) = [each for each in kernel.findings if each.code == "RL105"]
    assert f"in each of its {runs} runs" in told.message


STRUCTS = """
struct Particle { double mass, speed; };
__global__ void energy(int n, const Particle *p, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0.0;
  for (int k = 0; k < 400; k++) sum += sum * p[i].speed + p[i].mass;
  out[i] = sum;
}
int main() {
  int n = 1 << 18; Particle *p; float *out; cudaMalloc(&p, n * 16); cudaMalloc(&out, n * 4);
  energy<<<n / 256, 256>>>(n, p, out);
}
"""


def test_members_that_are_doubles_are_double_data() -> None:
    assert not found(STRUCTS, "RL202")
    plain = STRUCTS.replace("const Particle *", "const float *")
    plain = plain.replace("p[i].speed", "p[2 * i]").replace("p[i].mass", "p[2 * i + 1]")
    assert len(found(plain.replace("Particle *p;", "float *p;"), "RL202")) == 1


@pytest.mark.parametrize(("qualifier", "number"), [("", 1), ("__host__ ", 0)])
def test_what_the_host_compiles_too_has_no_rsqrt(qualifier: str, number: int) -> None:
    source = RULES["RL209"].bad
    line = next(each for each in source.splitlines() if "sqrtf(" in each)
    inner = line[line.index("1.0f / sqrtf(") : line.rindex(")") + 1]
    called = source.replace(inner, "inverse(d * d + 0.01f)")
    helper = f"{qualifier}__device__ float inverse(float x) {{ return 1.0f / sqrtf(x); }}\n"
    assert len(found(helper + called, "RL209")) == number


WEIGHTS = """
__global__ void weights(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float w[%(most)d];
  for (int k = 0; k < %(most)d; k++) {
    w[k] = x[k * n + i];
    for (int j = 0; j < k; j++) w[j] = w[j] * x[j * n + i] + w[k] * j;
  }
  float sum = 0;
  for (int k = 0; k < %(most)d; k++) sum = sum * 0.5f + w[k];
  y[i] = sum;
}
int main() {
  int n = 1 << 20; float *x, *y; cudaMalloc(&x, 64 * n * 4); cudaMalloc(&y, n * 4);
  weights<<<n / 256, 256>>>(n, x, y);
}
"""


@pytest.mark.parametrize(("most", "number"), [(40, 1), (4, 0)])
def test_short_loops_are_unrolled_unasked(most: int, number: int) -> None:
    assert len(found(WEIGHTS % {"most": most}, "RL107")) == number


CALLED = """
__global__ void scale(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float s = x[i]; for (int k = 0; k < 200; k++) s = s * 1.5 + 0.25; y[i] = s; }
}
void run(int n, float *x, float *y) { scale<<<n / 256, 256>>>(n, x, y); }
void step(int n, float *x, float *y) { run(n, x, y); }
__global__ void other(float *x) { x[threadIdx.x] = 0; }
int main() {
  int n = 1 << 20; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);
  other<<<1, 256>>>(x); %s
}
"""


@pytest.mark.parametrize(("call", "number"), [("step(n, x, y);", 1), ("", 0)])
def test_what_no_call_leads_to_is_never_launched(call: str, number: int) -> None:
    source = (CALLED % call).encode()
    report = analyze(source, Path("/p/main.cu"), Settings(), reader=lambda path: None)
    assert sum(each.code == "RL201" for each in report.all_findings()) == number


COPIED = """
#include <cublas_v2.h>
__global__ void look(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];
}
int main() {
  int n = 1 << 22; float *h = (float *)malloc(n * 4), *d, *e;
  cudaMalloc(&d, n * 4); cudaMalloc(&e, n * 4);
  cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
  look<<<n / 256, 256>>>(n, d, e);
  %s
  cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost);
}
"""


@pytest.mark.parametrize(("call", "number"), [("", 1), ("library_fill(d, n);", 0)])
def test_what_is_handed_to_unknown_code_may_be_written(call: str, number: int) -> None:
    source = (COPIED % call).encode()
    report = analyze(source, Path("/p/main.cu"), Settings(), reader=lambda path: None)
    assert sum(each.code == "RL403" for each in report.all_findings()) == number


REPEAT, LAUNCH = "for (int k = 0; k < 100; k++)", "step<<<n / 256, 256>>>(n, x);"
WAITS = """
__global__ void step(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 0.5f;
}
bool again(float *x);
int main() {
  int n = 1 << 16; float *x; cudaMallocManaged(&x, n * 4);
  %s
}
"""


@pytest.mark.parametrize(
    ("loop", "number"),
    [
        (f"{REPEAT} {{ {LAUNCH} cudaDeviceSynchronize(); }}", 1),
        (f"{REPEAT} {{\n cudaDeviceSynchronize();\n {LAUNCH} }}", 0),
        (f"while (again(x)) {{ {LAUNCH} cudaDeviceSynchronize(); }}", 0),
    ],
)
def test_waits_that_wait_for_something_that_nobody_reads(loop: str, number: int) -> None:
    source = (WAITS % loop).encode()
    report = analyze(source, Path("/p/main.cu"), Settings(), reader=lambda path: None)
    assert sum(each.code == "RL404" for each in report.all_findings()) == number
