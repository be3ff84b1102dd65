"""What a kernel would be elsewhere, on one line that text and hover share."""

from __future__ import annotations

from collections.abc import Callable

from roofline_analysis.report.report import Crossover, WhatIf

UNDECIDED = "?"


def strip(what_if: WhatIf, written: Callable[[str], str] = str) -> str:
    """``A100 BB | H100 BB | RTX 4090 CB | MI300X BB``; ``written`` is how a GPU's name is put."""
    return " | ".join(
        f"{written(each.label)} {UNDECIDED if each.verdict is None else each.verdict.value}"
        for each in what_if.classes
    )


def flip_text(flip: Crossover) -> str:
    """``CB from n >= 512``."""
    return f"{flip.verdict.value} from {flip.name} >= {flip.value}"
