"""Records as values that JSON can hold, field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import resources
from pathlib import Path
from typing import Any, Final

from roofline_core.program.precision import Precision
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.rounding import rounded
from roofline_lsp.formats.tool import TOOL_NAME, tool_version

KEYS: Final[Mapping[str, str]] = {
    "verdict": "class",
    "study_verdict": "study_class",
    "verdict_facts": "verdict",
    "ridges": "ridges_ops_per_byte",
    "form": "kind",
    "mode": "kind",
}
"""Fields whose keys have other names, those of the report."""


def record_json(value: object) -> dict[str, object]:
    """The fields of a record; an unknown number is None. Tables are by precision."""
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
        return {each.value: _plain(value.get(each)) for each in Precision}
    return record_json(value) if is_dataclass(value) else value


def record_document(record: Any, version: str) -> Json:
    """A published document: its schema's version, the tool, and the fields of a record."""
    return {
        "schema_version": version,
        "tool": {"name": TOOL_NAME, "version": tool_version()},
        **record_json(record),
    }


def document_text(document: Json) -> str:
    """JSON with two blanks of indentation."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def kept_schema(name: str) -> str:
    """The text of a published JSON Schema (draft 2020-12) by its file's name."""
    folder = resources.files("roofline_lsp.formats")
    return folder.joinpath("schema", name).read_text(encoding="utf-8")
