"""Text as Markdown or as plain text, as the client supports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SPECIAL = re.compile(
    r"[\\`*|]|~(?=~)"
    r"|<(?=[A-Za-z/!?])"  # would begin a tag
    r"|&(?=[#\w])"  # would begin a character's name
    r"|:(?=//)|(?<=www)\.|@"  # would make a link by themselves
    r"|\](?=[(\[:])"  # would end a link's text
    r"|(?<![^\W_])_|_(?![^\W_])"  # within a word it is no emphasis
)
_BLOCK = re.compile(r"^\s*(\d{0,9})(?=>|[#=+-](?:[#=\s-]|$)|(?<=\d)[.)](?:\s|$))")
"""Before what would begin a quote, a heading or a list."""
_ENDS = re.compile(r"\s*[\r\n]\s*")
_TICKS = re.compile(r"`+")
_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_QUOTED = re.compile(r"'([^'\n]+)'")


_NOT_IN_LINKS = re.compile(r"[()<>\s\\\[\]]")
"""What would end an address, or begin something in it."""


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class MarkupStyle:
    """One output format of text."""

    markdown: bool

    def bold(self, text: str) -> str:
        """Emphasised text; it is escaped."""
        return f"**{self.prose(text)}**" if self.markdown else text

    def code(self, text: str) -> str:
        """A name or a piece of source."""
        if not self.markdown:
            return text
        text = _ENDS.sub(" ", text)
        if "`" not in text:
            return f"`{text}`"
        fence = "`" * (1 + max(len(ticks) for ticks in _TICKS.findall(text)))
        return f"{fence} {text} {fence}"

    def prose(self, text: str) -> str:
        """Words that came from elsewhere, with what Markdown would take for markup escaped.

        Names between single quotes become code.
        """
        if not self.markdown:
            return text
        pieces = _QUOTED.split(_ENDS.sub(" ", text))
        words = "".join(
            self.code(piece) if at % 2 else _SPECIAL.sub(r"\\\g<0>", piece)
            for at, piece in enumerate(pieces)
        )
        return _BLOCK.sub(r"\1\\", words)

    def link(self, text: str, uri: str | None) -> str:
        """A place in a file, as a link where the client supports links."""
        if not self.markdown or not uri:
            return text
        return f"[{self.prose(text)}]({_NOT_IN_LINKS.sub(_percent, uri)})"

    def bullets(self, items: Sequence[str]) -> str:
        """A list with one line per item."""
        return "\n".join(f"- {item}" for item in items)

    def table(self, rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
        """A table, its first row the heads: ``left`` are the columns to the left, others right.

        Cells are padded, because some clients show Markdown tables as they are written.
        """
        least = 2 if self.markdown else 0  # a rule is a dash and a colon
        widths = [max(least, *(len(row[at]) for row in rows)) for at in range(len(rows[0]))]
        padded = [
            [
                cell.ljust(width) if at in left else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            for row in rows
        ]
        if not self.markdown:
            return "\n".join("  ".join(row).rstrip() for row in padded)
        rule = [
            ":" + "-" * (width - 1) if at in left else "-" * (width - 1) + ":"
            for at, width in enumerate(widths)
        ]
        padded = [[_BAR.sub(r"\1\\|", cell) for cell in row] for row in padded]
        return "\n".join(f"| {' | '.join(row)} |" for row in (padded[0], rule, *padded[1:]))

    def lines(self, items: Sequence[str | None]) -> str:
        """One line under the other, without those that are None: no blank lines between."""
        return ("  \n" if self.markdown else "\n").join(item for item in items if item)

    def page(self, *blocks: str | None) -> str:
        """Blocks separated by blank lines, without those that are None or empty."""
        return "\n\n".join(block for block in blocks if block)
