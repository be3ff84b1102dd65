"""Settings of several origins, put together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roofline_core.settings.advisor import AdvisorSettings
from roofline_core.settings.files import load, load_personal, locate
from roofline_core.settings.model import Settings
from roofline_core.settings.validate import Layer, validate


def merge(*layers: Layer) -> Settings:
    """The defaults with each layer laid over them, the strongest last.

    A list replaces the weaker one as a whole, a table key by key. The advisor is off where any
    layer turns it off, so that a project can forbid that its sources are sent away.
    """
    values = {key: value for layer in layers for key, value in layer.values.items()}
    tables: list[Mapping[str, Any]] = [
        table for layer in layers if isinstance(table := layer.values.get("advisor"), Mapping)
    ]
    advisor = {key: value for table in tables for key, value in table.items()}
    said = [table["enabled"] for table in tables if "enabled" in table]
    advisor["enabled"] = bool(said) and all(said)
    shared = {key: layer.shared for layer in layers for key in layer.values}
    merged: dict[str, Any] = {
        **values,
        "advisor": AdvisorSettings(**advisor),
        "from_project": frozenset(key for key, is_shared in shared.items() if is_shared),
        "warnings": tuple(warning for layer in layers for warning in layer.warnings),
    }
    return Settings(**merged)


def from_json(values: Mapping[str, object], *, origin: str, folder: Path) -> Layer:
    """Settings as an editor sends them: the same keys in camelCase. Raises SettingsError."""
    return validate(values, origin=origin, folder=folder, style="camel")


def resolve(start: Path, *stronger: Layer, file: Path | None = None) -> Settings:
    """The settings for ``start``, the ``stronger`` layers last.

    Below them are the defaults, the person's own file and that of the project.
    ``file`` names the settings file instead of searching for one upwards from ``start``; as someone
    chose it, it may set everything. Raises SettingsError.
    """
    personal = load_personal()
    found = locate(start) if file is None else None
    project = load(file, shared=False) if file is not None else load(found) if found else None
    layers = (layer for layer in (personal, project) if layer is not None)
    return merge(*layers, *stronger)
