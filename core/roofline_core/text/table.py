"""Columns of plain text."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(
    rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: str = ""
) -> list[str]:
    """One line a row, each column as wide as its widest cell.

    ``right`` lists the columns that are set flush right. Rows may be of different lengths. Lines
    end without blanks.
    """
    width: dict[int, int] = {}
    for row in rows:
        for column, cell in enumerate(row):
            width[column] = max(width.get(column, 0), len(cell))
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width[column]) if column in right else cell.ljust(width[column])
            for column, cell in enumerate(row)
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines
