"""Models of the C library, the containers and the CUDA runtime."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis import host
from roofline_analysis.host import HostOptions
from roofline_analysis.host.libraries.table import LIBRARY

Run = Callable[..., Any]
"""A fixture that runs source text."""


FLAG_LOOP = """
int x = 1;
for (int i = 1; i < argc; i++)
  if (!strcmp(argv[i], "-s")) x = atoi(argv[++i]);
"""
MAP_FIND = """
std::map<int, int> m; m[3] = 8;
auto i = m.find(3);
int x = i != m.end() ? i->second : 1;
"""


@pytest.mark.parametrize(
    ("body", "argv", "expected"),
    [
        ("int x = atoi(argv[1]);", ["42"], 42),
        ("int x = atoi(argv[1]);", ["-3k"], -3),
        ("int x = atoi(argv[1]);", ["word"], 0),
        ("int x = strtol(argv[1], NULL, 16);", ["ff"], 255),
        ("int x = std::stoi(argv[1]) + std::stof(argv[2]) * 2;", ["3", "2.5"], 8),
        ("int x; sscanf(argv[1], \"%d\", &x);", ["19"], 19),
        ("int a, x; sscanf(argv[1], \"%dx%d\", &a, &x);", ["8x9"], 9),
        ("int x = argc;", ["a", "b"], 3),
        ("int x = strcmp(argv[1], \"-n\") == 0 ? atoi(argv[2]) : 1;", ["-n", "6"], 6),
        ("int x = strncmp(argv[1], \"--n=\", 4) ? 1 : atoi(argv[1] + 4);", ["--n=8"], 8),
        ("std::string s = argv[1]; int x = s == \"fast\" ? 2 : 3;", ["fast"], 2),
        ("std::string s(argv[1]); int x = std::stoi(s.substr(2)) + s.size();", ["n=45"], 49),
        (FLAG_LOOP, ["-v", "-s", "512"], 512),
        ('char s[9]; sprintf(s, "%03d-%s", 7, argv[1]); int x = atoi(s + 4);', ["42"], 42),
        ('char s[9]; snprintf(s, 4, "%d%%%c", 5, 65); int x = strlen(s) + s[2];', [], 68),
        ('char s[9]; snprintf(s, 3, "%s", argv[1]); int x = atoi(s);', ["1234"], 12),
        ('char s[9]; strcpy(s, argv[1]); *strchr(s, 120) = 0; int x = strlen(s);', ["abx9"], 2),
        ('char s[9] = "ab"; strcat(s, argv[1]); s[strcspn(s, ",")] = 0; int x = strlen(s);',
         ["c,d"], 3),
        ('char s[9] = "12"; if (argc > 1) s[0] = argv[1][0]; int x = atoi(s);', ["7"], 72),
    ],
)  # fmt: skip
def test_command_line(grid_x: Run, body: str, argv: list[str], expected: int) -> None:
    assert grid_x(body, *argv) == expected


def test_a_string_that_an_undecided_branch_changes_is_not_known(main: Run) -> None:
    for change in ("s[0] = '9';", 'strcpy(s, "34");', 'sprintf(s, "%d", 5);'):
        body = (
            f'char s[9]; strcpy(s, "12"); if (rand() > 5) {{ {change} }} k<<<atoi(s), 1>>>(d, 0);'
        )
        (launch,) = main(body)
        assert launch.grid[0].constant is None


GETOPT = """
int n = 1, verbose = 0, x, c;
while ((c = getopt(argc, argv, "n:v")) != -1) {
  switch (c) {
    case 'n': n = atoi(optarg); break;
    case 'v': verbose = 1; break;
    default: return 1;
  }
}
x = 1000 * n + 100 * verbose + (optind < argc ? atoi(argv[optind]) : 0);
"""


@pytest.mark.parametrize(
    ("argv", "expected"),
    [([], 1000), (["-n", "4"], 4000), (["-n4", "-v"], 4100), (["7", "-vn", "2"], 2107)],
)
def test_getopt(grid_x: Run, argv: list[str], expected: int) -> None:
    assert grid_x(GETOPT, *argv) == expected


GETOPT_LONG = """
static struct option table[] = {
  {"size", required_argument, 0, 's'}, {"quick", no_argument, 0, 'q'}, {0, 0, 0, 0}};
