"""The files that ``--check`` is asked for: found, told apart from what cannot be read, and read."""

from __future__ import annotations

import codecs
import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roofline_analysis.project.paths import project_root
from roofline_analysis.project.readable import Readable
from roofline_core.program.asked import asked
from roofline_core.program.regular_files import (
    NotRegularError,
    TooLargeError,
    read_regular_file,
)
from roofline_core.program.stages import Stage, count, stage
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import (
    PYTHON_SUFFIXES,
    SKIPPED_FOLDERS,
    SOURCE_SUFFIXES,
    is_excluded,
    suggestion,
)
from roofline_core.text.units import counted
from roofline_lsp.cli.ignore_files import IgnoreFiles

MAX_FILE_BYTES = 16_000_000
"""The most bytes of a source file; larger ones are data or amalgamations and are not read."""

_SUFFIXES = SOURCE_SUFFIXES | PYTHON_SUFFIXES

Gate = Callable[[bytes], bool]
"""Whether the bytes of a file hold a kernel."""


@dataclass(slots=True)
class Collected:
    """The files that a list of paths selects."""

    files: list[Path] = field(default_factory=list)
    """Each file once, in the order of the request; files of a folder are sorted by path."""
    folders: list[Path] = field(default_factory=list)
    """The requested folders."""
    problems: list[Problem] = field(default_factory=list)
    """Messages on paths that cannot be analysed; each names its path."""


class Unreadable(Exception):  # noqa: N818 - a reason, and never leaves this module
    """The reason that a file is not read."""


@stage(Stage.READ)
def collect(
    patterns: Sequence[str], *, exclude: Sequence[str], gate: Gate, ignore_files: bool = True
) -> Collected:
    """Find the files that paths, folders and glob patterns stand for.

    A file that is named is taken whatever its suffix, as long as it is text that can be read. Of
    a folder those files are taken that have a source's suffix and pass the gate; links to folders
    are not followed, and version control, environments and builds are passed over, as is what
    ``.gitignore`` and ``.rooflineignore`` name where ``ignore_files`` is set.
    """
    found = Collected()
    seen: set[str] = set()
    for pattern in patterns:
        asked((pattern,))
        for path in _expanded(pattern, found.problems):
            if path.is_dir():
                found.folders.append(path)
                ignored = IgnoreFiles.below(path) if ignore_files else None
                found.files += _new(_walked(path, exclude, gate, found, ignored), seen)
            elif any(_new([path], seen)) and _checked(path, found.problems):
                found.files.append(path)
    return found


@stage(Stage.READ)
def read_regular(path: Path) -> bytes | None:
    """The bytes of a file, None if it is no regular file, too large, or cannot be read."""
    try:
        text = _read(path)
    except Unreadable:
        return None
    count("files read")
    count("bytes read", len(text))
    return text


def _expanded(pattern: str, problems: list[Problem]) -> list[Path]:
    path = Path(pattern)
    if os.path.lexists(path):
        return [path]
    if glob.has_magic(pattern):
        matches = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - may be absolute
        if not matches:
            problems.append(_error(path, f"no file matches '{pattern}'"))
        return [Path(match) for match in matches]
    problems.append(_error(path, f"no such file or folder{_near(path)}"))
    return []


def _near(path: Path) -> str:
    """The nearest name in the same folder, or where the path stops existing."""
    try:
        names = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        existing = next(parent for parent in path.absolute().parents if parent.is_dir())
        return f"; the folder '{existing}' exists, what is below it does not"
    return suggestion(path.name, names)


def _new(files: Iterable[Path], seen: set[str]) -> Iterator[Path]:
    """Those that are not yet in ``seen`` by any of their names."""
    for file in files:
        real = os.path.realpath(file)  # unlike Path.resolve, does not raise on a loop of links
        if real not in seen:
            seen.add(real)
            yield file


def _walked(
    folder: Path, exclude: Sequence[str], gate: Gate, found: Collected, ignored: IgnoreFiles | None
) -> Iterator[Path]:
    """The files of a folder tree that hold kernels; what cannot be read goes to problems."""
    sources = kernels = 0
    readable = Readable((), project_root(folder), (folder,))
    for file in _source_files(folder, exclude, found.problems, ignored):
        python = file.suffix.lower() in PYTHON_SUFFIXES
        try:
            if file.is_symlink() and (why := readable(file)):
                raise Unreadable(why)
            text = _read(file)
        except Unreadable as reason:
            if not python:
                sources += 1
                found.problems.append(_error(file, str(reason)))
            continue
        if python and b"pyopencl" not in text:
            continue
        sources += 1
        if gate(text):
            kernels += 1
            found.problems.extend(_encoding_problems(file, text))
            yield file
    if not kernels:
        files = counted(sources, "source file")
        found.problems.append(_error(folder, f"no GPU kernel in {files}"))


def _source_files(
    folder: Path, exclude: Sequence[str], problems: list[Problem], ignored: IgnoreFiles | None
) -> Iterator[Path]:
    def note(error: OSError) -> None:
        """Note a folder that cannot be read as a problem."""
        problems.append(_error(Path(error.filename), f"cannot be read: {error.strerror}"))

    def left_out(path: Path, *, is_folder: bool) -> bool:
        """Whether a pattern of the settings or an ignore file leaves the path out."""
        if is_excluded(path, folder, exclude):
            return True
        return ignored is not None and ignored.ignores(path, is_folder=is_folder)

    for name, folders, files in os.walk(folder, onerror=note):
        here = Path(name)
        asked((here,))
        folders[:] = sorted(
            each
            for each in folders
            if each not in SKIPPED_FOLDERS and not left_out(here / each, is_folder=True)
        )
        for file in (here / each for each in sorted(files)):
            if file.suffix.lower() in _SUFFIXES and not left_out(file, is_folder=False):
                yield file


def _checked(path: Path, problems: list[Problem]) -> bool:
    try:
        text = _read(path)
    except Unreadable as reason:
        problems.append(_error(path, str(reason)))
        return False
    problems.extend(_encoding_problems(path, text))
    return True


def _read(path: Path) -> bytes:
    """The bytes of a text file. Never waits for a pipe or a device. Raises Unreadable."""
    asked((path,))
    try:
        text = read_regular_file(path, MAX_FILE_BYTES)
    except NotRegularError:
        raise Unreadable("not a regular file, not read") from None
    except TooLargeError as error:
        size, limit = error.size_bytes / 1e6, MAX_FILE_BYTES / 1e6
        message = f"{size:.1f} MB, more than the limit of {limit:.0f} MB, not read"
        raise Unreadable(message) from None
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    if text.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise Unreadable("UTF-32 text, not read; save the file as UTF-8")
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Unreadable("UTF-16 text, not read; save the file as UTF-8")
    if (zero := text.find(b"\0")) >= 0:
        raise Unreadable(f"binary data (a zero byte at offset {zero}), not read")
    return text


def _encoding_problems(path: Path, text: bytes) -> list[Problem]:
    """A warning for text that is not UTF-8; it is still read, as often only comments are not."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = error.start - text.rfind(b"\n", 0, error.start)
        byte = text[error.start]
        message = f"not UTF-8: byte 0x{byte:02x} in column {column}; save the file as UTF-8"
        return [Problem(Severity.WARNING, message, path, line)]
    return []


def _error(path: Path, message: str) -> Problem:
    return Problem(Severity.ERROR, message, path)
