"""What a rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program.records import record


@record(frozen=True, slots=True)
class Rule:
    """One entry of the catalogue."""

    code: str
    name: str
    level: Level
    doc: str | None
    """The module's docstring."""
    bad: str
    """A program that has the problem, and no other of the catalogue."""
    good: str
    """The same program without the problem."""
    check: Callable[[KernelSubject], Iterable[Match]] | None = None
    """The check of one kernel and its launches; None for a rule about host code."""
    check_host: Callable[[HostProgram], Iterable[Match]] | None = None
    """The check of a program's host code; None for a rule about kernels."""
    fixes: bool = False
    """Whether its findings may have a fix."""
    by_sizes: bool = False
    """Whether what it saves hangs on sizes so much that at guessed ones it says nothing."""

    @property
    def text(self) -> str:
        """Markdown: a title on a line of its own, then the problem, its cost and its remedy."""
        return self.doc or ""

    @property
    def title(self) -> str:
        """The first line of the text, without the full stop."""
        return self.text.strip().splitlines()[0].rstrip(".")
