"""The command line of a program: that of the settings, which may differ by file and folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from roofline_core.settings.model import Settings
from roofline_core.settings.sources import fits


def args_of(settings: Settings, files: Iterable[Path]) -> tuple[str, ...] | None:
    """The arguments of the program that has these files; None where they are not known."""
    if settings.per_program_args:
        whole = [Path(os.path.abspath(file)) for file in files]  # noqa: PTH100 - links stay
        for pattern, args in settings.per_program_args:
            if any(fits(file, pattern) for file in whole):
                return args
    return settings.args
