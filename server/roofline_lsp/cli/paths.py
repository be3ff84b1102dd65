"""The paths of a request."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def common_folder(paths: Sequence[str]) -> Path:
    """The deepest existing folder above all paths, from which the settings file is searched."""
    folders = []
    for path in paths:
        folder = Path(path).absolute()
        while not folder.is_dir():
            folder = folder.parent
        folders.append(folder)
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # several drives
        return Path.cwd()
