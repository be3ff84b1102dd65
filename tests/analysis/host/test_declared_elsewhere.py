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


SHAPED = """
%s
void run(float *d, int rows) {
  dim3 grid(3), block;
  int width = 0;
  shape(grid, block, width, rows);
  k<<<grid, block>>>(d, width);
}
int main() { float *d; run(d, 5); }
__global__ void k(float *p, int n) {}
"""


@pytest.mark.parametrize(
    ("declared", "grid", "block", "width"),
    [
        ("void shape(dim3 &grid, dim3 &block, int &width, int rows);", None, None, None),
        ("void shape(const dim3 &grid, dim3 &block, int width, int rows);", 3, None, 0),
        ("void shape(dim3 grid, dim3 block, int width, int rows);", 3, 1, 0),
        (
            """void shape(dim3 &grid, dim3 &block, int &width, int rows) {
                grid.x = rows; block.x = 64; width = 7;
            }""",
            5,
            64,
            7,
        ),
    ],
)
def test_what_a_function_without_a_body_may_set(
    declared: str, grid: int | None, block: int | None, width: int | None, run: Run
) -> None:
    (launch,) = run(SHAPED % declared).launches
    assert launch.grid[0].constant == grid
    assert launch.block[0].constant == block
    assert launch.args[1].value.constant == width


def test_a_container_that_a_function_without_a_body_may_grow(run: Run) -> None:
    source = """
    #include <vector>
    void load(std::vector<float> &rows);
    void show(const std::vector<float> &rows);
    __global__ void k(float *p, int n) {}
    int main() {
      std::vector<float> rows, others(7);
      load(rows);
      show(others);
      float *d;
      k<<<rows.size(), others.size()>>>(d, 0);
    }
    """
    (launch,) = run(source).launches
    assert launch.grid[0].constant is None
    assert launch.block[0].constant == 7
    assert [unknown.name for unknown in launch.unknowns.values()] == ["size of rows"]
