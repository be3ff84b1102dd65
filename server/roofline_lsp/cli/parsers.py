"""The parsers of all commands, for completion, the manual and the reference."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roofline_lsp.cli.main import COMMANDS, MODULES_BY_COMMAND, parser

MODES: Final[Mapping[str, str]] = {
    "check": "judge kernels and look for what could be faster",
    "validate": "hold measurements against predictions",
    "profile": "run a program under a profiler, or emulate it",
}
"""Commands that are options, too, and what they do."""

_PATHS: Final = ("FILE", "DIR", "FOLDER", "PATH", "CSV")
"""Words that stand in the help for the value of an option that names a file or folder."""
_FILES: Final = (*_PATHS, "REPORT", "COMMAND")
"""Beginnings of those that stand for files, or for a command that takes files."""


@dataclass(frozen=True, slots=True)
class CommandOption:
    """An option of a command."""

    names: tuple[str, ...]
    """``--jobs``; of several spellings the short one first."""
    value: str
    """``N``; empty for a switch."""
    help: str
    choices: tuple[str, ...]
    is_path: bool
    """Whether its value names a file or folder."""


@dataclass(frozen=True, slots=True)
class CommandTold:
    """A command with its options."""

    name: str
    what: str
    description: str
    epilog: str
    positionals: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Name, help and choices."""
    options: tuple[CommandOption, ...]

    @property
    def takes_files(self) -> bool:
        """Whether a word that is no option, after the choices if there are any, may be a file."""
        names = tuple(name for name, _, _ in self.positionals)
        return self.name == "profile" or any(name.startswith(_FILES) for name in names)


def commands_told() -> tuple[CommandTold, ...]:
    """Every command, ``check`` first, the others by name."""
    names = {**MODES, **COMMANDS}
    rest = sorted(each for each in names if each != "check")
    return tuple(_told(name, names[name]) for name in ("check", *rest))


def _told(name: str, what: str) -> CommandTold:
    made = parser() if name == "check" else _parser_of(name)
    hidden = {"check", "validate", "profile", "help"}
    actions = [each for each in made._actions if each.help != argparse.SUPPRESS]
    options = [each for each in actions if each.option_strings and each.dest not in hidden]
    positionals = [each for each in actions if not each.option_strings]
    shown = tuple(
        (_metavar(each), each.help or "", tuple(map(str, _choices(each)))) for each in positionals
    )
    return CommandTold(
        name,
        what,
        made.description or "",
        "" if name == "check" else made.epilog or "",
        (("PATH...", "files, folders and glob patterns", ()),) if name == "check" else shown,
        tuple(_option(each) for each in options),
    )


def _parser_of(name: str) -> argparse.ArgumentParser:
    module = importlib.import_module(f"roofline_lsp.cli.{MODULES_BY_COMMAND.get(name, name)}")
    made = module.parser()
    assert isinstance(made, argparse.ArgumentParser)
    return made


def _option(action: argparse.Action) -> CommandOption:
    names = tuple(sorted(action.option_strings, key=lambda each: (each.startswith("--"), each)))
    takes = action.nargs != 0
    return CommandOption(
        names,
        _metavar(action) if takes else "",
        (action.help or "").replace("%%", "%"),
        tuple(map(str, _choices(action))),
        takes and str(action.metavar) in _PATHS,
    )


def _choices(action: argparse.Action) -> tuple[object, ...]:
    return tuple(action.choices or ())


def _metavar(action: argparse.Action) -> str:
    given = action.metavar
    if isinstance(given, tuple):
        return " ".join(given)
    if given:
        return given
    choices = _choices(action)
    return "{" + ",".join(map(str, choices)) + "}" if choices else action.dest.upper()
