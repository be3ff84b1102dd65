"""Exceptions that nobody expected: what to tell of one, and what it costs."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from roofline_core.program.errors import RooflineError
from roofline_core.program.units import Problem, Severity

Made = TypeVar("Made")


_listeners: list[Callable[[BaseException], None]] = []


def listen(listener: Callable[[BaseException], None]) -> None:
    """Have each exception that nobody expected told, once for each time that one is met.

    For front ends, which keep them where a person finds them. ``listener`` must not raise.
    """
    if listener not in _listeners:
        _listeners.append(listener)


def crash_reason(error: BaseException) -> str:
    """``ValueError: message (module.py:12 in function)``, the place being where it was raised.

    Tells those who ``listen``.
    """
    for listener in _listeners:
        listener(error)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    last = frames[-1]
    return f"{text} ({Path(last.filename).name}:{last.lineno} in {last.name})"


def guarded(
    make: Callable[[], Made], problems: list[Problem], what: str, path: Path, line: int | None
) -> Made | None:
    """What ``make`` gives; None if it fails as no input should make it, which is a problem then.

    ``what`` says in the problem's message where it happened and what is left out for it. Raises
    RooflineError, which a person can mend.
    """
    try:
        return make()
    except RooflineError:
        raise
    except Exception as error:
        problems.append(internal_error(error, what, path, line))
        return None


def internal_error(error: Exception, what: str, path: Path, line: int | None) -> Problem:
    """The problem that an unexpected exception is; ``what`` as for ``guarded``."""
    message = f"internal error {what}, please report it: {crash_reason(error)}"
    return Problem(Severity.ERROR, message, path, line)
