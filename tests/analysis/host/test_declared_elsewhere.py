"""Variables that one file of a program declares and another defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
"""A fixture that runs source texts as the files of one program."""

LAUNCHES = """
__global__ void k(float *p, int n) {}
void run(float *d, int rows) { k<<<rows, 64>>>(d, rows); }
"""
MAIN = """
%s
void run(float *d, int rows);
int main() { float *d; for (int r = LEAST; r <= MOST; r *= 2) run(d, r); }
"""


def grids(run: Run, declared: str, defined: str) -> list[Any]:
    launches = run(MAIN % declared, LAUNCHES + defined).launches
    return [launch.grid[0].constant for launch in launches]


@pytest.mark.parametrize(
    ("declared", "defined"),
    [
        (
            "extern const int LEAST; extern const int MOST;",
            "extern const int LEAST = 3; extern const int MOST = 12;",
        ),
        (
            'extern "C" const unsigned LEAST; extern "C" const unsigned MOST;',
            'extern "C" const unsigned LEAST = 3; extern "C" const unsigned MOST = 12;',
        ),
        ('extern "C" { extern int LEAST, MOST; }', 'extern "C" { int LEAST = 3, MOST(12); }'),
    ],
)
def test_the_definition_in_another_file_counts(run: Run, declared: str, defined: str) -> None:
    assert grids(run, declared, defined) == [3, 6, 12]


def test_a_definition_without_a_value_is_zero(run: Run) -> None:
    source = LAUNCHES + "int shift; int main() { float *d; run(d, shift + 5); }"
    (launch,) = run(source).launches
    assert launch.grid[0].constant == 5


@pytest.mark.parametrize("declaration", ["extern int shift;", 'extern "C" const long shift;'])
def test_what_no_file_defines_is_not_known(run: Run, declaration: str) -> None:
    source = LAUNCHES + f"{declaration} int main() {{ float *d; run(d, shift + 5); }}"
    (launch,) = run(source).launches
    assert launch.grid[0].constant is None
    assert [unknown.name for unknown in launch.unknowns.values()] == ["shift"]
