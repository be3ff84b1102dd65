"""Which files an analysis may read: the project's, by their real paths, and no others.

The sources may be a stranger's, and what is read may be sent to a language model or shown. So a
file is read only if its real path, links followed, lies below a folder of the project or below an
include folder that the person chose, not the project's settings; system headers, which everyone on
the machine may read, count too. Below such a folder nothing is read whose name, or whose folder's
name, begins with a dot. A file that is in no repository may include sources, such as
``../common/h.h``, of a few folders above it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from roofline_analysis.project.files import Reader
from roofline_analysis.project.paths import absolute, marked_root, repository_root, workspace_of
from roofline_core.program.asked import asked
from roofline_core.program.regular_files import is_special
from roofline_core.settings import PYTHON_SUFFIXES, SOURCE_SUFFIXES, Settings

MOST_ABOVE: Final = 4
"""How many folders above a file's own belong to its project where nothing marks the root."""

_SOURCES: Final = SOURCE_SUFFIXES | PYTHON_SUFFIXES | {".tcc", ".def"}
_SYSTEM: Final = ("/usr", "/opt", "/nix/store", "/gnu/store", "/Library", "/Applications")
_OUTSIDE: Final = (
    "leads out of the project and is not read: name its folder with 'include-dirs' in your own"
    " settings, or by -I"
)
_HIDDEN: Final = "is hidden, as its name or a folder's begins with a dot, and is not read"
_NO_SOURCE: Final = "is no file of a project and is not read"


class Readable:
    """The files that one program's analysis may read. Equal for equal folders."""

    def __init__(
        self,
        files: Iterable[Path] = (),
        root: Path | None = None,
        folders: Iterable[Path] = (),
    ) -> None:
        """``files`` were asked for by name: they are readable, with the folders of their projects.

        ``root`` is the folder of the project, if there is one, ``folders`` are others below which
        everything is readable. Of a folder that is more than a project, such as a home, only
        sources are.
        """
        self._below: dict[str, None] = {}
        self._reach: dict[str, None] = {}
        self._named: set[str] = set()
        self._root = root
        if root is not None and not _is_more(absolute(root)):
            self.add_folder(root)
        self._folders: dict[Path, None] = {}
        self._real_paths: dict[str, str] = {}
        for folder in folders:
            self.add_folder(folder)
        for file in files:
            self.add(file)

    @classmethod
    def of(cls, files: Iterable[Path], root: Path | None, settings: Settings) -> Readable:
        """What a program may read that is analysed with some settings."""
        own = () if "include_dirs" in settings.from_project else settings.include_dirs
        found = cls(files, root, own)
        if settings.compile_commands is not None and (
            "compile_commands" not in settings.from_project
        ):
            found.allow(settings.compile_commands)
        return found

    def add(self, file: Path) -> None:
        """Take in a file that was asked for by name, with its project."""
        self.add_project(file)
        self.allow(file)

    def add_project(self, file: Path) -> None:
        """Take in the folders of a file's project."""
        folder = absolute(file).parent
        if folder in self._folders:
            return
        self._folders[folder] = None
        repository = repository_root(folder)
        for each in (workspace_of([file], self._root), marked_root(folder), repository):
            if each is not None and not _is_more(each):
                self.add_folder(each)
        if repository is None or _is_more(repository):
            self._reach[_real(levels(folder, None)[-1])] = None

    def add_folder(self, folder: Path) -> None:
        """Make everything below a folder readable."""
        self._below[_real(folder)] = None

    def allow(self, file: Path) -> None:
        """Make one file readable, wherever it leads but to the system's special files."""
        if self(file):
            self._named.add(os.path.abspath(file))  # noqa: PTH100 - links stay as they are

    def folders(self) -> tuple[Path, ...]:
        """The folders below which everything is readable, without links."""
        return tuple(map(Path, self._below))

    def forget(self) -> None:
        """Look again where folders lead: one may have become a link."""
        self._real_paths.clear()

    def key(self) -> tuple[frozenset[str], ...]:
        """What two of them are equal by."""
        return frozenset(self._below), frozenset(self._reach), frozenset(self._named)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Readable) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __call__(self, path: Path) -> str | None:
        """Why a path may not be read, to follow its name in a sentence; None where it may.

        Empty where it may not, and there is nothing.
        """
        asked((path,))
        try:
            real = self.real_path(str(path))
        except (OSError, ValueError):  # a null character, a loop of links
            return _NO_SOURCE
        if is_special(real):
            return _NO_SOURCE
        if os.path.abspath(path) in self._named:  # noqa: PTH100
            return None
        inside = [root for root in self._below if _is_below(real, root)]
        if not inside and os.path.splitext(real)[1].lower() in _SOURCES:  # noqa: PTH122
            inside = [root for root in self._reach if _is_below(real, root)]
        if any(not _is_hidden(real, root) for root in inside):
            return None
        if not os.path.lexists(real):
            return ""
        if inside:
            return _HIDDEN
        return None if _is_system_header(real) else _OUTSIDE

    def guarding(self, reader: Reader) -> Reader:
        """A reader of these files alone."""
        return lambda path: reader(path) if self(path) is None else None

    def for_builds(self) -> Readable:
        """The same for build files, whose names have any ending."""
        found = Readable()
        found._below = {**self._below, **self._reach}
        found._named = self._named
        return found

    def real_path(self, path: str) -> str:
        """A path without links. Folders are looked up once. Raises OSError and ValueError."""
        folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100
        real = self._real_paths.get(folder)
        if real is None:
            real = self._real_paths[folder] = os.path.realpath(folder)
        whole = os.path.join(real, name)  # noqa: PTH118
        try:
            is_link = stat.S_ISLNK(os.lstat(whole).st_mode)
        except OSError:
            return os.path.normcase(whole)
        return os.path.normcase(os.path.realpath(whole) if is_link else whole)


def levels(folder: Path, root: Path | None) -> tuple[Path, ...]:
    """A folder and those above it that belong to its project, the nearest first.

    ``root`` is the project's, where something marks it.
    """
    found = [folder]
    if folder == root:
        return (folder,)
    for count, above in enumerate(folder.parents):
        if root is None and (count >= MOST_ABOVE or _is_home(above)):
            break
        found.append(above)
        if above == root:
            break
    return tuple(found)


def _is_home(folder: Path) -> bool:
    """Whether a folder is somebody's whole world: a home, one above it, or the root of files."""
    home = Path.home()
    return folder in (home, *home.parents) or folder.parent == folder


def _is_more(folder: Path) -> bool:
    """Whether a folder is more than a project: a home, or one where everybody has files."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        mode = 0
    return _is_home(folder) or (bool(mode & stat.S_ISVTX) and bool(mode & stat.S_IWOTH))


def _real(folder: Path) -> str:
    return os.path.normcase(os.path.realpath(folder))


def _is_below(real: str, root: str) -> bool:
    return real.startswith(root if root.endswith(os.sep) else root + os.sep)


def _is_hidden(real: str, root: str) -> bool:
    return f"{os.sep}." in real[len(root) - root.endswith(os.sep) :]


def _is_system_header(real: str) -> bool:
    """Whether a file is the system's and everyone's to read."""
    programs = (os.environ.get("PROGRAMFILES"),) if os.name == "nt" else _SYSTEM
    if not any(folder and _is_below(real, os.path.normcase(folder)) for folder in programs):
        return False
    try:
        status = os.stat(real)  # noqa: PTH116
    except OSError:
        return False
    return os.name == "nt" or (status.st_uid == 0 and bool(status.st_mode & stat.S_IROTH))
