"""Colours of a terminal."""

from __future__ import annotations

import os
import re
import shutil
from typing import TextIO

from roofline_core.program.records import record


@record(frozen=True, slots=True)
class ColourStyle:
    """Wraps text in colour, or leaves it as it is where ``colour`` is false."""

    colour: bool = False
    escape: str = "\x1b["
    """What a colour's code begins with. Streams that show control characters have their own."""
    width: int | None = None
    """The columns of the terminal; None where lines may be of any length."""

    @classmethod
    def of_stream(cls, stream: TextIO) -> ColourStyle:
        """Colours for a terminal only, and none where ``NO_COLOR`` is set or ``TERM`` is dumb."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        width = shutil.get_terminal_size().columns if stream.isatty() else None
        return cls(wanted and stream.isatty(), getattr(stream, "escape", "\x1b["), width)

    def bold(self, text: str) -> str:
        """Set off."""
        return self._wrapped(text, "1")

    def dim(self, text: str) -> str:
        """Set back."""
        return self._wrapped(text, "2")

    def red(self, text: str) -> str:
        """Errors."""
        return self._wrapped(text, "31")

    def green(self, text: str) -> str:
        """Compute-bound: the best use of a GPU."""
        return self._wrapped(text, "32")

    def yellow(self, text: str) -> str:
        """Bandwidth-bound, and warnings."""
        return self._wrapped(text, "33")

    def _wrapped(self, text: str, code: str) -> str:
        if not self.colour:
            return text
        return f"{self.escape}{code}m{text}{self.escape}0m"


_INDENT = "    "
_LEAST_WIDTH = 40


def wrapped(text: str, style: ColourStyle) -> list[str]:
    """A text in lines that fit the terminal, indented from the second; words are never broken.

    Colours do not count as columns.
    """
    if style.width is None:
        return text.splitlines() or [text]
    width = max(style.width, _LEAST_WIDTH)
    painted = re.compile(re.escape(style.escape) + r"\d+m")
    lines: list[str] = []
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line.strip() else f"{line}{word}"
            if line.strip() and len(painted.sub("", longer)) > width:
                lines.append(line)
                longer = f"{_INDENT}{word}"
            line = longer
        lines.append(line)
    return lines
