"""The recorded answers of compilers fit the questions that lie beside them.

No compiler is run. What is held here: every question has its answer, none is left over, and the
numbers of a class are possible ones.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .record_calls import functions
from .record_layouts import questions
from .record_types import spellings

FOLDER = Path(__file__).resolve().parent
LAYOUT_FILES = sorted((FOLDER / "layouts").glob("*.cu"))
CALL_FILES = sorted((FOLDER / "calls").glob("*.cu"))


@cache
def loaded(name: str) -> dict[str, Any]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    result: dict[str, Any] = tomllib.loads(text) if name.endswith("toml") else json.loads(text)
    return result


@pytest.mark.parametrize("group", sorted(loaded("types_asked.toml")))
def test_every_spelling_has_an_answer_or_a_refusal(group: str) -> None:
    asked, told = loaded("types_asked.toml")[group], loaded("types.toml")[group]
    refused = {name for names in told.get("refused", {}).values() for name in names}
    assert set(spellings(asked)) == set(told["types"]) | refused
    assert told["compilers"] == asked["compilers"]
    assert set(asked["compilers"]) <= set(loaded("types.toml")["compilers"])


@pytest.mark.parametrize("group", sorted(loaded("types_asked.toml")))
def test_sizes_are_whole_alignments(group: str) -> None:
    told = loaded("types.toml")[group]
    for layouts in [told["types"], *told.get("differs", {}).values()]:
        assert impossible(layouts) == {}


def impossible(layouts: dict[str, list[int]]) -> dict[str, list[int]]:
    """The types whose alignment is no power of two or does not divide their size."""
    return {
        name: [size, align]
        for name, [size, align] in layouts.items()
        if align.bit_count() != 1 or size % align
    }


def test_types_read_from_headers_name_them() -> None:
    for group in loaded("types_read.toml").values():
        assert group["source"].startswith("github.com/")
        assert impossible(group["types"]) == {}


@pytest.mark.parametrize("source", LAYOUT_FILES, ids=lambda path: path.stem)
def test_every_class_has_its_layout(source: Path) -> None:
    told = loaded("layouts.json")["layouts"][source.name]
    asked = questions(source.read_text(encoding="utf-8"))
    assert [q.name for q in asked] == list(told)
    assert [(*q.fields,) for q in asked] == [(*told[q.name].get("fields", {}),) for q in asked]
    assert [(*q.bits,) for q in asked] == [(*told[q.name].get("bits", {}),) for q in asked]


@pytest.mark.parametrize("source", LAYOUT_FILES, ids=lambda path: path.stem)
def test_fields_lie_in_their_class(source: Path) -> None:
    for layout in loaded("layouts.json")["layouts"][source.name].values():
        assert layout["size"] % layout["align"] == 0
        fields = layout.get("fields", {}).values()
        ends = [offset + size for offset, size in fields if None not in (offset, size)]
        ends += [(first + width + 7) // 8 for first, width in layout.get("bits", {}).values()]
        assert max(ends, default=0) <= layout["size"]


@pytest.mark.parametrize("source", CALL_FILES, ids=lambda path: path.stem)
def test_every_function_has_its_answer(source: Path) -> None:
    told = loaded("calls.json")["answers"][source.name]
    assert functions(source.read_text(encoding="utf-8")) == list(told)
    assert [name for name, value in told.items() if type(value) is not int] == []


@pytest.mark.parametrize("name", ["layouts", "calls"])
def test_no_answer_without_a_source(name: str) -> None:
    told = loaded(f"{name}.json")
    answers = told["answers" if name == "calls" else "layouts"]
    assert sorted(answers) == [path.name for path in sorted((FOLDER / name).glob("*.cu"))]
    assert set(told["differs"]) | set(told["refused"]) <= set(told["compilers"])
