"""Sizes of all types of every dialect, asked of host and device, against what compilers say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.language.conftest import Ask

TYPES: dict[str, Any] = tomllib.loads((Path(__file__).parent / "types.toml").read_text())
GROUPS = [name for name in TYPES if name != "compilers" and "opencl" not in TYPES[name]["dialects"]]


NOT_READ = ("int Holder::*", "void (Holder::*)(int)", "__signed__ int")
"""Spellings that the grammar does not take for types."""


@pytest.mark.parametrize("group", GROUPS)
def test_host_and_device_agree_with_compilers_or_name_an_unknown(ask: Ask, group: str) -> None:
    table = TYPES[group]
    spelled = {name: size for name, (size, _) in table["types"].items() if "&" not in name}
    spelled = {name: size for name, size in spelled.items() if name not in NOT_READ}
    asked = ask(table.get("prelude", ""), [f"sizeof({name})" for name in spelled])
    host, device = asked.host(), asked.device()
    wrong = {
        name: (expected, on_host, on_device)
        for (name, expected), on_host, on_device in zip(spelled.items(), host, device, strict=True)
        if on_host != on_device or on_host not in (expected, None)
    }
    assert wrong == {}
