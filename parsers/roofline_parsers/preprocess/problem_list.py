"""What is wrong in one file, up to as many problems as somebody reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofline_core.program.units import Problem, Severity

_MAX_PROBLEMS = 200


class ProblemList:
    """The problems of one file, in the order in which they were found."""

    def __init__(self, path: Path) -> None:
        self.found: list[Problem] = []
        self._path = path

    def report(self, message: str, line: int | None, severity: Severity = Severity.WARNING) -> None:
        """Add a problem at a 1-based line, unless there are too many to read."""
        if len(self.found) < _MAX_PROBLEMS:
            self.found.append(Problem(severity, message, self._path, line))

    def adopt(self, problems: Sequence[Problem]) -> None:
        """Add those of a header that stands in the file's text."""
        self.found += problems[: _MAX_PROBLEMS - len(self.found)]