int size = 1, quick = 0, c;
while ((c = getopt_long(argc, argv, "s:q", table, NULL)) != -1) {
  if (c == 's') size = atoi(optarg); else if (c == 'q') quick = 1; else exit(1);
}
int x = 10 * size + quick;
"""


@pytest.mark.parametrize(
    ("argv", "expected"),
    [(["--size", "3"], 30), (["--size=4", "--quick"], 41), (["-s5", "-q"], 51)],
)
def test_getopt_long(grid_x: Run, argv: list[str], expected: int) -> None:
    assert grid_x(GETOPT_LONG, *argv) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = std::min(3, 9) + std::max(1, 2) + abs(-4);", 9),
        ("int x = ceil(2.1) + floor(2.9) + sqrt(16.0) + pow(2, 3);", 17),
        ("int x = log2(256.0);", 8),
        ("int x = (int)round(2.5);", 3),
        ("std::vector<int> v(5); v.push_back(1); int x = v.size();", 6),
        ("std::vector<int> v = {4, 5, 6}; int x = v[1] + v.back();", 11),
        ("std::vector<int> v; for (int i = 0; i < 4; i++) v.push_back(i * i); int x = v[3];", 9),
        ("std::vector<float> v; v.resize(33); int x = v.size();", 33),
        ("std::vector<std::vector<int>> v(2, std::vector<int>(7)); int x = v[1].size();", 7),
        ("std::array<int, 3> a = {1, 2, 3}; int x = a.size() + a[2];", 6),
        ("int x = 0; for (auto v : std::vector<int>{1, 2, 3}) x += v;", 6),
        ("std::map<std::string, int> m; m[\"a\"] = 5; int x = m[\"a\"] + m.count(\"b\");", 5),
        (MAP_FIND, 8),
        ("std::stringstream s(\"12 30\"); int a, x; s >> a >> x;", 30),
        ("int a = 1, b = 2; std::swap(a, b); int x = 10 * a + b;", 21),
        ("auto p = std::make_unique<int>(6); int x = *p;", 6),
        ("float4 f = make_float4(1, 2, 3, 4); int x = f.z;", 3),
        ("int x = INT_MAX / 1000000000;", 2),
    ],
)  # fmt: skip
def test_values(grid_x: Run, body: str, expected: int) -> None:
    assert grid_x(body) == expected


def test_copies_to_the_device_and_back_keep_small_values(grid_x: Run) -> None:
    body = """
    int h[2] = {3, 8}, b[2]; int *e;
    cudaMalloc(&e, sizeof(h));
    cudaMemcpy(e, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemcpy(b, e, sizeof(h), cudaMemcpyDeviceToHost);
    int x = b[1];
    """
    assert grid_x(body) == 8


def test_a_kernel_makes_what_it_may_write_unknown(run: Run) -> None:
    result = run(
        """
        __global__ void k(int *p) {}
        __global__ void r(const int *p) {}
        int main() {
          int h[1] = {4}, *d;
          cudaMalloc(&d, 4);
          cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice);
          r<<<1, 1>>>(d);
          cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost);
          k<<<h[0], 2>>>(d);
          cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost);
          k<<<h[0], 3>>>(d);
        }
        """
    )
    assert [launch.grid[0].constant for launch in result.launches] == [1, 4, None]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int x = p.multiProcessorCount;", 68),
        ("int x; cudaDeviceGetAttribute(&x, cudaDevAttrMaxThreadsPerBlock, 0);", 1024),
        ("int x; cudaDeviceGetAttribute(&x, cudaDevAttrClockRate, 0);", 1710000),
        ("int x; cudaGetDeviceCount(&x);", 1),
        ("int x = cudaMalloc(&d, 16) == cudaSuccess ? 5 : 6;", 5),
        ("int x = cudaGetLastError() + 2;", 2),
        ("size_t pitch; cudaMallocPitch(&d, &pitch, 100, 7); int x = pitch;", 512),
    ],
)
def test_runtime(grid_x: Run, body: str, expected: int) -> None:
    assert grid_x(body) == expected


def test_device_properties_come_from_the_options(run: Run) -> None:
    source = """
    __global__ void k() {}
    int main() {
      cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
      k<<<p.multiProcessorCount, 1>>>();
    }
    """
    options = HostOptions(device_properties={"multiProcessorCount": 13})
    assert run(source, options=options).launches[0].grid[0] == 13


@pytest.mark.parametrize(
    "allocation",
    [
        "cudaMalloc((void**)&d, 512);",
        "CHECK(cudaMalloc(&d, 512));",
        "alloc(&d, 128);",
        "d = make<float>(128);",
        "cudaMallocManaged(&d, 512);",
        "cudaMallocAsync(&d, 512, 0);",
        "hipMalloc(&d, 512);",
    ],
)
def test_sizes_of_allocations(main: Run, allocation: str) -> None:
    before = """
    #define CHECK(c) do { cudaError_t e = c; if (e != cudaSuccess) exit(1); } while (0)
    template <typename T> void alloc(T **p, size_t n) { cudaMalloc(p, n * sizeof(T)); }
    template <typename T> T *make(size_t n) { T *p; cudaMalloc(&p, n * sizeof(T)); return p; }
    """
    (launch,) = main(allocation + " k<<<1, 1>>>(d, 0);", before=before)
    assert launch.args[0].buffer.size_bytes == 512


def test_every_model_of_a_library_function_is_in_the_table_once() -> None:
    found: list[str] = []
    for info in pkgutil.walk_packages(host.__path__, f"{host.__name__}."):
        found += getattr(importlib.import_module(info.name), "MODELS", {})
    assert sorted(found) == sorted(LIBRARY)


@pytest.mark.parametrize(("words", "grid"), [("__device__", 7), ("__host__ __device__", 3)])
def test_host_code_does_not_call_functions_of_the_device(run: Run, words: str, grid: int) -> None:
    result = run(
        f"""template <class T> {words} T min(T a, T b) {{ return a - b + 5; }}
        __global__ void k() {{}}
        int main() {{ int a = 7, b = 9; k<<<min(a, b), 32>>>(); }}"""
    )
    (launch,) = result.launches
    assert launch.grid[0].constant == grid
