"""``roofline/editSettingsProfile``: argument sets added, changed, renamed and taken away.

What is wrong with what a person wrote comes back as a sentence about one field.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roofline_analysis.api.formula import ContractError
from roofline_analysis.api.stated_sizes import settings_sizes
from roofline_core.settings import SHARED_FILE, SettingsError, validate
from roofline_core.settings.profile_edit import ArgumentSet, change_profile
from roofline_lsp.formats.json import Json
from roofline_lsp.server.documents.places import uri_of
from roofline_lsp.server.features.excluded import SettingsFile

METHOD = "roofline/editSettingsProfile"
"""A request with ``profile``, the present name or null, and ``becomes``, which may be null.

``becomes`` has ``name``, ``args`` and ``sizes`` as a person wrote them; ``textDocument`` may be
left out.
"""

_LONGEST_NAME: Final = 60
_LINE: Final = re.compile(r"(?:(?P<pattern>[^=]*[^=:\s])\s*:(?!:))?\s*(?P<sizes>[^:]*=.*)")
_ALL: Final = "*"


@dataclass(frozen=True, slots=True)
class Written:
    """An argument set as a person wrote it."""

    name: str
    args: str
    """The program's command line, as for a shell."""
    sizes: str
    """Lines such as ``saxpy*: n = 4096, grid = (256, 1, 1)``; without a name, of all kernels."""


class FieldError(Exception):
    """What is wrong with a field of a form, and what would be right."""

    def __init__(self, field: str, message: str) -> None:
        """``field`` is ``name``, ``args``, ``sizes`` or, for the settings file, ``file``."""
        super().__init__(message)
        self.field = field


def edit_profile(
    file: SettingsFile | None,
    profiles: Mapping[str, object],
    default: str | None,
    profile: str | None,
    becomes: Written | None,
) -> Json:
    """``uri``, ``exists`` and ``text`` of the settings file after the change; or ``problem``.

    ``problem`` has ``field`` and ``message``. ``profiles`` has all profiles by name, ``default`` is
    the one that the file itself names.
    """
    try:
        return _edited(file, profiles, default, profile, becomes)
    except FieldError as error:
        return {"problem": {"field": error.field, "message": str(error)}}


def _edited(
    file: SettingsFile | None,
    profiles: Mapping[str, object],
    default: str | None,
    profile: str | None,
    becomes: Written | None,
) -> Json:
    uri = uri_of(file.path) if file is not None else None
    if file is None or uri is None:
        raise FieldError("file", "the project's settings file cannot be read")
    if profile is not None and profile == default and (becomes is None or becomes.name != profile):
        raise FieldError(
            "name",
            f"{file.path.name} itself names this set in its line 'settings-profile': change that"
            " line first",
        )
    new = _checked(file, profiles, profile, becomes) if becomes is not None else None
    shared = file.path.name == SHARED_FILE
    text = change_profile(file.text or "", profile, new, shared=shared)
    if text is None:
        raise FieldError(
            "file",
            f"{file.path.name} is not written so that this set alone can be changed: edit it there",
        )
    return {"uri": uri, "exists": file.text is not None, "text": text}


def _checked(
    file: SettingsFile, profiles: Mapping[str, object], profile: str | None, becomes: Written
) -> ArgumentSet:
    name, args = becomes.name.strip(), becomes.args.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise FieldError("name", f"a name has 1 to {_LONGEST_NAME} characters that can be seen")
    if name != profile and name in profiles:
        raise FieldError("name", f"there is a set '{name}' already")
    try:
        shlex.split(args)
    except ValueError as error:
        raise FieldError("args", f"a shell cannot read this: {str(error).lower()}") from None
    if not args.isprintable():
        raise FieldError("args", "a command line is one line")
    new = ArgumentSet(name, args, read_lines(becomes.sizes))
    if not (args or new.sizes or profile):
        raise FieldError("args", "give arguments, or sizes below")
    table: dict[str, object] = {"kernels": new.sizes} if new.sizes else {}
    try:
        validate({"profiles": {name: table}}, origin=file.path.name, folder=file.path.parent)
    except SettingsError as error:
        raise FieldError("sizes", str(error)) from None
    return new


def read_lines(text: str) -> dict[str, dict[str, object]]:
    """Sizes by pattern of kernels' names. Raises FieldError."""
    found: dict[str, dict[str, object]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise FieldError("sizes", f"write NAME = NUMBER or KERNEL: NAME = NUMBER, not '{line}'")
        try:
            sizes = settings_sizes(parts["sizes"])
        except ContractError as error:
            raise FieldError("sizes", f"'{line}': {error}") from None
        found.setdefault((parts["pattern"] or _ALL).strip(), {}).update(sizes)
    return found


def written_sizes(kernels: object) -> str:
    """The lines of a profile's checked ``kernels``, as ``read_lines`` reads them."""
    pairs = kernels if isinstance(kernels, tuple) else ()
    return "\n".join(
        sizes if pattern == _ALL else f"{pattern}: {sizes}" for pattern, sizes in pairs
    )
