"""What a person may have meant by a command line that is not quite one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NoReturn

from roofline_core.settings import nearest
from roofline_lsp.cli.exit_codes import FAILED

AS_OPTIONS: Final = {"check": "--check", "validate": "--validate", "profile": "--profile"}
"""Words that people take for commands, and the options that they are."""


def as_options(given: Sequence[str]) -> list[str]:
    """The command line with a command that is an option written as one."""
    if not given or given[0] not in AS_OPTIONS:
        return list(given)
    return [AS_OPTIONS[given[0]], *given[1:]]


def paths_first(given: Sequence[str], parser: argparse.ArgumentParser) -> list[str]:
    """The command line of ``check`` with paths that stand behind its options put before them."""
    if list(given[:1]) != ["--check"] or not _is_option(given[1:2]):
        return list(given)
    options = list(given[1:])
    _, unknown = parser.parse_known_args(options)
    paths = [word for word in unknown if not _is_option([word])]
    for path in reversed(paths):
        at = len(options) - 1 - options[::-1].index(path)  # a value of an option stands before it
        del options[at]
    return ["--check", *paths, *options]


def _is_option(words: Sequence[str]) -> bool:
    return bool(words) and words[0].startswith("-") and words[0] != "-"


def asks_for_help(given: Sequence[str]) -> bool:
    """Whether ``--check`` stands with a request for help instead of paths."""
    return "--check" in given and any(word in ("-h", "--help") for word in given)


class HelpfulParser(argparse.ArgumentParser):
    """A parser whose errors say what may have been meant."""

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """As its base, but what is not known is told with the nearest option."""
        given = list(sys.argv[1:] if args is None else args)
        options, unknown = self.parse_known_args(given, namespace or argparse.Namespace())
        if unknown:
            told = "; ".join(self._hints(unknown, given))
            self.error(f"unrecognized arguments: {' '.join(unknown)}{f'; {told}' if told else ''}")
        return options

    def error(self, message: str) -> NoReturn:
        """One line with the remedy, without the usage of some sixty options above it."""
        if message.startswith("argument --check: expected"):
            message = "name files or folders to check, such as: roofline-lsp check ."
        print(f"{self.prog}: {message}; {self.prog} --help lists the options", file=sys.stderr)
        sys.exit(FAILED)

    def _hints(self, unknown: Sequence[str], given: Sequence[str]) -> Iterator[str]:
        options = [option for action in self._actions for option in action.option_strings]
        meant = [
            close
            for word in unknown
            if word.startswith("-")
            and (close := nearest(word.partition("=")[0], options)) is not None
        ]
        yield from (f"did you mean {close}?" for close in meant)
        loose = [word for word in unknown if not word.startswith("-")]
        if loose and loose[0] in AS_OPTIONS:
            yield f"the command comes first: {self.prog} {' '.join((*loose, '...'))}"
        elif loose and "--args" in given:
            at = given.index("--args") + 1
            words = " ".join((*given[at : at + 1], *loose))
            yield f"one command line in quotes: --args '{words}'"
        elif loose and not meant:
            yield f"paths belong to --check: --check {' '.join(loose)}"
