"""``roofline-lsp doctor``: what a report of a fault should say, and nothing private."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from roofline_advisor.cache import cache_folder
from roofline_core.program.errors import RooflineError
from roofline_core.settings import AdvisorSettings, Settings, locate, personal_file
from roofline_core.text.units import counted
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.options import resolved
from roofline_lsp.cli.output import write
from roofline_lsp.formats.error_file import KeptError, error_file, forget_errors, kept_errors
from roofline_lsp.formats.tool import tool_version

_MOST_ERRORS: Final = 5
_PRIVATE: Final = frozenset({"test_command", "defines", "args"})
"""Settings that are told by their number alone: they may hold keys and sources."""
_KEYS: Final = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")

_NO_SETTINGS = frozenset({"advisor", "from_project", "origins", "warnings"})
"""Fields of the settings that are shown by themselves, or that say where others are from."""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp doctor",
        description="Tell what a report of a fault should say: versions, settings that are not the"
        " defaults, and the last internal errors. No key and no source is among it.",
        allow_abbrev=False,
    )
    made.add_argument("--config", type=Path, metavar="FILE", help="a settings file to use")
    made.add_argument("--forget", action="store_true", help="delete the internal errors kept")
    return made


def run(argv: Sequence[str]) -> int:
    """Print it, or delete the errors, and return the exit code. Raises RooflineError."""
    options = parser().parse_args(argv)
    if options.forget:
        write(f"{error_file()}: {_forgotten()}\n")
        return OK
    write("\n".join((*_versions(), *_settings(options.config), *_errors())) + "\n")
    return OK


def _forgotten() -> str:
    try:
        return "deleted" if forget_errors() else "there is none"
    except OSError as error:
        raise RooflineError(f"{error_file()}: cannot be deleted: {error.strerror}") from None


def _versions() -> Iterator[str]:
    yield f"roofline-lsp  {tool_version()}"
    yield f"python        {platform.python_version()} ({platform.python_implementation()})"
    yield f"system        {platform.system()} {platform.release()} {platform.machine()}"
    for name in _required():
        try:
            yield f"  {name:20} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            yield f"  {name:20} is not installed"


def _required() -> list[str]:
    """The libraries that an installation needs, without those of extras."""
    try:
        wanted = importlib.metadata.requires("roofline-lsp") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    names = (re.match(r"[\w.-]+", each) for each in wanted if "extra ==" not in each)
    return [name[0] for name in names if name is not None]


def _settings(file: Path | None) -> Iterator[str]:
    yield ""
    for what, path in (
        ("own settings", personal_file()),
        ("project's", file or locate(Path.cwd())),
    ):
        found = path is not None and path.is_file()
        yield f"{what:13} {path if found else 'none'}"
    try:
        settings = resolved(Path.cwd(), file=file)
    except RooflineError as error:
        without_value = str(error).partition(", not ")[0]
        yield f"settings      not valid: {without_value}"
        return
    yield from _changed(settings, Settings(), "")
    yield from _changed(settings.advisor, AdvisorSettings(), "advisor.")
    for name in _KEYS:
        yield f"  {name:28} {'set' if os.environ.get(name) else 'not set'}"
    yield f"replies       {cache_folder(settings.advisor)}"


def _changed(
    settings: Settings | AdvisorSettings, default: Settings | AdvisorSettings, before: str
) -> Iterator[str]:
    """The settings that are not the defaults."""
    for each in fields(settings):
        value = getattr(settings, each.name)
        if value != getattr(default, each.name) and each.name not in _NO_SETTINGS:
            key = before + each.name.replace("_", "-")
            yield f"  {key:28} {_shown(each.name, value)}"


def _shown(name: str, value: object) -> str:
    if name in _PRIVATE:
        count = len(value) if isinstance(value, tuple) else 1
        return f"({counted(count, 'value')}, not shown)"
    if name == "base_url":
        return urlsplit(str(value)).hostname or "(not shown)"
    if isinstance(value, tuple | frozenset):
        return ", ".join(sorted(map(str, value))) or "none"
    return str(value)


def _errors() -> Iterator[str]:
    found = kept_errors()
    yield ""
    if not found:
        yield f"internal errors: none kept in {error_file()}"
        return
    yield f"internal errors: {len(found)} kept in {error_file()}"
    yield "(to delete them: roofline-lsp doctor --forget)"
    for error in found[-_MOST_ERRORS:]:
        yield from _error(error)


def _error(error: KeptError) -> Iterator[str]:
    yield f"  {error.time}  {error.version}  {error.error}"
    yield from (f"    {frame}" for frame in error.frames)
