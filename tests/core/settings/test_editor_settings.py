"""The settings of the VS Code extension are the program's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

from roofline_core.settings import CLOCKS, VERDICT_RULES, Settings, setting_names

EXTENSION = Path(__file__).parents[3] / "editor-clients" / "vscode"


def sent() -> list[str]:
    """The settings that the extension sends to the server."""
    text = (EXTENSION / "src" / "settings.ts").read_text(encoding="utf-8")
    (names,) = re.findall(r"const SERVER_SETTINGS = \[([^\]]*)\]", text)
    return re.findall(r'"(\w+)"', names)


def declared() -> dict[str, dict[str, object]]:
    """The settings that the extension declares, by key."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    found: dict[str, dict[str, object]] = manifest["contributes"]["configuration"]["properties"]
    return found


def test_what_is_sent_is_declared_and_known() -> None:
    assert {"gpu", "rule", "notes"} <= set(sent()) <= set(setting_names("camel"))
    assert {f"roofline.{name}" for name in sent()} <= set(declared())


def test_choices_and_defaults_are_the_program_s() -> None:
    for name, choices in (("clock", CLOCKS), ("rule", VERDICT_RULES)):
        setting = declared()[f"roofline.{name}"]
        assert sorted(map(str, setting["enum"])) == sorted(choices)  # type: ignore[call-overload]
        assert setting["default"] == getattr(Settings(), name)
