"""Functions whose bodies are not known come in one note for each file."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import Settings

KERNEL = """__global__ void k%d(float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 2 * x[i];
  %s
}
"""


def problems(*kernels: tuple[str, ...], told: bool = True) -> tuple[Problem, ...]:
    source = "".join(
        KERNEL % (at, " ".join(f"{name}(i);" for name in names)) for at, names in enumerate(kernels)
    )
    settings = Settings(notes=told)
    path = Path("/p/main.cu")
    return analyze(source.encode(), path, settings, reader=lambda path: None).problems


@pytest.mark.parametrize(
    ("kernels", "line", "message"),
    [
        ([("stage",)], 4, "1 function is not known: stage; its work is not counted"),
        ([("stage",), ("stage",)], 4, "1 function is not known: stage; its work is not counted"),
        (
            [(), ("stage", "load", "mma")],
            9,
            "3 functions are not known: stage, load, mma; their work is not counted",
        ),
        (
            [("stage", "load"), ("load", "mma", "wait", "send")],
            4,
            "5 functions are not known: stage, load, mma ...; their work is not counted",
        ),
    ],
)
def test_one_note_names_the_first(kernels: list[tuple[str, ...]], line: int, message: str) -> None:
    path = Path("/p/main.cu")
    assert problems(*kernels) == (Problem(Severity.NOTE, message, path, line),)


def test_there_is_none_where_the_settings_say_so_or_all_is_known() -> None:
    assert problems(("stage", "load"), told=False) == ()
    assert problems(()) == ()
