"""What an edit may do to a file: device code, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_advisor.advice import KernelName
from roofline_advisor.bench import Bench
from roofline_advisor.checks import check, check_words
from roofline_advisor.edits import RejectedError
from roofline_advisor.scoring import effect
from roofline_core.settings import Settings

from .kernels import SOURCE

HELPER = "__device__ float scaled(float v) { return v * 2.0f; }"
KERNEL = "__global__ void rows(int n, const float *x, float *y) {"
SUM = "            s += scaled(x[i * 64 + k]) / 3.0f;"


def checked(tmp_path: Path, before: str, after: str, name: str = "rows", file: str = "a.cu") -> str:
    """The kernel's new name, or why the edit is turned away."""
    path = tmp_path / file
    path.write_text(before)
    bench = Bench(path, Settings())
    try:
        check_words(before, after)
        kernel = check(bench.read(before.encode()), bench.read(after.encode()), KernelName(name))
    except RejectedError as error:
        return f"rejected: {error}"
    return kernel.name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SUM, "            s = fmaf(x[i * 64 + k], 2.0f / 3.0f, s);"),
        # A device function before the kernel, a template of one, and a helper changed.
        (KERNEL, "__device__ float third(float v) {\n    return v / 3.0f;\n}\n\n" + KERNEL),
        (KERNEL, "template <typename T>\n__device__ T third(T v) { return v / T(3); }\n" + KERNEL),
        (HELPER, "__device__ __forceinline__ float scaled(float v) { return v + v; }"),
        (KERNEL, KERNEL.replace("float *y", "float *__restrict__ y")),
        (KERNEL, KERNEL.replace("const float *x", "const float *__restrict__ x")),
        ("        for (int k", "        #pragma unroll 4\n        for (int k"),
        ("        float s = 0.0f;", "        __shared__ float t[256];\n        float s = 0.0f;"),
    ],
)
def test_edits_of_device_code_hold(tmp_path: Path, old: str, new: str) -> None:
    assert old in SOURCE
    after = SOURCE.replace(old, new)
    assert checked(tmp_path, SOURCE, after) == "rows(int, const float *, float *)"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (SUM, "            s += = x[;", "cannot be read: line 10"),
        (KERNEL, KERNEL.replace("int n", "long n"), "signature of the kernel from 'rows(int"),
        (KERNEL, KERNEL.replace("float *y", "float *y, int m"), "signature"),
        (KERNEL, KERNEL.replace("rows", "lines"), "signature"),
        (KERNEL, "__global__ void more(int n) {}\n" + KERNEL, "adds, takes away or renames"),
        ("rows<<<(n + 255) / 256, 256>>>", "rows<<<n / 64, 64>>>", "outside of device"),
        ("    const int n = 1 << 16;", "    const int n = 1 << 10;", "outside of device"),
        ("    return 0;", '    system("true");\n    return 0;', "outside of device"),
        (KERNEL, 'static int ran = puts("hello");\n' + KERNEL, "outside of device"),
        (KERNEL, 'void host() { puts("hello"); }\n' + KERNEL, "outside of device"),
        (KERNEL, "__device__ __host__ float f(float v) { return v; }\n" + KERNEL, "outside of"),
        ("#include <cuda_runtime.h>", '#include <cuda_runtime.h>\n#include "/etc/passwd"', "'#in"),
        (
            "        float s",
            "        #define n 0\n        float s",
            "the preprocessor line '#define n 0'",
        ),
        ("        float s", '        #include "/etc/passwd"\n        float s', "'#include"),
        ("        float s", '        %:include "/etc/passwd"\n        float s', "'%:include"),
        (
            "        float s",
            '        const char *t = "/*";\n#include <x>\n"*/";\n',
            "'#include <x>'",
        ),
        ("        float s", "        /* c */ #include <x>\n        float s", "#include <x>'"),
        ("        float s", "        #pragma unroll \\\n   4\n        float s", "'#pragma unroll"),
        ("        float s", '        _Pragma("message")\n        float s', "a pragma in an"),
        ("        float s", '        asm volatile("exit;");\n        float s', "inline assembly"),
        ("        float s", "        /* unclosed\n        float s", "rejected"),
    ],
)
def test_everything_else_is_turned_away(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in SOURCE
    said = checked(tmp_path, SOURCE, SOURCE.replace(old, new, 1))
    assert said.startswith("rejected: ")
    assert words in said


def test_problems_that_were_there_before_do_not_count(tmp_path: Path) -> None:
    broken = SOURCE.replace("    return 0;", "    return 0 = = ;")
    after = broken.replace("/ 3.0f", "* (1.0f / 3.0f)")
    assert checked(tmp_path, broken, after) == "rows(int, const float *, float *)"


def test_opencl(tmp_path: Path) -> None:
    before = (
        "float twice(float v) { return v * 2.0f; }\n"
        "__kernel void scale(__global const float *x, __global float *y) {\n"
        "    int i = get_global_id(0);\n"
        "    y[i] = twice(x[i]) / 3.0f;\n"
        "}\n"
    )
    after = before.replace("v * 2.0f", "v + v").replace("/ 3.0f", "* (1.0f / 3.0f)")
    assert not checked(tmp_path, before, after, "scale", "a.cl").startswith("rejected")
    renamed = before.replace("scale(", "other(")
    assert "signature" in checked(tmp_path, before, renamed, "scale", "a.cl")


def test_openmp(tmp_path: Path) -> None:
    before = (
        "int main() {\n"
        "    const int n = 1000000;\n"
        "    double *x = new double[n];\n"
        "    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        x[i] = x[i] / 3.0;\n"
        "    }\n"
        "    return 0;\n"
        "}\n"
    )
    path = tmp_path / "a.cpp"
    path.write_text(before)
    (kernel,) = Bench(path, Settings()).read(before.encode()).report.kernels
    inside = before.replace("x[i] / 3.0", "x[i] * (1.0 / 3.0)")
    outside = before.replace("return 0", "return 1")
    name = kernel.qualified_name
    assert not checked(tmp_path, before, inside, name, "a.cpp").startswith("rejected")
    assert "outside of device" in checked(tmp_path, before, outside, name, "a.cpp")


def test_what_the_static_model_says_of_an_edit(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(SOURCE)
    bench = Bench(path, Settings())
    before = bench.read(SOURCE.encode()).kernel(KernelName("rows"))
    quarter = SOURCE.replace("k < 64", "k < 16")
    after = bench.read(quarter.encode()).kernel(KernelName("rows"))
    found = effect(before, after, dict(bench.gpu.ridges))
    # 65,536 threads: 4 additions of 16 a thread are left, 16 of 64 columns are read.
    assert found.operations_before is not None
    assert found.operations_after is not None
    assert found.dram_before_bytes is not None
    assert found.dram_after_bytes is not None
    assert found.operations_after < found.operations_before / 3
    assert found.dram_after_bytes < found.dram_before_bytes / 3
    assert found.speedup is not None
    assert found.speedup > 2
    assert found.text().startswith("time ")
    assert " -> " in found.text()
    assert "class" not in found.text()
    same = effect(before, before, dict(bench.gpu.ridges))
    assert same.text() == "nothing that the static model counts"
