"""The path of a project's measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = ".roofline"
FILE: Final = "measurements.jsonl"


def store_path(root: Path) -> Path:
    """The file below the project's root folder; it may not exist."""
    return root / FOLDER / FILE
