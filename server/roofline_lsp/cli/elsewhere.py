"""What is said of kernels that lie in other files than those that were checked, such as headers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.project.paths import spelled_like
from roofline_analysis.report.report import FileReport, KernelElsewhere

_MOST_FILES: Final = 4
_MOST_NAMED: Final = 3


def told_of_elsewhere(files: Sequence[FileReport]) -> str:
    """Where the kernels are that the files launch or include: a sentence; empty without any."""
    told: list[str] = []
    where: dict[Path, None] = {}
    for file in files[:_MOST_FILES]:
        if file.elsewhere:
            verb = "launches" if file.elsewhere[0].is_launched else "includes"
            told.append(f"'{file.path}' {verb} {_named(file.elsewhere, file.path)}")
            where |= dict.fromkeys(spelled_like(file.path, each.path) for each in file.elsewhere)
    if not told:
        return ""
    command = shlex.join(("roofline-lsp", "check", *map(str, where)))
    return f"{'; '.join(told)}; check it there: {command}"


def _named(kernels: Sequence[KernelElsewhere], path: Path) -> str:
    shown = [
        f"{each.name} ({spelled_like(path, each.path)}:{each.line})"
        for each in kernels[:_MOST_NAMED]
    ]
    more = len(kernels) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
