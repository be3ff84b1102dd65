"""Modules as they are compiled: what they say in Python is what the sources say."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

BASE = '''"""Words."""

from __future__ import annotations

from collections.abc import Mapping

from roofline_core.program.records import record


def usual() -> int:
    return 7


@record(frozen=True, slots=True)
class Word:
    """A word."""

    text: str
    """As written."""
    count: int = usual()
    table: Mapping[str, int] | None = None
'''
DERIVED = '''"""Phrases."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from roofline_core.program.records import record
from told_words import Word


@record(frozen=True, slots=True)
class Phrase(Word):
    """More words."""

    rest: tuple[str, ...] = ()
    seen: int = field(default=0, compare=False, repr=False)


@dataclass(slots=True, eq=False)
class Count:
    """Counts."""

    __slots__: typing.ClassVar = ()
    of: dict[str, int] = field(default_factory=dict)
    total: int = field(default=3, init=False)


class Length:
    """Kept."""

    __slots__ = ("text", "__dict__")

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked = 0

    @cached_property
    def letters(self) -> int:
        """How many there are."""
        self.asked += 1
        return len(self.text)


def inside(key: str, others: list[str], table: dict[tuple[str, ...], int]) -> tuple[bool, int]:
    return key in ("a", *others), table[key, *others]
'''.replace("    __slots__: typing.ClassVar = ()\n", "")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The second module above, both as they are compiled."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "compiled"))
    rewriting = importlib.import_module("rewriting")
    index_of = importlib.import_module("module_index").ModuleIndex
    names = {"told_words": BASE, "told_phrases": DERIVED}
    paths = {name: tmp_path / f"{name}.py" for name in names}
    for name, text in names.items():
        paths[name].write_text(rewriting.with_tuples_made(text))
    index = index_of(paths)
    for name, path in paths.items():
        path.write_text(rewriting.rewritten(name, path.read_text(), index))
    told = rewriting.TOLD_FIELDS.rpartition(".")[2]
    (tmp_path / f"{told}.py").write_text(rewriting.TOLD_FIELDS_TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, rewriting.TOLD_FIELDS, importlib.import_module(told))
    yield importlib.import_module("told_phrases")
    for name in (*names, told):
        sys.modules.pop(name, None)


def test_a_record_is_what_its_decorator_makes(made: ModuleType) -> None:
    phrase = made.Phrase("one", rest=("two",), seen=4)
    assert phrase.count == 7
    assert repr(phrase) == "Phrase(text='one', count=7, table=None, rest=('two',))"
    same = made.Phrase("one", rest=("two",), seen=5)
    assert phrase == same
    assert hash(phrase) == hash(same)
    assert phrase != made.Phrase("one")
    assert phrase != "one"
    assert pickle.loads(pickle.dumps(phrase)) == phrase
    assert pickle.loads(pickle.dumps(phrase)).seen == 4
    assert dataclasses.replace(phrase, text="three").text == "three"
    assert [each.name for each in dataclasses.fields(phrase)] == [
        *("text", "count", "table", "rest", "seen"),
    ]
    assert typing.get_type_hints(made.Phrase)["rest"] == tuple[str, ...]


def test_objects_that_are_alike_by_chance_differ(made: ModuleType) -> None:
    first, second = made.Count(), made.Count()
    assert first != second
    first.of["a"] = 1
    assert second.of == {}
    assert first.total == 3
    with pytest.raises(TypeError):
        made.Count({}, 4)


def test_a_kept_property_is_worked_out_once(made: ModuleType) -> None:
    length = made.Length("four")
    assert (length.letters, length.letters, length.asked) == (4, 4, 1)


def test_tuples_with_stars_stay_what_they_are(made: ModuleType) -> None:
    assert made.inside("b", ["b"], {("b", "b"): 5}) == (True, 5)
    assert made.inside("c", ["b"], {("c", "b"): 5}) == (False, 5)


def test_what_does_not_exist_is_not_left_out() -> None:
    """Names of rooms.py that nothing has would keep nothing from being compiled."""
    sys.path.insert(0, str(ROOT / "scripts" / "compiled"))
    try:
        rooms = importlib.import_module("rooms")
    finally:
        sys.path.pop(0)
    for stay in rooms._STAY:
        (folder,) = (ROOT / each for each in rooms.PACKAGES if stay.startswith(Path(each).name))
        place = folder.parent / stay.replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file(), stay
