"""``roofline/kernelFiles``: the files of the workspace with kernels, as ``--check`` finds them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_core.settings import Settings
from roofline_lsp.formats.json import Json
from roofline_lsp.server.documents.places import uri_of

METHOD = "roofline/kernelFiles"
"""A request without parameters."""

Stopped = Callable[[], bool]
"""Whether nobody waits for the files any more."""

FindFiles = Callable[[Path, Settings, Stopped], "FilesOfFolder"]
"""Looks through a folder; ends early, by whatever exception, once it is told to stop."""


@dataclass(frozen=True, slots=True)
class FilesOfFolder:
    """The files below a folder that hold kernels, in order, and what could not be read."""

    files: tuple[Path, ...]
    problems: tuple[str, ...]


async def kernel_files(folders: Sequence[tuple[Path, Settings]], find: FindFiles) -> Json:
    """``files``, the URIs of all folders' files, each once, and ``problems``, a sentence each.

    A home folder and the root of a file system are not looked through, and a problem says so.
    """
    files: dict[str, None] = {}
    problems: list[str] = []
    for folder, settings in folders:
        if folder in {Path.home(), folder.parent}:
            problems.append(f"{folder} is not looked through: open the project's own folder")
            continue
        found = await _off_the_loop(find, folder, settings)
        files.update((uri, None) for each in found.files if (uri := uri_of(each)) is not None)
        problems += found.problems
    return {"files": list(files), "problems": problems}


async def _off_the_loop(find: FindFiles, folder: Path, settings: Settings) -> FilesOfFolder:
    """Look in a thread, which is told to stop when the request is cancelled."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(find, folder, settings, stop.is_set)
    finally:
        stop.set()
