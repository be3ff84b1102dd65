"""Settings of several origins, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from roofline_core.settings.advisor import AdvisorSettings
from roofline_core.settings.errors import SettingsError, suggestion
from roofline_core.settings.files import load, load_personal, locate
from roofline_core.settings.model import Settings
from roofline_core.settings.validate import Layer, validate

_BY_PATTERN = ("kernels", "per_program_args")
"""Tables of which weaker origins' patterns stay, behind those of stronger ones."""


def merge(*layers: Layer) -> Settings:
    """The defaults with each layer laid over them, the strongest last.

    A list replaces the weaker one as a whole, and so does a table but for ``advisor``, ``kernels``
    and ``per_program_args``. The advisor is off where any layer turns it off, so that a project can
    forbid that its sources are sent away. The profile that the strongest layer names goes before
    the other settings of each layer that has it. Raises SettingsError where none has.
    """
    names, chosen = profile_names(layers), _chosen(layers)
    layers = tuple(_with_profile(layer, chosen) for layer in layers)
    values = {key: value for layer in layers for key, value in layer.values.items()}
    values |= {key: _by_pattern(key, layers) for key in _BY_PATTERN}
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
        "profiles": names,
        "from_project": frozenset(key for key, is_shared in shared.items() if is_shared),
        "origins": {key: layer.origin for layer in layers for key in layer.values},
        "warnings": tuple(warning for layer in layers for warning in layer.warnings),
    }
    return Settings(**merged)


def profile_names(layers: Sequence[Layer]) -> tuple[str, ...]:
    """The names of all profiles of some layers."""
    tables = (_table(layer) for layer in layers)
    return tuple(dict.fromkeys(name for table in tables for name in table))


def _chosen(layers: Sequence[Layer]) -> str | None:
    """The profile that the strongest layer names. Raises SettingsError where there is none such."""
    naming = [layer for layer in layers if "settings_profile" in layer.values]
    if not naming:
        return None
    name = str(naming[-1].values["settings_profile"])
    names = profile_names(layers)
    if name not in names:
        hint = suggestion(name, names)
        there = f"; there are {', '.join(names)}" if names else "; no file has [profiles.NAME]"
        raise SettingsError(
            f"{naming[-1].origin}: there is no settings profile '{name}'{hint or there}"
        )
    return name


def _table(layer: Layer) -> Mapping[str, Mapping[str, Any]]:
    table = layer.values.get("profiles")
    return table if isinstance(table, Mapping) else {}


def _with_profile(layer: Layer, chosen: str | None) -> Layer:
    """A layer with the settings of a profile of its own over its others."""
    over = _table(layer).get(chosen) if chosen is not None else None
    if over is None:
        return layer
    below = dict(layer.values)
    if "args" in over:
        below.pop("per_program_args", None)
    joined: dict[str, object] = {}
    for key in (each for each in _BY_PATTERN if each in over):
        weaker: Any = below.get(key, ())
        joined[key] = (*over[key], *weaker)
    return replace(layer, values={**below, **over, **joined})


def _by_pattern(key: str, layers: Sequence[Layer]) -> tuple[tuple[str, Any], ...]:
    """The patterns of all layers, those of the strongest first; ``args`` ends weaker ones."""
    found: tuple[tuple[str, Any], ...] = ()
    for layer in layers:
        own: Any = layer.values.get(key, ())
        ends = key == "per_program_args" and "args" in layer.values
        found = (*own, *(() if ends else found))
    return found


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
