"""What runs of fuzzing and of sessions came to, one JSON object a line, so that runs add up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from roofline_lsp import __version__

Row = dict[str, Any]


@cache
def code_version() -> str:
    """The release, and the commit where Git tells it."""
    git = shutil.which("git")
    if git is None:
        return __version__
    asked = (git, "describe", "--always", "--dirty", "--abbrev=10")
    told = subprocess.run(
        asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    return f"{__version__} {told.stdout.strip()}".strip()


def append(path: Path, row: Row) -> None:
    """Add a line in one write, so that several processes may share the file."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({**row, "version": code_version(), "at": now}) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        if _ends_in_a_part(path):
            line = "\n" + line
        file.write(line.encode())
        os.fsync(file.fileno())


def rows(path: Path) -> Iterator[Row]:
    """The lines that are whole; none where there is no file."""
    if not path.exists():
        return
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            found = json.loads(line)
        except ValueError:  # A process was ended while it wrote.
            continue
        if isinstance(found, dict):
            yield found


def _ends_in_a_part(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
