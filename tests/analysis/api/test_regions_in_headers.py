"""Target regions in headers that are included inside a function, by the names that profilers give.

Clang names a region by the number of its file, the function around it, and its line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.settings import Settings

MAIN = """
#include <stdlib.h>
int main() {
  const int n = 1 << 20;
  double *a = (double *)malloc(n * sizeof(double));
  #pragma omp target data map(tofrom: a[0:n])
  {
    #include "scale.h"
    #include "add.h"
    #include "clear.h"
  }
}
"""
LOOP = "#pragma omp target teams distribute parallel for\nfor (int i = 0; i < n; i++) {}\n"
HEADERS = {
    "scale.h": "a[i] = a[i] * 2.0;",
    "add.h": "a[i] = a[i] * a[i] + 3.0;",
    "clear.h": "a[i] = 0;",
}
FLOPS = {"scale.h": 1 << 20, "add.h": 2 << 20, "clear.h": 0}


@pytest.fixture
def program(tmp_path: Path) -> ProgramAnalysis:
    (tmp_path / "main.cpp").write_text(MAIN)
    for name, body in HEADERS.items():
        (tmp_path / name).write_text(LOOP.replace("{}", "{ " + body + " }"))
    return loaded(tmp_path)


def loaded(folder: Path, *names: str) -> ProgramAnalysis:
    settings = Settings(gpu="RTX 3080")
    return ProgramAnalysis.load([folder / "main.cpp"], settings, argv=(), profiled_names=names)


def named(number: int) -> str:
    return f"__omp_offloading_10309_{number:x}_main_l1"


def operations(program: ProgramAnalysis, number: int) -> float | None:
    found = program.predict(named(number))
    assert found is not None
    return found.dp_flops


def test_the_file_has_the_number_here(program: ProgramAnalysis, tmp_path: Path) -> None:
    for name, flops in FLOPS.items():
        number = (tmp_path / name).stat().st_ino
        assert operations(program, number) == pytest.approx(flops)


@pytest.mark.usefixtures("program")
def test_numbers_from_elsewhere_are_in_the_order_of_the_names(tmp_path: Path) -> None:
    numbers = {"add.h": 0x2FC1, "clear.h": 0x2FC2, "scale.h": 0x2FC7}
    program = loaded(tmp_path, *map(named, numbers.values()))
    for name, number in numbers.items():
        assert operations(program, number) == pytest.approx(FLOPS[name])


@pytest.mark.usefixtures("program")
def test_fewer_names_than_headers_tell_nothing(tmp_path: Path) -> None:
    program = loaded(tmp_path, named(0x2FC1), named(0x2FC2))
    assert operations(program, 0x2FC1) == operations(program, 0x2FC2)
