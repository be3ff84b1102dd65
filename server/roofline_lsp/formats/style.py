"""Colours of a terminal."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO


@dataclass(frozen=True, slots=True)
class ColourStyle:
    """Wraps text in colour, or leaves it as it is where ``colour`` is false."""

    colour: bool = False
    escape: str = "\x1b["
    """What a colour's code begins with. Streams that show control characters have their own."""

    @classmethod
    def of_stream(cls, stream: TextIO) -> ColourStyle:
        """Colours for a terminal only, and none where ``NO_COLOR`` is set or ``TERM`` is dumb."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(wanted and stream.isatty(), getattr(stream, "escape", "\x1b["))

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
