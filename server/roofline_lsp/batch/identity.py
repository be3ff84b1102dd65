"""What the report of a program depends on besides the files that its analysis asks for."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import platform
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roofline_analysis.project.file_states import digest
from roofline_analysis.project.paths import absolute, marked_root, workspace_of
from roofline_core.program.regular_files import read_regular_file
from roofline_core.settings import Settings

if TYPE_CHECKING:
    from roofline_analysis.project.readable import Readable
    from roofline_analysis.project.tasks import ProgramTask

_PACKAGES: Final = (
    "roofline_core",
    "roofline_parsers",
    "roofline_hardware_db",
    "roofline_analysis",
    "roofline_profiling",
    "roofline_lsp",
)
"""Whose code and data make a report and write it out."""
_LIBRARIES: Final = ("numpy", "tree_sitter", "tree_sitter_cuda")
_NOT_OF_REPORTS: Final = frozenset(
    {"advisor", "exclude", "warnings", "from_project", "origins", "settings_profile", "profiles"}
)
"""Settings that change no report, and what is put in by hand."""
_MOST_BYTES: Final = 4_000_000


class Identity:
    """The common part of the keys of one run."""

    def __init__(self, settings: Settings, *, anywhere: bool = False) -> None:
        """``anywhere``: keys are the same on every machine and in every folder.

        All paths of tasks and settings are absolute then.
        """
        parts = (
            code_digest() if anywhere else code_identity(),
            _text_of(settings),
            *_gpu_parts(settings),
        )
        if not anywhere:  # paths of reports are spelled as they were asked for
            parts = (*parts, str(Path.home()), str(Path.cwd()))
        self._common = digest(*map(os.fsencode, parts))

    @property
    def common(self) -> str:
        """What all keys of the run have in common, as a digest."""
        return self._common

    def key(self, task: ProgramTask, readable: Readable) -> bytes:
        """The key of a program's reports."""
        below, reach, named = readable.key()
        folders = sorted({absolute(unit).parent for unit in task.units})
        parts = (
            self._common,
            *_listed(map(str, task.units)),
            *_listed(map(str, task.include_dirs)),
            str(task.root),
            *_listed(sorted(below)),
            *_listed(sorted(reach)),
            *_listed(sorted(named)),
            *_listed(f"{folder}: {marked_root(folder)}" for folder in folders),
            str(workspace_of(task.units, task.root)),
        )
        return bytes.fromhex(digest(*map(os.fsencode, parts)))


@cache
def code_identity() -> str:
    """Changes with the code that makes reports, its data, its libraries and the interpreter.

    As Python itself does to tell whether compiled code is stale, this goes by the size and the time
    of each file, here to the nanosecond, and reads none.
    """
    parts = [sys.version, sys.platform, platform.machine()]
    for package in _PACKAGES:
        for folder in _folders_of(package):
            parts += _walked(folder)
    for library in _LIBRARIES:
        for folder in _folders_of(library):
            parts += _stamps(folder)[0]
    return digest(*map(os.fsencode, parts))


@cache
def code_digest() -> str:
    """Changes with the same as ``code_identity``, by what files hold: equal on all machines.

    Some 6 MB are read; releases of libraries stand for their files.
    """
    from importlib import metadata  # noqa: PLC0415 - takes long to import

    parts = [f"{sys.version_info[:2]}".encode()]
    for library in _LIBRARIES:
        parts.append(metadata.version(library.replace("_", "-")).encode())
    for package in _PACKAGES:
        for folder in map(Path, _folders_of(package)):
            for file in sorted(folder.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    parts += (os.fsencode(file.relative_to(folder).as_posix()), file.read_bytes())
    return digest(*parts)


def _folders_of(package: str) -> Iterable[str]:
    """The folders of a package, which is not imported."""
    found = importlib.util.find_spec(package)
    return () if found is None else found.submodule_search_locations or ()


def _walked(folder: str) -> Iterator[str]:
    """Name, size and time of each file below a folder."""
    waiting = [folder]
    while waiting:
        files, folders = _stamps(waiting.pop())
        yield from files
        waiting += folders


def _stamps(folder: str) -> tuple[list[str], list[str]]:
    """Name, size and time of each file of a folder, and the folders in it."""
    files, folders = [], []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    folders.append(entry.path)
            else:
                status = entry.stat()
                files.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")
    return files, folders


def _text_of(settings: Settings) -> str:
    values = {
        item.name: getattr(settings, item.name)
        for item in dataclasses.fields(settings)
        if item.name not in _NOT_OF_REPORTS
    }
    return repr((values, sorted(settings.from_project)))


def _gpu_parts(settings: Settings) -> Iterator[str]:
    """What the GPU of the settings depends on besides their text and the database."""
    for own in settings.gpus:
        if own.file is not None:
            yield _held(own.file)
    if settings.ceilings == "measured":
        from roofline_hardware_db.ceilings import store_path  # noqa: PLC0415 - few runs need it

        yield _held(store_path())
    if any("auto" in name.casefold() for name in (settings.gpu, *(settings.what_if or ()))):
        from roofline_hardware_db.detect import present_gpus  # noqa: PLC0415

        yield from (gpu.name for gpu in present_gpus())


def _held(path: Path) -> str:
    try:
        return digest(read_regular_file(path, _MOST_BYTES))
    except OSError:
        return ""


def _listed(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts with their number in front, so that one list does not run into the next."""
    found = tuple(texts)
    return (str(len(found)), *found)
