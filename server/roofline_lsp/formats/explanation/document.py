"""An explanation as JSON, field by field; ``schema/explanation.schema.json`` describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import resources
from pathlib import Path
from typing import Final

from roofline_analysis.api.explain.records import Explanation
from roofline_core.program.precision import Precision
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.rounding import rounded
from roofline_lsp.formats.tool import TOOL_NAME, tool_version

SCHEMA_VERSION: Final = "1.1"
"""Grows by 0.1 with a new key, by 1 where a key goes away or changes its meaning."""
SCHEMA: Final = "explanation.schema.json"

KEYS: Final[Mapping[str, str]] = {
    "verdict": "class",
    "study_verdict": "study_class",
    "verdict_facts": "verdict",
    "ridges": "ridges_ops_per_byte",
    "form": "kind",
    "mode": "kind",
}
"""Fields whose keys have other names, those of the report."""


def render(explanation: Explanation) -> str:
    """JSON with two blanks of indentation."""
    return json.dumps(document(explanation), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document(explanation: Explanation) -> Json:
    """The explanation as values that JSON can hold; an unknown number is None."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": TOOL_NAME, "version": tool_version()},
        **_object(explanation),
    }


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) that every explanation conforms to."""
    folder = resources.files("roofline_lsp.formats")
    return folder.joinpath("schema", SCHEMA).read_text(encoding="utf-8")


def _object(value: object) -> dict[str, object]:
    assert is_dataclass(value)
    return {KEYS.get(f.name, f.name): _plain(getattr(value, f.name)) for f in fields(value)}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        # All tables of an explanation are by precision.
        return {each.value: _plain(value.get(each)) for each in Precision}
    return _object(value) if is_dataclass(value) else value
