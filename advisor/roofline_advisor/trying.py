"""A suggested edit tried by a person's own command, on a copy of the file's folder."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import stat
import tempfile
from pathlib import Path

from roofline_advisor.confinement import (
    limited,
    of_tests,
    person_environment,
    program_path,
)
from roofline_advisor.edits import RejectedError
from roofline_advisor.running import run
from roofline_core.settings import SKIPPED_FOLDERS, Settings

_MOST_FILES = 2_000
_MOST_BYTES = 50_000_000
_LONGEST_OUTPUT = 1_500
_COPY = "copy"
"""The folder's name, which is none of the project's choosing."""


async def tried(path: Path, edited: bytes, settings: Settings) -> str:
    """Run the person's command on a copy of the file's folder with the edit made.

    Gives what is known then, in words. Raises RejectedError where the command fails.
    """
    command = settings.advisor.test_command
    if command is None:
        return "not tested: set 'advisor.test-command' to have it tested"
    words = shlex.split(command)
    if not words or not path.parent.is_dir():
        return "not tested: there is no folder to test it in"
    named = os.path.dirname(words[0])  # noqa: PTH120 - Path drops the './' of a program of the copy
    program = words[0] if named else shutil.which(words[0], path=program_path())
    limit_s = settings.advisor.test_timeout_s
    with tempfile.TemporaryDirectory(prefix="roofline-lsp-") as folder:
        copy = Path(folder) / _COPY
        why_not = await asyncio.to_thread(_copied, path, edited, copy)
        if why_not:
            return f"not tested: {why_not}"
        ran = await run(
            limited([program, *words[1:]], of_tests(limit_s)) if program else words,
            cwd=copy,
            limit_s=limit_s,
            environment=person_environment(),
        )
    if ran.code is None:
        raise RejectedError(f"the test command took longer than {limit_s:g} s")
    if ran.code != 0:
        said = ran.output[-_LONGEST_OUTPUT:]
        raise RejectedError(f"the test command fails with {ran.code}: {said}")
    return "the test command passes"


def _copied(path: Path, edited: bytes, target: Path) -> str:
    """Copy a file's folder with the edit made; why that cannot be, or nothing.

    Version control, environments and builds are left out, and what is neither file, folder nor
    link. The edited file is a file of the copy, even where it was a link.
    """
    try:
        if _is_large(path.parent):
            return "its folder is too large to copy"
        shutil.copytree(path.parent, target, symlinks=True, ignore=_left_out)
        copy = target / path.name
        copy.unlink(missing_ok=True)
        with copy.open("xb") as file:
            file.write(edited)
    except (OSError, shutil.Error):
        return "its folder cannot be copied"
    return ""


def _is_large(source: Path) -> bool:
    files = size = 0
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        files += len(names)
        size += sum((Path(folder) / name).lstat().st_size for name in names)
        if files > _MOST_FILES or size > _MOST_BYTES:
            return True
    return False


def _left_out(folder: str, names: list[str]) -> set[str]:
    return {
        name
        for name in names
        if name in SKIPPED_FOLDERS or not _is_plain((Path(folder) / name).lstat().st_mode)
    }


def _is_plain(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
