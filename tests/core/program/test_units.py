"""Programs as their translation units."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from roofline_core.program.units import Program, TranslationUnit


def _unit(name: str, *includes: TranslationUnit) -> TranslationUnit:
    return TranslationUnit(Path(name), includes=includes)


def test_units_come_behind_what_they_include_once() -> None:
    header = _unit("h.cuh")
    first, second = _unit("a.cu", header), _unit("b.cu", header)
    assert Program((first, second)).all_units() == (header, first, second)


@pytest.mark.sources
def test_a_program_goes_when_nothing_names_it() -> None:
    unit = _unit("a.cu", _unit("h.cuh"))
    program, seen = Program((unit,)), weakref.ref(unit)
    gc.disable()
    try:
        assert len(program.all_units()) == 2
        del program, unit
        assert seen() is None
    finally:
        gc.enable()
