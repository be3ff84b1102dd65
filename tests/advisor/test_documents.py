"""docs/advisor.md tells of every setting, with its default."""

from __future__ import annotations

import re
from pathlib import Path

from roofline_core.settings import AdvisorSettings, setting_names

TEXT = (Path(__file__).parents[2] / "docs" / "advisor.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.*?) \| (.*?) \| .* \|$", TEXT, re.MULTILINE)


def test_every_setting_is_told_of_once() -> None:
    told = [name for names, _ in ROWS for name in re.findall(r"`([\w-]+)`", names)]
    assert sorted(told) == sorted(setting_names("kebab", "advisor"))


def test_the_defaults_are_right() -> None:
    defaults = AdvisorSettings()
    for names, values in ROWS:
        keys = re.findall(r"`([\w-]+)`", names)
        shown = [value.strip("`") for value in values.split(", ")]
        for key, value in zip(keys, shown, strict=True):
            default = getattr(defaults, key.replace("-", "_"))
            if isinstance(default, bool):
                assert value == str(default).lower(), key
            elif isinstance(default, (int, float)):
                assert float(value) == default, key
            elif default is not None:
                assert value == default, key
