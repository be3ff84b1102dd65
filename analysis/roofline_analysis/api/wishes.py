"""Kernels of a file that somebody waits for, which are judged before the others.

What a kernel's report says does not depend on which kernel was judged first, so that granting a
wish changes when something is known and not what.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from roofline_analysis.report.report import KernelReport
from roofline_core.program.records import record
from roofline_core.program.units import Function

if TYPE_CHECKING:
    from roofline_analysis.host.values import LaunchContext

__all__ = ["Wish", "Wishes", "grant"]


@record(frozen=True, slots=True)
class Wish:
    """A place in a file of which somebody wants to know the kernel."""

    line: int
    """From 1."""
    word: str | None = None
    """The identifier that was pointed at; None where it was none."""


class Wishes(Protocol):
    """Tells what is waited for while an analysis is under way, and takes what is known."""

    @abstractmethod
    def open(self) -> Sequence[Wish]:
        """What was wished since this was last asked."""

    @abstractmethod
    def grant(self, wish: Wish, report: KernelReport) -> None:
        """Take a wished kernel's report, to which no rule was applied yet."""


def grant(
    wishes: Wishes,
    kernels: Sequence[Function],
    launches_of: Callable[[Function], Iterable[LaunchContext]],
    judge: Callable[[Function], KernelReport | None],
) -> None:
    """Have the kernels of a file judged that are wished for, and hand their reports out."""
    for wish in wishes.open():
        kernel = _meant(wish, kernels, launches_of)
        report = None if kernel is None else judge(kernel)
        if report is not None:
            wishes.grant(wish, report)


def _meant(
    wish: Wish,
    kernels: Sequence[Function],
    launches_of: Callable[[Function], Iterable[LaunchContext]],
) -> Function | None:
    """The kernel of the name that is pointed at, or else that which the line launches or is of.

    Of several kernels of one name it is the one that stands, or is launched, there.
    """
    around = [each for each in kernels if each.span.line <= wish.line <= each.span.end_line]
    named = [each for each in kernels if each.name == wish.word]
    there = [each for each in named if each in around]
    if there or (around and not named):
        return (there or around)[0]
    for kernel in named or kernels:
        if any((each.path, each.line) == (kernel.path, wish.line) for each in launches_of(kernel)):
            return kernel
    return named[0] if named else None
