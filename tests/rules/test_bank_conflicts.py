"""RL108 makes one finding of arrays that are used alike, and none of guessed strides."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport, Finding
from roofline_analysis.rules.catalogue.memory import rl108_bank_conflicts

Analyse = Callable[..., FileReport]


def found(report: FileReport) -> list[Finding]:
    return [finding for finding in report.all_findings() if finding.code == "RL108"]


PAIRS = """
__global__ void fold(int apart, float *keys, float *values) {
    __shared__ float key[512], value[512];
    int t = threadIdx.x;
    key[t] = keys[blockIdx.x * 256 + t];
    value[t] = values[blockIdx.x * 256 + t];
    for (int k = 0; k < 300; k++) {
        __syncthreads();
        int at = %s;
        float sum = key[at] + k, product = value[at] * k;
        __syncthreads();
        key[at] = product; value[at] = sum;
    }
    keys[blockIdx.x * 256 + t] = key[t];
    values[blockIdx.x * 256 + t] = value[t];
}
int main(int argc, char **argv) {
    float *keys, *values;
    cudaMalloc(&keys, 1 << 22); cudaMalloc(&values, 1 << 22);
    fold<<<4096, 256>>>(%s, keys, values);
}
"""


@pytest.mark.parametrize(
    ("at", "apart", "count"),
    [
        ("2 * t", "2", 1),
        ("t", "2", 0),
        ("apart * t", "2", 1),
        ("2 * t - (t & (apart - 1))", "1", 1),
        # What the argument is was assumed: others have no conflict.
        ("apart / 512 * t", "1024", 1),
        ("apart / 512 * t", "atoi(argv[1])", 0),
        ("2 * t - (t & (apart / 1024 - 1))", "1024", 1),
        ("2 * t - (t & (apart / 1024 - 1))", "atoi(argv[1])", 0),
    ],
)
def test_arrays_with_the_same_indices(at: str, apart: str, count: int, analyse: Analyse) -> None:
    findings = found(analyse(PAIRS % (at, apart)))
    assert len(findings) == count
    assert all("'key', 'value'" in finding.message for finding in findings)


OBJECTS = """
struct %s Pair { float x, y; };
__global__ void fold(float *values) {
    __shared__ Pair pair[256];
    int t = threadIdx.x;
    pair[t].x = values[blockIdx.x * 256 + t]; pair[t].y = 1;
    for (int k = 0; k < 300; k++) {
        __syncthreads();
        Pair a = pair[255 - t];
        __syncthreads();
        pair[t].x = a.y * k;%s
    }
    values[blockIdx.x * 256 + t] = pair[t].x + pair[t].y;
}
int main() {
    float *values; cudaMalloc(&values, 1 << 24);
    fold<<<4096, 256>>>(values);
}
"""


@pytest.mark.parametrize("aligned", ["", "__align__(8)", "alignas(4)"])
@pytest.mark.parametrize(("rest", "count"), [(" pair[t].y = a.x + k;", 0), ("", 1)])
def test_an_object_that_one_instruction_moves_has_no_conflict(
    aligned: str, rest: str, count: int, analyse: Analyse
) -> None:
    assert len(found(analyse(OBJECTS % (aligned, rest)))) == count


ROWS = """
__global__ void weigh(const float *a, float *b, int n) {
    __shared__ float rows[256 * %s + 8];
    int t = threadIdx.x;
    for (int k = 0; k < %s; k++) rows[k * 256 + t] = a[blockIdx.x * 256 + t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 300; k++) {
        for (int j = 0; j < 4; j++) sum += rows[%s] * j;
        __syncthreads();
    }
    b[blockIdx.x * 256 + t] = sum;
}
int main() {
    float *a, *b; cudaMalloc(&a, 1 << 24); cudaMalloc(&b, 1 << 24);
    weigh<<<4096, 256>>>(a, b, 0);
}
"""


@pytest.mark.parametrize(
    ("pitch", "at", "count"),
    [
        (4, "t * 4 + j", 0),  # LDS.128: each 8 lanes take all banks once
        (4, "t * 4 + 2 * j", 1),
        (4, "t * 4 + j + 2", 1),  # two LDS.64: each 16 lanes take half of the banks twice
        (8, "t * 8 + j", 1),
        (5, "t * 5 + j", 0),
    ],
)
def test_neighbours_that_one_instruction_loads(
    pitch: int, at: str, count: int, analyse: Analyse
) -> None:
    assert len(found(analyse(ROWS % (pitch, pitch, at)))) == count


COLUMNS = """
__global__ void turn(const float *a, float *b) {
    __shared__ float tile[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = y; k < 32; k += blockDim.y) tile[k][x] = a[(blockIdx.x * 32 + k) * 32 + x];
    __syncthreads();
    for (int k = y; k < 32; k += blockDim.y) b[(blockIdx.x * 32 + k) * 32 + x] = tile[x][k];
}
%s
"""
HOSTS = {
    "known": """int main() {
        float *a, *b; cudaMalloc(&a, 1 << 28); cudaMalloc(&b, 1 << 28);
        turn<<<1 << 16, dim3(32, 8)>>>(a, b);
    }""",
    "guessed": "void run(float *a, float *b, dim3 t) { turn<<<1 << 16, t>>>(a, b); }",
}


@pytest.mark.parametrize(("host", "count"), [("known", 1), ("guessed", 0)])
def test_which_threads_make_a_warp_is_known(host: str, count: int, analyse: Analyse) -> None:
    assert len(found(analyse(COLUMNS % HOSTS[host]))) == count


PRODUCT = """
__global__ void product(int n, const float *a, const float *b, float *c) {
    __shared__ float as[128][8], bs[8][128];
    int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    float sum[8][8] = {0.0f};
    for (int s = 0; s < n; s += 8) {
        for (int k = 0; k < 4; k++) {
            as[t / 8 + 32 * k][t & 7] = a[(t / 8 + 32 * k) * n + s + (t & 7)];
            bs[t / 128 + 2 * k][t & 127] = b[(s + 2 * k) * n + (t & 127)];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++)
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sum[i][j] += as[y * 8 + i][k] * bs[k][x * 8 + j];
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) c[(y * 8 + i) * n + x * 8 + j] = sum[i][j];
}
int main() {
    float *a, *b, *c; int n = 1024;
    cudaMalloc(&a, n * n * 4); cudaMalloc(&b, n * n * 4); cudaMalloc(&c, n * n * 4);
    product<<<dim3(8, 8), dim3(16, 16)>>>(n, a, b, c);
}
"""


def test_neighbours_of_a_loop_that_is_too_long_to_walk(analyse: Analyse) -> None:
    """A product of tiles in registers reads rows of the second tile by LDS.128."""
    assert all("'bs'" not in finding.message for finding in found(analyse(PRODUCT)))


TREE = """
__global__ void sweep(const float *x, float *y) {
    __shared__ float part[%d];
    int t = threadIdx.x;
    part[t] = x[blockIdx.x * blockDim.x + t];
    for (int round = 0; round < 50; round++) {
        %s {
            __syncthreads();
            int at = (t + 1) * step * 2 - 1;
            if (at < blockDim.x) part[at] += part[at - step];
        }
    }
    y[blockIdx.x * blockDim.x + t] = part[t];
}
int main() {
    float *x, *y; cudaMalloc(&x, 1 << 26); cudaMalloc(&y, 1 << 26);
    sweep<<<16384, %d>>>(x, y);
}
"""
UP = "for (int step = 1; step < blockDim.x; step *= 2)"
DOWN = "for (int step = blockDim.x / 2; step > 0; step /= 2)"


@pytest.mark.parametrize("steps", [UP, DOWN])
@pytest.mark.parametrize(
    ("threads", "ways"),
    [
        # By steps 1, 2 ... 128: 2, 4, 8, 8, 8, 4, 2, 1 ways, of 4, 2 and then 1 warps.
        (256, 47 / 12),
        # Likewise 2, 4, 8, 16, 32, 16, 8, 4, 2, 1, of 16, 8, 4, 2 and then 1 warps.
        (1024, 191 / 36),
    ],
)
def test_the_steps_of_a_tree(
    steps: str, threads: int, ways: float, analyse: Analyse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rl108_bank_conflicts, "_LEAST_GAIN", 0.01)
    (finding,) = found(analyse(TREE % (threads, steps, threads)))
    assert f"fall {ways:.0f} times" in finding.message


VECTORS = """
__global__ void turn(const float4 *a, float4 *b) {
    __shared__ float tile[32][64];
    int x = threadIdx.x % 8, y = threadIdx.x / 8;
    for (int k = 0; k < 100; k++) {
        float4 v = a[threadIdx.x];
        tile[4 * x][y] = v.x;
        tile[4 * x + 1][y] = v.y;
        tile[4 * x + 2][y] = v.z;
        tile[4 * x + 3][y] = v.w;
        __syncthreads();
        b[blockIdx.x * 256 + threadIdx.x] = READ;
        __syncthreads();
    }
}
int main() {
    float4 *a, *b;
    cudaMalloc(&a, 1 << 12); cudaMalloc(&b, 1 << 24);
    turn<<<4096, 256>>>(a, b);
}
"""
WHOLE = "*reinterpret_cast<float4 *>(&tile[threadIdx.x / 16][threadIdx.x % 16 * 4])"
SINGLE = "make_float4(tile[threadIdx.x / 16][threadIdx.x % 16], 0, 0, 0)"


@pytest.mark.parametrize(("read", "padded"), [(WHOLE, "68"), (SINGLE, "65")])
def test_rows_stay_aligned_to_what_is_read_at_once(
    read: str, padded: str, analyse: Analyse
) -> None:
    (finding,) = found(analyse(VECTORS.replace("READ", read)))
    assert finding.fix is not None
    assert [each.text for each in finding.fix.edits] == [padded]
    assert (" by 4 elements" in finding.message) is (padded == "68")
