"""Folders of a project in which its own headers are found, where no build file names them."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from roofline_analysis.project.paths import absolute
from roofline_core.program.asked import asked
from roofline_core.settings import SOURCE_SUFFIXES
from roofline_parsers.preprocess.predefined import KNOWN_HEADERS

_MOST_FOLDERS: Final = 20_000
"""The most folders whose headers are listed."""
_MOST_FILES: Final = 1_000
"""The most files of one program whose ``#include`` lines are looked at."""
_TOOLKITS: Final = frozenset(
    "ATen asm bits boost c10 cooperative_groups cub cuda cute cutlass Eigen hip hipcub linux mpi"
    " nv opencv2 pybind11 rocprim sys thrust torch".split()
)
"""First folders of headers that stay away, even if a project carries them along: they are the
toolkits', whose classes have models, or too large to be read for a kernel."""


class HeaderNames:
    """Where the headers below a folder lie, by file name; the folders are listed once.

    They are listed again once a header has gone, which may have been moved: not every client tells
    of files that it did not move itself.
    """

    def __init__(self, root: Path, skipped: Callable[[Path], bool]) -> None:
        """``skipped``: whether a folder is left out, with those below it."""
        self._root = root
        self._skipped = skipped
        self._paths: defaultdict[str, dict[Path, None]] | None = None

    def nearest(self, name: str, user: Path) -> Path | None:
        """The header nearest to a file whose path ends in ``name``; None if there is none."""
        end = "/" + name
        found = self._listed().get(name.rsplit("/", 1)[-1], ())
        fitting = [each for each in found if each.as_posix().endswith(end) and each != user]
        return min(fitting, key=lambda each: (_apart(each, user), each.as_posix()), default=None)

    def update(self, path: Path) -> None:
        """Look again whether a file is there; if one has gone, where it may be now."""
        if self._paths is None:
            return
        if path.is_file():
            if _is_header(path.name) and self._root in path.parents:
                self._paths[path.name][path] = None
        elif path in self._paths.get(path.name, ()):
            self.forget()

    def forget(self) -> None:
        """List the folders again."""
        self._paths = None

    def _listed(self) -> defaultdict[str, dict[Path, None]]:
        if self._paths is None:
            self._paths = defaultdict(dict)
            for path in self._walk():
                self._paths[path.name][path] = None
        return self._paths

    def _walk(self) -> Iterator[Path]:
        waiting = deque((self._root,))
        for _ in range(_MOST_FOLDERS):
            if not waiting:
                return
            folder = waiting.popleft()
            asked((folder,))
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    path = Path(entry.path)
                    if not self._skipped(path):
                        waiting.append(path)
                elif _is_header(entry.name):
                    yield Path(entry.path)


def folders_of_headers(
    units: Iterable[Path], written: Callable[[Path], tuple[str, ...]], names: HeaderNames
) -> tuple[Path, ...]:
    """The folders to search so that files and what they include find the headers of a project.

    ``written`` gives the names in a file's ``#include`` lines. A name that is neither beside its
    file nor in a folder found already is looked up by the end of its path. Those of toolkits and,
    without a folder, of the standard library (``<math.h>``) are left alone.
    """
    folders: dict[Path, None] = {}
    seen: set[Path] = set()
    waiting = deque(units)
    while waiting and len(seen) < _MOST_FILES:
        user = waiting.popleft()
        if user in seen:
            continue
        seen.add(user)
        for name in written(user):
            header = _header(user, name, folders, names)
            if header is not None:
                waiting.append(header)
    return tuple(folders)


def _header(user: Path, name: str, folders: dict[Path, None], names: HeaderNames) -> Path | None:
    """The header that a name means; its folder is added to ``folders`` where needed."""
    for folder in (user.parent, *folders):
        path = absolute(folder / name)
        asked((path,))
        if os.path.isfile(path):  # noqa: PTH113 - no name raises in it, be it longer than any file has
            return path
    if name.split("/", 1)[0] in _TOOLKITS or not _is_own(name):
        return None
    path_end = os.path.normpath(name)
    found = names.nearest(path_end.lstrip("./"), user)
    if found is not None and not path_end.startswith(".."):
        folders[Path(found.as_posix()[: -len(path_end) - 1] or "/")] = None
    return found


def _is_own(name: str) -> bool:
    """Whether a name can be a project's header: ``a/b.h``, ``b.cuh``, not ``math.h``."""
    known = name.encode() in KNOWN_HEADERS or name in _MORE_STANDARD
    return _is_header(name) and not known


def _is_header(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in _SUFFIXES  # noqa: PTH122


def _apart(path: Path, user: Path) -> int:
    """How many folders lie between two files."""
    common = len(Path(os.path.commonpath((path.parent, user.parent))).parts)
    return len(path.parent.parts) + len(user.parent.parts) - 2 * common


_SUFFIXES: Final = SOURCE_SUFFIXES | {".inc", ".inl", ".ipp", ".tcc"}
_MORE_STANDARD: Final = frozenset(
    "complex.h fenv.h locale.h malloc.h memory.h omp.h setjmp.h tgmath.h uchar.h wchar.h wctype.h "
    "alloca.h byteswap.h dirent.h dlfcn.h endian.h execinfo.h fcntl.h fnmatch.h getopt.h glob.h "
    "grp.h ifaddrs.h langinfo.h libgen.h netdb.h poll.h pwd.h sched.h semaphore.h sysexits.h "
    "syslog.h termios.h ucontext.h utime.h wordexp.h "
    "arm_neon.h cpuid.h emmintrin.h immintrin.h intrin.h nmmintrin.h pmmintrin.h smmintrin.h "
    "tmmintrin.h windows.h winsock2.h x86intrin.h xmmintrin.h".split()
)
"""Headers of C, of systems and compilers that the preprocessor does not name among those it knows.

Those are left out that projects call their own headers, too: ``error.h``, ``search.h``."""
