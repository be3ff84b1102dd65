"""Numbers that no machine has end in a report: an error, or a number that is not known."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from roofline_analysis.language.arithmetic import fold
from roofline_analysis.language.types import wrapped
from roofline_analysis.report.report import FileReport, Verdict
from roofline_core.program.units import Severity
from roofline_core.settings import Settings
from roofline_lsp import analyze
from roofline_lsp.formats.sight import undecided
from roofline_parsers.cuda.literals import parse_number

from .texts import KERNEL, launched, numbers


def report_of(text: str) -> FileReport:
    path = Path("/none/text.cu")
    return analyze(text.encode(), path, Settings(gpu="RTX 3080"), reader=lambda _: None)


@pytest.mark.parametrize("name", numbers())
def test_odd_numbers_cost_no_kernel(name: str) -> None:
    report = report_of(numbers()[name]())
    assert not [each for each in report.problems if "internal error" in each.message]
    assert report.kernels[0].base_name == "plain"
    fails = any("launch of 'plain' fails" in each.message for each in report.problems)
    assert (report.kernels[0].prediction.verdict is None) == fails


def test_doubles_are_ieee_doubles() -> None:
    held: int | float | None = 3
    for _ in range(64):
        assert held is not None
        held = fold("*", held, held, "double")
    assert held == math.inf
    assert fold("-", math.inf, math.inf, "double") is None
    assert wrapped((1 << 53) + 1, "double") == float((1 << 53) + 1)
    assert isinstance(wrapped(1 << 53, "double"), int)
    assert wrapped(-(10**400), "long double") == -math.inf


def test_operands_are_converted_before_they_meet() -> None:
    """Integers to the floating type of the other operand; the wide literal is 2 to the 24th + 1."""
    assert fold("-", 16777217, 16777216.0, "float") == 0
    assert fold("==", 16777217, 16777216.0, "float") == 1
    assert fold("==", (1 << 53) + 1, float(1 << 53), "double") == 1
    assert fold("==", 16777217, 16777216.0, "double") == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(true ? 7 : 2.0) / 2 * 4", 14),
        ("(false ? 2.0 : 7) / 2 * 4", 14),
        ("(true ? 7 : 2) / 2 * 4", 12),
        ("(true ? -1 : 0u) / 2 % 100", 47),
        ("(true ? (char)7 : (float)!1) / 2 * 4", 14),
        ("(true ? 7 : 1 < 2.0) / 2 * 4", 12),
    ],
)
def test_the_operand_that_is_not_taken_decides_the_type(text: str, value: int) -> None:
    """In host code and in a constant expression."""
    in_host_code = launched("V", "256", f"int V = {text};")
    in_a_bound = f"struct S {{ char v[(int)({text})]; }};\n" + launched("sizeof(S)", "256")
    for source in (in_host_code, in_a_bound):
        (launch,) = report_of(source).kernels[0].launches
        assert launch.grid == (value, 1, 1)


@pytest.mark.parametrize("bits", [32, 64])
def test_integers_wrap(bits: int) -> None:
    signed, unsigned = ("int", "unsigned int") if bits == 32 else ("long", "unsigned long")
    assert fold("*", 1 << (bits - 1), 2, unsigned) == 0
    assert fold("-", 0, 1, unsigned) == (1 << bits) - 1
    assert fold("+", (1 << (bits - 1)) - 1, 1, signed) == -(1 << (bits - 1))
    assert fold("<<", 1, 1_000_000_000, signed) is None


@pytest.mark.parametrize("text", ["0x" + "f" * 300, "9" * 300, "99999999999999999999", "1" * 5000])
def test_literals_that_no_type_holds_have_no_value(text: str) -> None:
    assert parse_number(text) is None
    report = report_of(launched(text, "256"))
    (problem,) = [each for each in report.problems if "no number that a type holds" in each.message]
    assert problem.severity is Severity.WARNING
    assert report.kernels[0].launches[0].grid == (None, 1, 1)


@pytest.mark.parametrize(
    ("grid", "block", "message"),
    [
        ("0", "256", "its grid is (0, 1, 1)"),
        ("-1", "256", "its grid is (-1, 1, 1)"),
        (
            "dim3(1, 65536)",
            "256",
            "its grid is (1, 65536, 1), and none may have over 65535 blocks in y",
        ),
        (
            "(-4096 + 255) / 256 + 4294967296",
            "256",
            "its grid is (4294967281, 1, 1), and none may have over 2147483647 blocks in x",
        ),
        (
            "1e400",
            "256",
            "its grid is (inf, 1, 1), and none may have over 2147483647 blocks in x",
        ),
        (
            "dim3(2147483647, 65535, 65535)",
            "1024",
            "its grid is (2147483647, 65535, 65535), more blocks than can ever run",
        ),
        ("64", "1025", "its block has 1025 threads, and none may have over 1024"),
        ("64", "dim3(64, 64)", "its block has 4096 threads, and none may have over 1024"),
        ("64", "0", "its block is (0, 1, 1)"),
        (
            "64",
            "256, 300000",
            "its blocks ask for 300000 bytes of shared memory, and none has over 232448",
        ),
    ],
)
def test_launches_that_no_gpu_takes_are_errors(grid: str, block: str, message: str) -> None:
    report = report_of(launched(grid, block))
    (problem,) = [each for each in report.problems if each.severity is Severity.ERROR]
    assert problem.message == f"this launch of 'plain' fails: {message}"
    assert problem.line is not None
    prediction = report.kernels[0].prediction
    assert prediction.verdict is None
    assert undecided(prediction.sight) == f"this launch fails: {message}"


def test_a_kernel_is_judged_by_a_launch_that_does_not_fail() -> None:
    good, bad = "plain<<<4096, 256>>>(p, 1 << 20);", "plain<<<4096, 2048>>>(p, 1 << 20);"
    report = report_of(
        f"{KERNEL}\nint main() {{ float *p; cudaMalloc(&p, 4 << 20);\n{bad}\n{good}\n}}\n"
    )
    (plain,) = report.kernels
    assert [each.prediction.verdict is None for each in plain.launches] == [False, True]
    assert plain.prediction == plain.launches[0].prediction
    assert plain.prediction.block == (256, 1, 1)


@pytest.mark.parametrize(
    ("loops", "trips"),
    [
        ("for (int i = 0; i < 1e308; i++)", "1e+308"),
        ("for (int i = 0; i < 1e300; i++) for (int j = 0; j < 1e300; j++)", "1e+300"),
        (" ".join(f"for (long i{at} = 0; i{at} < (1l << 60); i{at}++)" for at in range(20)), None),
    ],
)
def test_loops_that_no_gpu_brings_to_an_end(loops: str, trips: str | None) -> None:
    """Sums of infinities are not numbers: the launch is undecided, and it is said why."""
    report = report_of(
        f"#include <cmath>\n__global__ void plain(float *x, int n) {{\n{loops}\n"
        "x[threadIdx.x + n] += x[n]; }\n" + launched("4096", "256").partition("\n}\n")[2]
    )
    (kernel,) = report.kernels
    assert not [each for each in report.problems if "internal error" in each.message]
    assert kernel.prediction.verdict is None
    said = undecided(kernel.prediction.sight)
    assert said.startswith("this launch fails: its loop at line 3 has ")
    assert said.endswith(" trips, more than can ever run")
    assert trips is None or f" {trips} trips" in said
    assert math.isfinite(kernel.prediction.time_ns or math.inf)
    assert math.isfinite(kernel.prediction.dram_read_bytes or math.inf)


def test_an_offloaded_loop_that_no_gpu_brings_to_an_end() -> None:
    report = analyze(
        b"int main() { float *y = new float[1024];\n"
        b"#pragma omp target teams distribute parallel for\n"
        b"for (int i = 0; i < 1e308; i += 1) y[i] += 1; }\n",
        Path("/none/offload.cpp"),
        Settings(gpu="RTX 3080"),
        reader=lambda _: None,
    )
    prediction = report.kernels[0].prediction
    assert prediction.verdict is None
    assert "its loop at line 2 has 2.44e+302 trips" in undecided(prediction.sight)
    assert math.isfinite(prediction.time_ns or math.inf)


def test_fractions_of_blocks_are_none() -> None:
    """A grid below one block is not known, as it is for nothing to divide by."""
    report = report_of(launched("0.25 * atoi(argv[1])", "256"))
    assert not [each for each in report.problems if "internal error" in each.message]


@pytest.mark.parametrize("dimensions", ["4294967295u", "1 << 30", "-1", "0"])
def test_an_ndrange_has_three_dimensions_at_most(dimensions: str) -> None:
    report = analyze(
        b"""
        const char *source = "__kernel void k(__global float *x) { x[get_global_id(0)] = 1; }";
        int main() {
            cl_program p = clCreateProgramWithSource(c, 1, &source, 0, 0);
            cl_kernel k = clCreateKernel(p, "k", 0);
            size_t many[] = {65536, 1, 1};
            clEnqueueNDRangeKernel(q, k, %s, 0, many, 0, 0, 0, 0);
        }
        """.replace(b"%s", dimensions.encode()),
        Path("/none/host.cpp"),
        Settings(gpu="RTX 3080"),
        reader=lambda _: None,
    )
    assert len(report.kernels[0].launches) == 1


def test_launches_at_the_limits_are_none() -> None:
    assert not report_of(launched("dim3(2147483647, 1, 1)", "1024")).problems


@pytest.mark.parametrize("squared", ["m *= m;", "m *= m++;", "m = m * m + m;"])
def test_squares_of_squares_of_what_is_not_known_stay_small(squared: str) -> None:
    """Of 60 squares of a number the last has it 2 to the 60th times as a factor."""
    loop = f"for (int i = 0; i < 60; i++) {{ {squared} }}"
    on_device = f"__global__ void odd(float *x, int n) {{ int m = n; {loop} x[m] = 1; }}\n"
    host = f"int m = atoi(argv[1]); {loop} while (argc) {{ {squared} }}"
    report = report_of(on_device + launched("m", "256", host))
    assert [each.base_name for each in report.kernels] == ["odd", "plain"]
    assert not [each for each in report.problems if "internal error" in each.message]


@pytest.mark.parametrize("value", ["INFINITY", "-INFINITY", "1e400", "NAN"])
def test_no_kernel_is_lost_where_infinities_meet_what_is_not_known(value: str) -> None:
    report = report_of(
        f"#include <cmath>\n#include <cstdlib>\n{KERNEL}\n"
        f"__global__ void odd(float *x, int n, int m) {{ x[m * ({value} != n)] = 1; }}\n"
        f"int main(int argc, char **argv) {{ float *p; float a = {value};\n"
        "int n = atoi(argv[1]); while (argc) { n++; a += n; }\n"
        "plain<<<n, a>>>(p, a); odd<<<4096, 256>>>(p, a, a + n); }\n"
    )
    assert [each.base_name for each in report.kernels] == ["plain", "odd"]
    assert not [each for each in report.problems if "internal error" in each.message]


@pytest.mark.parametrize("value", ["INFINITY", "-1e400", "NAN"])
def test_an_integer_that_an_unknown_number_makes_infinite_is_unknown(value: str) -> None:
    report = report_of(
        "#include <cmath>\n__global__ void odd(float *x, float *y, int n) {\n"
        "x[threadIdx.x + n] = y[n]; x[threadIdx.x * n] = 1; }\n"
        "int main(int argc, char **argv) { float *p; cudaMalloc(&p, 4 << 20);\n"
        f"while (argc) argc++; odd<<<4096, 256>>>(p, p, argc > 5 ? 57 : {value}); }}\n"
    )
    assert [each.base_name for each in report.kernels] == ["odd"]
    assert not [each for each in report.problems if "internal error" in each.message]


@pytest.mark.parametrize(
    "value", ["NAN", "INFINITY", "HUGE_VALF", 'nanf("")', "CUDART_NAN_F", 'nan("1")']
)
def test_a_kernel_that_stores_no_number_is_judged(value: str) -> None:
    report = report_of(
        "#include <cmath>\n#include <math_constants.h>\n__global__ void odd(float *x) {\n"
        f"x[blockIdx.x * blockDim.x + threadIdx.x] = {value}; }}\n"
        "int main() { float *p; cudaMalloc(&p, 4 << 20); odd<<<4096, 256>>>(p); }\n"
    )
    (odd,) = report.kernels
    assert odd.prediction.verdict is Verdict.BANDWIDTH_BOUND
    assert odd.prediction.dram_write_bytes == 4 << 20
    assert odd.prediction.sight is not None
    assert odd.prediction.sight.share == 1.0
    assert not report.problems


CALLS = (
    "thrust::fill_n(thrust::device, p, z, 1);",
    "thrust::sort(thrust::device, p, p + (long)z); thrust::fill(thrust::device, p, p + z, 1);",
    "cublasSaxpy(h, z, &a, p, z, p, 1);",
    'memset(s, z, z); strncpy(s, "abc", z); strncmp(s, "abc", z); strtol("1", 0, z);',
    "cudaMemset(p, z, z); cudaMalloc(&p, z); fseek(f, z, z); fread(s, z, z, f); fgets(s, z, f);",
    'std::vector<int> v(z); v.resize(z); v[z] = 1; std::string t = "abc"; t.substr(z, z);',
    "int d[3]; d[(int)z] = z; std::initializer_list<int> l = {1, 2}; n += l.begin()[z];",
    "cudaDeviceGetAttribute(&n, z, z); cudaOccupancyMaxPotentialBlockSize(&n, &n, plain, z, z);",
    "n = fmod(z, z) + popcount(z) + ldexp(z, z) + abs(z) + round(z) + (1 << (int)z);",
)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("value", ["INFINITY", "-1e400", "NAN"])
def test_infinities_as_arguments_of_libraries_come_to_no_fault(value: str, call: str) -> None:
    report = report_of(
        f"#include <cmath>\n#include <thrust/sort.h>\n{KERNEL}\n"
        f"int main() {{ float *p, a = 1; cudaMalloc(&p, 4 << 20); double z = {value}; char s[9];\n"
        f'int n = 1 << 20; FILE *f = fopen("none", "r"); cublasHandle_t h;\n{call}\n'
        "plain<<<4096, 256>>>(p, n); }\n"
    )
    assert [each.base_name for each in report.kernels] == ["plain"]
    assert len(report.kernels[0].launches) == 1
    assert not [each for each in report.problems if "internal error" in each.message]


@pytest.mark.parametrize("value", ["INFINITY", "-INFINITY", "1e300 * 1e300", "(float)1e300"])
@pytest.mark.parametrize(
    "host",
    ["int n = (int)z;", "int n = z;", "int n; n = z;", "int n = rounded(z);", "int n = taken(z);"],
)
def test_what_no_integer_holds_is_unknown_as_an_integer(value: str, host: str) -> None:
    report = report_of(
        f"#include <cmath>\n{KERNEL}\nint rounded(double a) {{ return a; }}\n"
        "int taken(int a) { return a; }\n"
        f"int main() {{ float *p; cudaMalloc(&p, 4 << 20); double z = {value};\n{host}\n"
        "plain<<<4096, 256>>>(p, n); }\n"
    )
    (plain,) = report.kernels
    (unknown,) = plain.prediction.unknowns
    assert unknown.name == "an infinity as int"
    assert unknown.why.startswith("no integer holds it")
    assert (plain.prediction.dram_bytes or 0) > 8_000_000


def test_a_size_that_no_integer_holds_is_not_varied() -> None:
    """The kernel begins to store where its argument is about 1e308."""
    text = """
    __global__ void k(int *x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < (n != 1e308)) return;
      x[i] = n;
    }
    """
    report = report_of(text)
    assert not [each for each in report.problems if "internal error" in each.message]
    assert [kernel.base_name for kernel in report.kernels] == ["k"]
