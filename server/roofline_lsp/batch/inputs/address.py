"""What a person names that is no path: an archive, a URL as fsspec spells them, or a table."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, unquote

from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record
from roofline_core.settings import suggestion

_ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(?:://|::)")
_ARCHIVES: Final = ("zip", "tar")
_TABLE: Final = "parquet"
_LOCAL: Final = ("file", "local")
_COLUMNS: Final = ("text", "path", "project", "suffix")


class InputError(RooflineError):
    """An input that cannot be opened, or an address that is not understood."""


@record(frozen=True, slots=True)
class TableColumns:
    """Where a table has what: the names of its columns."""

    text: str
    """The source's text."""
    path: str | None = None
    """The source's path in its project; None: each row is a program by itself."""
    project: str | None = None
    """The project of a source; None: the table is one project."""
    suffix: str = ".cu"
    """The ending of sources without a path, which tells their language."""


@record(frozen=True, slots=True)
class InputAddress:
    """An input as a person names it."""

    text: str
    """As it was given; what stands in reports before the ``#``."""
    kind: str
    """``zip``, ``tar``, ``parquet``, or ``tree`` for whatever else fsspec opens."""
    target: str
    """The archive or table, a path or URL; of a tree the URL."""
    folder: str = ""
    """Of an archive: the members below this folder alone are meant; empty: all."""
    columns: TableColumns | None = None
    """Of a table."""


def is_address(text: str) -> bool:
    """Whether a word of the command line is no path."""
    return _ADDRESS.match(text) is not None


def local_path(text: str) -> str | None:
    """The path that an address such as ``file:///data/src`` means; None for any other address."""
    match = _ADDRESS.match(text)
    if match is None or match[1].lower() not in _LOCAL or "::" in text:
        return None
    return text[match.end() :]


def read_address(text: str) -> InputAddress:
    """An address taken apart.

    ``zip://[FOLDER]::ARCHIVE`` and ``tar://...`` as fsspec writes them, or ``zip://ARCHIVE``;
    ``parquet://FILE?text=COLUMN&path=COLUMN&project=COLUMN``; else what fsspec opens. ARCHIVE and
    FILE are paths or addresses. Raises InputError.
    """
    match = _ADDRESS.match(text)
    if match is None:
        raise InputError(f"'{text}' is no address")
    kind, rest = match[1].lower(), text[match.end() :]
    if kind == _TABLE:
        file, _, query = rest.rpartition("?")
        if not file:
            raise InputError(f"{text}: which column has the sources? write {text}?text=COLUMN")
        return InputAddress(text, kind, file, columns=_columns(text, query))
    if kind in _ARCHIVES:
        folder, sign, target = rest.partition("::")
        if not sign:
            folder, target = "", rest
        if not target:
            raise InputError(f"{text}: names no archive; write {kind}://ARCHIVE")
        return InputAddress(text, kind, target, folder.strip("/"))
    return InputAddress(text, "tree", text)


def _columns(text: str, query: str) -> TableColumns:
    given: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _COLUMNS:
            near = suggestion(name, _COLUMNS) or f"; there are {', '.join(_COLUMNS)}"
            raise InputError(f"{text}: there is no part '{name}'{near}")
        given[name] = unquote(value)
    if not given.get("text"):
        raise InputError(f"{text}: which column has the sources? add text=COLUMN")
    if "project" in given and "path" not in given:
        raise InputError(f"{text}: project=COLUMN needs path=COLUMN")
    return TableColumns(**given)
