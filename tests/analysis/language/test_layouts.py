"""Layouts of classes, against what g++ and nvcc say of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.types import Type
from roofline_parsers.reading.load import load_program
from tests.analysis.language.conftest import Ask

FOLDER = Path(__file__).parent
LAYOUTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "layouts.json").read_text())["layouts"]

UNKNOWN = frozenset(("held_triple",))
"""Classes of which something is not known, and said to be: templates within templates."""


def _types(file: str) -> TypeSystem:
    path = FOLDER / "layouts" / file
    program = load_program([path], lambda p: p.read_bytes() if p == path else None)
    return TypeSystem(Symbols(program))


def _found(types: TypeSystem, name: str, answer: dict[str, Any]) -> dict[str, Any]:
    closed = types.resolve(Type(name))
    layout = types.layout(closed)
    found: dict[str, Any] = {"size": types.size(closed), "align": types.alignment(closed)}
    if layout is None and found["size"] is not None:
        return found  # An enumeration is the integer under it.
    if layout is None or layout.assumed:
        return {"unknown": layout.assumed if layout is not None else closed.name}
    for key, wanted in answer.get("fields", {}).items():
        place = _place(types, layout, key.split("."))
        found.setdefault("fields", {})[key] = [place[0], wanted[1] and place[1]] if place else None
    for key in answer.get("bits", {}):
        field = layout.fields.get(key)
        start = field.offset_bytes * 8 + field.bit_offset if field is not None else None
        found.setdefault("bits", {})[key] = [start, field.bits if field is not None else None]
    return found


def _place(types: TypeSystem, layout: Any, path: list[str]) -> tuple[int, int] | None:
    offset, size = 0, 0
    for name in path:
        field = layout.fields.get(name) if layout is not None else None
        if field is None:
            return None
        offset, size = offset + field.offset_bytes, field.size_bytes
        layout = types.layout(field.type)
    return offset, size


@pytest.mark.parametrize("file", sorted(LAYOUTS))
def test_classes_lie_in_memory_as_compilers_lay_them_out(file: str) -> None:
    types = _types(file)
    wrong = {}
    for name, answer in LAYOUTS[file].items():
        found = _found(types, name, answer)
        assert (name in UNKNOWN) == ("unknown" in found), name
        if found != answer and name not in UNKNOWN:
            wrong[name] = (answer, found)
    assert wrong == {}


@pytest.mark.parametrize("file", sorted(LAYOUTS))
def test_host_and_device_agree_on_the_sizes_of_classes(ask: Ask, file: str) -> None:
    source = (FOLDER / "layouts" / file).read_text()
    asked = ask(source, [f"sizeof({name})" for name in LAYOUTS[file]])
    assert asked.host() == asked.device()
