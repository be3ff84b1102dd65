"""Where the measurements of a project are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = ".roofline"
FILE: Final = "measurements.jsonl"


def store_path(root: Path) -> Path:
    """The file, in the project's root folder; it need not be there."""
    return root / FOLDER / FILE
