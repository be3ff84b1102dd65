"""What hangs on sizes is no finding where they are assumed; what does not, is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api.entry import file_report, program_of, suggestions_for
from roofline_analysis.host.values import ARGUMENT_COUNT
from roofline_analysis.regions.unknowns import UnknownKind, UnknownUsed
from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.effects import matters
from roofline_analysis.rules.model import Effect
from roofline_analysis.rules.registry import RULES
from roofline_core.settings import Settings

Analyse = Callable[..., FileReport]


def codes(report: FileReport) -> set[str]:
    return {finding.code for finding in report.all_findings()}


STRUCTURES = """
struct Particle { float x, y, z, mass; float vx, vy, vz, charge; float fx, fy, fz, age; };
__global__ void ages(int n, float dt, Particle *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].age += dt;
}
void run(int n, Particle *p) { ages<<<(n + 255) / 256, 256>>>(n, 0.1f, p); }
"""
UPDATES = """
__global__ void products(int n, int m, const float *a, const float *b, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = 0.0f;
    for (int k = 0; k < m; k++) y[i] += a[k] * b[i];
}
void run(int n, int m, const float *a, const float *b, float *y) {
    products<<<(n + 255) / 256, 256>>>(n, m, a, b, y);
}
"""
POWERS = """
__global__ void powers(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int k = 0; k < 100; k++) s += sinf(x[k] + x[i]);
    y[i] = s;
}
void run(int n, const float *x, float *y) { powers<<<(n + 255) / 256, 256>>>(n, x, y); }
"""
KNOWN = {
    "RL207": (
        POWERS,
        "int main() { float *x; cudaMalloc(&x, 4 << 22); run(1 << 22, x, x); }",
    ),
    "RL102": (STRUCTURES, "int main() { Particle *p; cudaMalloc(&p, 48 << 22); run(1 << 22, p); }"),
    "RL105": (
        UPDATES,
        """int main() {
            int n = 1 << 16, m = 256;
            float *a, *b, *y;
            cudaMalloc(&a, m * sizeof(float));
            cudaMalloc(&b, n * sizeof(float));
            cudaMalloc(&y, n * sizeof(float));
            run(n, m, a, b, y);
        }""",
    ),
}


@pytest.mark.parametrize("code", KNOWN)
def test_rules_by_sizes(code: str, analyse: Analyse, monkeypatch: pytest.MonkeyPatch) -> None:
    library, program = KNOWN[code]
    assert code in codes(analyse(library + program))
    assert code not in codes(analyse(library))
    monkeypatch.setitem(RULES, code, replace(RULES[code], by_sizes=False))
    assert code in codes(analyse(library))


@pytest.mark.parametrize(
    ("new_time_ns", "assumptions", "kind", "told"),
    [
        (90e3, 0, UnknownKind.HOST, True),
        (96e3, 0, UnknownKind.HOST, False),
        (90e3, 8, UnknownKind.TRIPS, True),
        (70e3, 8, UnknownKind.HOST, False),
        (65e3, 8, UnknownKind.HOST, True),
        (65e3, 33, UnknownKind.HOST, False),
    ],
)
def test_gains_that_are_told_at_guessed_sizes(
    new_time_ns: float, assumptions: int, kind: UnknownKind, told: bool
) -> None:
    assumed = tuple(UnknownUsed(f"n{i}", "unknown", 1024.0, kind=kind) for i in range(assumptions))
    effect = Effect(0.0, {}, {}, 100e3, new_time_ns, None, None, assumed)
    assert matters(effect) is told


@pytest.mark.parametrize(("new_time_ns", "told"), [(89e3, True), (91e3, False)])
def test_gains_that_are_told_of_a_program_without_arguments(new_time_ns: float, told: bool) -> None:
    assumed = (UnknownUsed(ARGUMENT_COUNT, "the command line is not known", 1.0),)
    assert matters(Effect(0.0, {}, {}, 100e3, new_time_ns, None, None, assumed)) is told


SERIAL = """
__global__ void block_sums(int n, const float *x, float *sums) {
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int k = 0; k < %s; k++) sum += part[k %% 256];
        sums[blockIdx.x] = sum;
    }
}
void run(int n, const float *x, float *sums) { block_sums<<<n / 256, 256>>>(n, x, sums); }
"""


@pytest.mark.parametrize(("trips", "found"), [("256", True), ("blockDim.x", True), ("n", False)])
def test_a_serial_loop_of_assumed_length(trips: str, found: bool, analyse: Analyse) -> None:
    assert ("RL306" in codes(analyse(SERIAL % trips))) is found


TILES = """
__global__ void k(int n, int m, const float *a, const float *b, float *c) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < m; k++) sum += a[row * m + k] * b[k * n + column];
    c[row * n + column] = sum;
}
"""
LAUNCHED = """
void run(int n, int m, const float *a, const float *b, float *c) {
    k<<<dim3(n / 32, n / 16), dim3(32, 16)>>>(n, m, a, b, c);
}
"""


def test_warps_that_share_are_those_of_a_known_block(analyse: Analyse) -> None:
    assert "RL110" in codes(analyse(TILES + LAUNCHED))
    assert "RL110" not in codes(analyse(TILES))


@pytest.mark.parametrize("code", KNOWN)
def test_who_asks_is_told_of_what_hangs_on_guessed_sizes(code: str) -> None:
    path = Path("/p/main.cu")
    analysis = program_of(KNOWN[code][0].encode(), path, Settings(), reader=lambda _: None)
    assert analysis is not None
    (kernel,) = file_report(analysis, path).kernels
    assert code not in {each.code for each in kernel.findings}
    assert code in {each.code for each in suggestions_for(analysis, kernel) or ()}


def test_little_at_guessed_sizes_is_told_who_asks() -> None:
    guessed = UnknownUsed("n", "the launch does not fix it", 1024, kind=UnknownKind.HOST)
    effect = Effect(0.0, {}, {}, 1e6, 0.75e6, None, None, (guessed,))
    assert not matters(effect)
    assert matters(replace(effect, asked=True))
    assert not matters(replace(effect, asked=True, new_time_ns=0.99e6))


ROWS = """
__global__ void products(int n, int NAME, const float *a, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= BOUND) return;
    float sum = 0.0f;
    for (int j = 0; j < NAME; j++) sum += a[row * NAME + j] * x[j];
    y[row] = sum;
}
void run(int n, int m, const float *a, const float *x, float *y) {
    products<<<(n + 255) / 256, 256>>>(n, m, a, x, y);
}
"""


@pytest.mark.parametrize(
    ("name", "bound", "found"),
    [
        ("width", "n", True),
        ("numCols", "n", True),
        ("lda", "n", True),
        ("in_features", "n", True),
        ("N", "n", True),
        ("K", "n", False),
        ("k_max", "n", False),
        ("m", "n", False),  # perhaps three coordinates
        ("m", "m", True),  # a square matrix
    ],
)
def test_rows_that_are_long_by_their_name_or_their_number(
    name: str, bound: str, found: bool, analyse: Analyse
) -> None:
    text = ROWS.replace("NAME", name).replace("BOUND", bound)
    assert ("RL101" in codes(analyse(text))) is found


BLOCKS = """
__global__ void products(int n, const float *a, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * x[k];
    y[row] = sum;
}
int main() {
    float *a, *x, *y;
    cudaMalloc(&a, 4 << 22);
    cudaMalloc(&x, 4 << 12);
    cudaMalloc(&y, 4 << 12);
    products<<<%d, 128>>>(4096, a, x, y);
}
"""


@pytest.mark.parametrize(("blocks", "found"), [(1, {"RL302"}), (8, {"RL101", "RL302"})])
def test_a_launch_of_one_block_wants_more_of_them_first(
    blocks: int, found: set[str], analyse: Analyse
) -> None:
    assert codes(analyse(BLOCKS % blocks)) == found
