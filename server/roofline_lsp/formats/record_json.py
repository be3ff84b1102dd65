"""Records as values that JSON can hold, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from roofline_core.program.precision import Precision
from roofline_lsp.formats.rounding import rounded

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
