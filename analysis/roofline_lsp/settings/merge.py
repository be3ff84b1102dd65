"""Settings of several origins, put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from roofline_lsp.settings.files import load, locate
from roofline_lsp.settings.model import Settings
from roofline_lsp.settings.validate import Layer, validate


def merge(*layers: Layer) -> Settings:
    """The defaults with each layer laid over them, the strongest last.

    A list replaces the weaker one as a whole.
    """
    values: dict[str, Any] = {}
    for layer in layers:
        values.update(layer.values)
    return replace(Settings(), **values)


def from_json(values: Mapping[str, object], *, origin: str, folder: Path) -> Layer:
    """Settings as an editor sends them: the same keys in camelCase. Raises SettingsError."""
    return validate(values, origin=origin, folder=folder, style="camel")


def resolve(start: Path, *stronger: Layer, file: Path | None = None) -> Settings:
    """The settings for ``start``: the defaults, the settings file, then the ``stronger`` layers.

    ``file`` names the settings file instead of searching for one upwards from ``start``. Raises
    SettingsError.
    """
    path = file if file is not None else locate(start)
    layers = () if path is None else (load(path),)
    return merge(*layers, *stronger)
