"""What a kernel would be elsewhere, on one line that text and hover share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofline_analysis.report.report import Crossover, SizeRange, Verdict, WhatIf

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


def sizes_text(ranges: Sequence[SizeRange], verdict: Verdict | None) -> str | None:
    """``CB from n >= 512``; ``BB for any n (256 to 67108864)``; None where nothing is known."""
    if verdict is None or not ranges:
        return None
    flip = next((each.crossover for each in ranges if each.crossover is not None), None)
    if flip is not None:
        return flip_text(flip)
    shown = ", ".join(f"{each.name} ({each.least} to {each.most})" for each in ranges)
    return f"{verdict.value} for any {shown}"
