"""How the execution of statements ends, if not by reaching their end."""

from __future__ import annotations

from pathlib import Path
from typing import Final


class ProgramExit(Exception):  # noqa: N818 (not an error: control flow)
    """The host program ended: ``exit``, ``abort`` or a throw."""


class BudgetSpent(Exception):  # noqa: N818 (not an error: control flow)
    """More statements than one call or the whole execution may take."""

    def __init__(self, path: Path | None, line: int) -> None:
        """``path`` and ``line`` are those of the statement that was not executed."""
        self.path = path
        self.line = line


class Signal:
    """How a statement ended, if not by reaching its end."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


BREAK: Final = Signal("break")
CONTINUE: Final = Signal("continue")
RETURN: Final = Signal("return")
