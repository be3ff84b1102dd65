"""Overloads, specialisations, templates and constants: both interpreters, against compilers."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.analysis.language.conftest import Ask

FOLDER = Path(__file__).parent
ANSWERS: dict[str, dict[str, int]] = json.loads((FOLDER / "calls.json").read_text())["answers"]
FILES = sorted(set(ANSWERS) - {"architecture_macro.cu"})
"""That one differs between host and device by design."""


GAPS: dict[str, list[str]] = tomllib.loads((FOLDER / "gaps.toml").read_text())


@pytest.mark.parametrize("file", FILES)
def test_a_known_answer_is_the_compilers(ask: Ask, file: str) -> None:
    names = list(ANSWERS[file])
    asked = ask((FOLDER / "calls" / file).read_text(), [f"{name}()" for name in names])
    wrong = {
        name: (ANSWERS[file][name], host, device)
        for name, host, device in zip(names, asked.host(), asked.device(), strict=True)
        if host not in (ANSWERS[file][name], None) or device not in (ANSWERS[file][name], None)
    }
    listed = set(GAPS.get(file, ()))
    assert {name: found for name, found in wrong.items() if name not in listed} == {}
    assert listed == set(wrong)
