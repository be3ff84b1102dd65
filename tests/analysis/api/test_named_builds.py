"""Builds that the names in a profile show: other macros than the build file's."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.settings import Settings

KERNEL = """
__global__ void scale(REAL4 *a, int n, REAL s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i].x = a[i].x * s;
}
int main() {
  int n = 1 << 20;
  REAL4 *a;
  cudaMalloc(&a, n * sizeof(REAL4));
  scale<<<n / 256, 256>>>(a, n, 2);
}
"""
SINGLE = """
#ifdef SINGLE
#define REAL float
#define REAL4 float4
#else
#define REAL double
#define REAL4 double4
#endif
"""
IN_DOUBLE = "scale(double4 *, int, double)"
IN_SINGLE = "scale(float4 *, int, float)"


def operations(folder: Path, source: str, flags: str, *names: str) -> tuple[object, object]:
    """SP and DP operations of the kernel that the first name means."""
    (folder / "main.cu").write_text(source)
    (folder / "Makefile").write_text(f"main: main.cu\n\tnvcc {flags} -o main main.cu\n")
    settings = Settings(gpu="RTX 3080")
    program = ProgramAnalysis.load(
        [folder / "main.cu"], settings, argv=(), profiled_names=names[1:] or names
    )
    found = program.predict(names[0])
    assert found is not None
    return found.sp_flops, found.dp_flops


@pytest.mark.parametrize(
    ("flags", "name", "expected"),
    [
        ("-DSINGLE", IN_SINGLE, (1 << 20, 0)),
        ("-DSINGLE", IN_DOUBLE, (0, 1 << 20)),  # left out
        ("", IN_DOUBLE, (0, 1 << 20)),
        ("", IN_SINGLE, (1 << 20, 0)),  # set
        ("-DSINGLE", "scale", (1 << 20, 0)),  # a name that tells nothing
        ("-DSINGLE", "scale(half2 *, int, __half)", (1 << 20, 0)),  # no build has that
    ],
)
def test_a_switch(tmp_path: Path, flags: str, name: str, expected: tuple[int, int]) -> None:
    assert operations(tmp_path, SINGLE + KERNEL, flags, name) == expected


def test_a_type_of_the_command_line(tmp_path: Path) -> None:
    flags = "-DREAL=double -DREAL4=double4"
    source = KERNEL.replace("REAL4", "REAL").replace("a[i].x", "a[i]")
    assert operations(tmp_path, source, flags, "scale(float *, int, float)") == (1 << 20, 0)


def test_a_type_of_the_source(tmp_path: Path) -> None:
    source = "#ifndef REAL\n#define REAL double\n#endif\n" + KERNEL.replace(
        "REAL4", "REAL"
    ).replace("a[i].x", "a[i]")
    assert operations(tmp_path, source, "", "scale(float *, int, float)") == (1 << 20, 0)


def test_names_of_other_functions_tell_nothing(tmp_path: Path) -> None:
    others = ("add(double4 *, int, double)", "scale(double4 *)")
    assert operations(tmp_path, SINGLE + KERNEL, "-DSINGLE", "scale", *others) == (1 << 20, 0)


def test_overloads_tell_nothing(tmp_path: Path) -> None:
    both = KERNEL + KERNEL.partition("int main")[0].replace("REAL", "double")
    source = SINGLE + both.replace("double4", "double4")
    assert operations(tmp_path, source, "-DSINGLE", IN_SINGLE, IN_DOUBLE) == (1 << 20, 0)


def test_the_function_around_a_target_region(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("main: main.cpp\n\tclang++ -fopenmp -DSINGLE main.cpp\n")
    source = """
void scale(REAL *a, const REAL *b, int n) {
  #pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) a[i] = a[i] * b[i];
}
int main() {
  int n = 1 << 20;
  REAL *a = new REAL[n], *b = new REAL[n];
  #pragma omp target data map(tofrom: a[0:n], b[0:n])
  scale(a, b, n);
}
"""
    (tmp_path / "main.cpp").write_text(SINGLE + source)
    line = (
        (SINGLE + source).splitlines().index("  #pragma omp target teams distribute parallel for")
    )
    for mangled, expected in (("_Z5scalePdPKdi", (0, 1 << 20)), ("_Z5scalePfPKfi", (1 << 20, 0))):
        name = f"__omp_offloading_10309_2f_{mangled}_l{line + 1}"
        program = ProgramAnalysis.load(
            [tmp_path / "main.cpp"], Settings(gpu="RTX 3080"), argv=(), profiled_names=[name]
        )
        found = program.predict(name)
        assert found is not None
        assert (found.sp_flops, found.dp_flops) == expected
