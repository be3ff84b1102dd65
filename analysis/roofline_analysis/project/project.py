"""The files of a project and how they belong together, found without parsing any.

A kernel may stand in another folder than the host code that launches it. The index looks at the
bytes of each file once (``facts``) and links files by what it saw (``linking``).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.project.facts import FileFunctions, facts_of, names_of, names_of_opencl
from roofline_analysis.project.file_table import is_opencl
from roofline_analysis.project.files import Reader, read_file
from roofline_analysis.project.headers import HeaderNames, folders_of_headers
from roofline_analysis.project.linking import Links
from roofline_analysis.project.paths import absolute, spelled_like
from roofline_analysis.project.readable import Readable
from roofline_analysis.project.stamps import Stamps
from roofline_core.program.asked import asked
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, stage
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import PYTHON_SUFFIXES, SKIPPED_FOLDERS, SOURCE_SUFFIXES, is_excluded

_SUFFIXES: Final = SOURCE_SUFFIXES | PYTHON_SUFFIXES
_NO_NAMES: Final = FileFunctions(frozenset(), frozenset(), frozenset())


@record(frozen=True, slots=True)
class IndexLimits:
    """Limits on the scan of a project."""

    files: int = 20_000
    total_bytes: int = 128 * 2**20
    file_bytes: int = 4 * 2**20
    """The largest source file; a longer file counts as data."""
    names_bytes: int = 32 * 2**20
    """The most bytes in which functions are looked up, the slowest part of the scan."""


class ProjectIndex:
    """Files below a folder, and which of them are one program. Not thread-safe.

    Files are scanned on demand: ``related`` and ``program`` scan ever larger parts of the project
    until a file's program is complete; ``step`` scans one more file. Results are kept; ``update``
    and ``put`` announce changes, ``look_again`` finds those that nobody announced.
    """

    def __init__(
        self,
        root: Path | None,
        *,
        files: Iterable[Path] = (),
        exclude: Sequence[str] = (),
        reader: Reader = read_file,
        limits: IndexLimits | None = None,
    ) -> None:
        """``root`` None: only ``files``, and what is put. ``exclude``: globs, as in settings."""
        self.root = None if root is None else absolute(root)
        self._given = [absolute(path) for path in files]
        self._exclude = tuple(exclude)
        self._readable = Readable((), root)
        self._reader = self._readable.guarding(reader)
        self._limits = limits or IndexLimits()
        self._links = Links(self._names)
        self._headers = None if self.root is None else HeaderNames(self.root, self._skipped)
        self._functions: dict[Path, FileFunctions] = {}
        self._texts: dict[Path, bytes] = {}
        self._seen: set[Path] = set()
        self._stamps = Stamps()
        self._entered: dict[Path, tuple[Path, ...]] = {}
        self._whole: set[Path] = set()
        self._include_dirs: dict[tuple[Path, ...], tuple[Path, ...]] = {}
        """Kept until files come or go, or a file in the editor includes others."""
        self._steps: Iterator[None] | None = None
        self._bytes = self._names_bytes = 0
        self._cut = ""
        self.complete = False
        """Whether every file below the root has been scanned, within the limits."""

    # ---- Asking

    @stage(Stage.LINK)
    def program(self, path: Path) -> tuple[Path, ...]:
        """The files to be compiled as one program with a file, the one with ``main`` first.

        Empty for a header that no file is known to include. Paths are relative if ``path`` is.
        """
        file = absolute(path)
        self._readable.add(file)
        self._look_at_given()
        self._look_at(file)
        if file not in self._links:
            return (path,)
        linked = None
        for folder in self._rings(file):
            if self._walk_all(folder) or linked is None:
                linked = self._links.program(file)
            if linked.complete and all(folder in unit.parents for unit in linked.units):
                break
        linked = linked or self._links.program(file)
        return tuple(spelled_like(path, unit) for unit in linked.units)

    def related(self, path: Path) -> tuple[Path, ...]:
        """The other files of a file's program."""
        file = absolute(path)
        return tuple(unit for unit in self.program(path) if absolute(unit) != file)

    @stage(Stage.LINK)
    def include_dirs(self, units: Sequence[Path]) -> tuple[Path, ...]:
        """Folders below the root where headers lie that ``units`` do not find beside themselves.

        Empty without a root. Paths are relative if the first unit's is.
        """
        if self._headers is None:
            return ()
        key = tuple(units)
        found = self._include_dirs.get(key)
        if found is None:
            folders = folders_of_headers(map(absolute, units), self._written, self._headers)
            found = tuple(spelled_like(units[0], folder) for folder in folders)
            self._include_dirs[key] = found
        return found

    def _written(self, file: Path) -> tuple[str, ...]:
        self._look_at(file)
        return self._links.includes(file)

    @stage(Stage.LINK)
    def has_kernels(self, path: Path) -> bool:
        """Whether a file shows any sign of a kernel, or cannot be looked at."""
        file = absolute(path)
        self._readable.add(file)
        self._look_at_given()
        self._look_at(file)
        return self._links.has_kernels(file)

    @stage(Stage.LINK)
    def look_below(self, folder: Path) -> None:
        """Scan all files below a folder, before questions about many of them."""
        self._readable.add_folder(folder)
        self._look_at_given()
        self._walk_all(absolute(folder))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """A problem with the reason if the project was not scanned in full; else empty."""
        if not self._cut:
            return ()
        return (Problem(Severity.WARNING, self._cut, self.root),)

    @property
    def size(self) -> int:
        """How many files are known."""
        return self._links.files

    # ---- Looking

    def step(self) -> bool:
        """Scan one more file; True if the scan is complete."""
        if self._steps is None:
            self._look_at_given()
            self._steps = self._walk(self.root) if self.root is not None else iter(())
        if not self.complete:
            self.complete = next(self._steps, self) is self
        return self.complete

    def build(self) -> None:
        """Look at all files below the root."""
        while not self.step():
            pass

    def update(self, path: Path) -> None:
        """Scan a file again that was changed, created or removed on disk."""
        file = absolute(path)
        known = file in self._links or self._passed(file)
        self._readable.forget()
        self._texts.pop(file, None)
        self._functions.pop(file, None)
        self._seen.discard(file)
        self._links.remove(file)
        self._include_dirs.clear()
        if self._headers is not None:
            self._headers.update(file)
        if known and self._wanted(file):
            self._look_at(file)

    def put(self, path: Path, text: bytes | None) -> None:
        """Use a text instead of a file's contents on disk; None returns to the contents on disk."""
        file = absolute(path)
        if text is None:
            if file in self._texts:
                self.update(path)
            return
        if self._texts.get(file) != text:
            self._texts[file] = text
            self._functions.pop(file, None)
            written = self._links.includes(file)
            self._links.add(facts_of(file, text))
            if self._links.includes(file) != written:
                self._include_dirs.clear()

    def look_again(self) -> Iterator[None]:
        """Scan what has changed on disk since it was scanned; one file or folder a turn."""
        for path in self._stamps.changed():
            if path is not None and path in self._entered:
                self._list_again(path)
            elif path is not None and path not in self._texts:
                self.update(path)
            yield

    def _list_again(self, folder: Path) -> None:
        """Look at what has come to a folder. What has gone is met by its own path."""
        folders, files = self._listed(folder)
        for file in files:
            self._look_at(file)
        for below in folders:
            if below not in self._entered:
                self._whole.discard(below)
                for _ in self._walk(below):
                    pass
        self._entered[folder] = folders
        self._include_dirs.clear()
        if self._headers is not None:
            self._headers.forget()

    def _look_at_given(self) -> None:
        while self._given:
            file = self._given.pop()
            self._readable.add_project(file)
            self._look_at(file)

    def _rings(self, file: Path) -> Iterator[Path]:
        """The folders of a file, from its own to the root; none if all files are scanned."""
        if self.complete or self.root is None or self.root not in file.parents:
            return
        for folder in file.parents:
            yield folder
            if folder == self.root:
                self.complete = True
                return

    def _walk_all(self, folder: Path) -> bool:
        """Scan the files below a folder; True if any was new."""
        before = self._links.files
        if folder not in self._whole:
            for _ in self._walk(folder):
                pass
            self._whole.add(folder)
        return self._links.files != before

    def _walk(self, top: Path) -> Iterator[None]:
        """Look at the files below a folder, one a turn, those of upper folders first."""
        waiting = deque((top,))
        while waiting and not self._cut:
            folder = waiting.popleft()
            if folder in self._whole:
                continue
            if folder not in self._entered:
                folders, files = self._listed(folder)
                for file in files:
                    if not self._within_limits():
                        return
                    self._look_at(file)
                    yield
                self._entered[folder] = folders
            waiting.extend(self._entered[folder])

    def _listed(self, folder: Path) -> tuple[tuple[Path, ...], list[Path]]:
        """The folders and the files of a folder that are to be looked at."""
        folders: list[Path] = []
        files: list[Path] = []
        asked((folder,))
        self._stamps.note(folder)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            entries = []
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                if not self._skipped(path):
                    folders.append(path)
            elif self._wanted(path):
                files.append(path)
        return tuple(folders), files

    def _within_limits(self) -> bool:
        limits = self._limits
        if self._links.files >= limits.files:
            self._cut = f"only {limits.files} files were searched for kernels and launches"
        elif self._bytes >= limits.total_bytes:
            size = limits.total_bytes / 2**20
            self._cut = f"only {size:.3g} MiB were searched for kernels and launches"
        return not self._cut

    def _look_at(self, file: Path) -> None:
        """Take a file in, once."""
        if file in self._seen or file in self._texts or not self._wanted(file):
            return
        self._seen.add(file)
        self._stamps.note(file)
        text = self._reader(file)
        if text is None or len(text) > self._limits.file_bytes:
            return
        if file.suffix.lower() in PYTHON_SUFFIXES and b"pyopencl" not in text:
            return
        self._bytes += len(text)
        self._links.add(facts_of(file, text))

    def _names(self, file: Path) -> FileFunctions:
        found = self._functions.get(file)
        if found is None:
            found = _NO_NAMES
            text = self._texts.get(file)
            if text is None and self._names_bytes < self._limits.names_bytes:
                text = self._reader(file)
            if text is not None:
                self._names_bytes += len(text)
                found = names_of_opencl(text) if is_opencl(file) else names_of(text)
            self._functions[file] = found
        return found

    def _wanted(self, file: Path) -> bool:
        return file.suffix.lower() in _SUFFIXES and not self._excluded(file)

    def _passed(self, file: Path) -> bool:
        """Whether the scan has passed the file's position, so a file unknown now is new."""
        if self.root is None or self.root not in file.parents:
            return False
        below = [folder for folder in file.parents if self.root in folder.parents]
        looked = self.complete or file.parent in self._entered
        return looked and not any(map(self._skipped, below))

    def _skipped(self, folder: Path) -> bool:
        name = folder.name
        return name in SKIPPED_FOLDERS or name.startswith(".") or self._excluded(folder)

    def _excluded(self, path: Path) -> bool:
        if not self._exclude or self.root is None or self.root not in path.parents:
            return False
        return is_excluded(path, self.root, self._exclude)
