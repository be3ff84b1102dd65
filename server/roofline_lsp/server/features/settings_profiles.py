"""``roofline/settingsProfiles``: the named settings that a person can switch between."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping

from roofline_core.settings import Settings
from roofline_lsp.formats.json import Json
from roofline_lsp.server.features.edit_profile import written_sizes

METHOD = "roofline/settingsProfiles"
"""A request without parameters, or with ``{"textDocument": {"uri": ...}}``."""


def settings_profiles(
    settings: Settings,
    tables: Mapping[str, Mapping[str, object]],
    editable: Collection[str] = (),
) -> Json:
    """``current``, the profile that the settings use or null, and ``profiles``.

    Of each its ``name`` and ``sets``: what it sets, as a line for people; ``args`` and ``sizes``,
    as ``roofline/editSettingsProfile`` takes them, and ``editable``, whether it stands in the
    project's file alone. ``tables`` has the checked settings of each profile by its name.
    """
    listed: list[Json] = [
        {
            "name": name,
            "sets": ", ".join(_said(key, value) for key, value in table.items()),
            "args": _command_line(table.get("args")),
            "sizes": written_sizes(table.get("kernels")),
            "editable": name in editable,
        }
        for name, table in tables.items()
    ]
    return {"current": settings.settings_profile, "profiles": listed}


def _command_line(args: object) -> str:
    return shlex.join(args) if isinstance(args, tuple) else ""


def _said(key: str, value: object) -> str:
    """``gpu = A100``; of what is no text, number or list of texts the key alone."""
    name = key.replace("_", "-")
    if isinstance(value, bool):
        return f"{name} = {str(value).lower()}"
    if isinstance(value, str | int | float):
        return f"{name} = {value}"
    if isinstance(value, tuple) and value and all(isinstance(each, str) for each in value):
        return f"{name} = {' '.join(value)}"
    return name
