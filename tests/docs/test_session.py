"""The animated terminal session: what is recorded, and how it is drawn."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def session() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_session", ROOT / "docs" / "session.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_colours_become_classes_until_they_are_reset(session: ModuleType) -> None:
    line = "a \x1b[1;32m<b>\x1b[0m c\x1b[31md\x1b[1me"
    assert session.spans(line) == (
        'a <tspan class="b g">&lt;b&gt;</tspan> c<tspan class="r">d</tspan>'
        '<tspan class="r b">e</tspan>'
    )


def test_commands_run_in_a_terminal_and_say_the_rest_first(
    session: ModuleType, tmp_path: Path
) -> None:
    command = "echo out; echo err >&2; test -t 1 && echo terminal; stty size < /dev/stdout"
    assert session.run(command, tmp_path) == "err\nout\nterminal\n22 110\n"


def test_screens_follow_one_another(session: ModuleType) -> None:
    made = session.picture([("one", "first\n", 4.0), ("second", "a\nb & c\n", 6.0)])
    root = ET.fromstring(made)
    groups = list(root.findall(f"{SVG}g"))
    assert [each.attrib["id"] for each in groups] == ["s0", "s1"]
    assert ["".join(each.itertext()) for each in groups[1].iter(f"{SVG}text")] == [
        "$ second",
        "a",
        "b & c",
    ]
    style = root.findtext(f"{SVG}style") or ""
    assert "@keyframes s1{0%{opacity:0}40.000%{opacity:1}100.000%{opacity:0}" in style
    assert "@keyframes o0{0%{opacity:0}16.000%{opacity:1}" in style
    assert "#s0{opacity:0}" in style  # where no motion is wanted the last screen stands
    assert "#s1{opacity:1}" in style


def test_a_picture_that_shows_something_else_is_told(
    session: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(session, "COMMANDS", (("echo one", 2.0),))
    monkeypatch.setattr(session, "PICTURE", tmp_path / "session.svg")
    monkeypatch.setattr(sys, "argv", ["session.py"])
    assert session.main() == 0
    monkeypatch.setattr(sys, "argv", ["session.py", "--check"])
    assert session.main() == 0
    monkeypatch.setattr(session, "COMMANDS", (("echo two", 2.0),))
    assert session.main() == 1
    assert "does not show what its commands print" in capsys.readouterr().out
