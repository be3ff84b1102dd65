"""Files with their facts, looked up by folder, by kernel and by the files that they name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from roofline_analysis.project.facts import FileFacts, FileFunctions
from roofline_analysis.project.files import UNIT_SUFFIXES
from roofline_analysis.project.includes import Includes
from roofline_core.program.units import OPENCL_SUFFIXES

_Index = defaultdict[Any, dict[Path, None]]


class FileTable:
    """The scanned files of a project."""

    def __init__(self, names: Callable[[Path], FileFunctions]) -> None:
        """``names`` gives the functions of a file that was added."""
        self.facts: dict[Path, FileFacts] = {}
        self.names = names
        self.includes = Includes()
        self.folders: _Index = defaultdict(dict)
        """Units by their folder."""
        self.mains: _Index = defaultdict(dict)
        """Units with a ``main`` by their folder."""
        self._defining: _Index = defaultdict(dict)
        self._launching: _Index = defaultdict(dict)
        self._naming: _Index = defaultdict(dict)
        self._building: _Index = defaultdict(dict)

    def add(self, facts: FileFacts) -> bool:
        """Add a file or replace its facts; True if that changes the table."""
        if self.facts.get(facts.path) == facts:
            return False
        self.remove(facts.path)
        self.facts[facts.path] = facts
        for table, key in self._keys(facts):
            table[key][facts.path] = None
        self.includes.add(facts.path, facts.includes)
        return True

    def remove(self, path: Path) -> None:
        """Forget a file."""
        facts = self.facts.pop(path, None)
        if facts is None:
            return
        for table, key in self._keys(facts):
            table[key].pop(path, None)
        self.includes.remove(path)

    def launchers(self, facts: FileFacts) -> list[Collection[Path]]:
        """For each kernel of a file, the files that seem to launch it."""
        names = sorted(facts.kernels)
        return [self._launching.get((name, facts.opencl), {}) for name in names]

    def definers(self, facts: FileFacts) -> list[Collection[Path]]:
        """For each kernel that a file launches, the files that seem to define it."""
        names = sorted(facts.launched)
        return [self._defining.get((name, facts.opencl), {}) for name in names]

    def namers(self, path: Path) -> list[Path]:
        """The hosts with a string that names an OpenCL file."""
        return [
            host
            for host in self._naming.get(path.name, ())
            if any(_names(written, path) for written in self.facts[host].kernel_files)
        ]

    def named(self, host: Path) -> Iterator[list[Path]]:
        """For each OpenCL file name in a host file, the files that may be meant."""
        for written in self.facts[host].kernel_files:
            files = [path for path in self.includes.named(_base(written)) if is_unit(path)]
            fitting = [path for path in files if _names(written, path)]
            if fitting or files:
                yield fitting or files

    def builders(self, names: Iterable[str], start: Path, most: int) -> Iterator[Path]:
        """Units whose strings define these macros: each has most of those that are left.

        Of equal ones the nearest comes first.
        """
        left = {name for name in names if name in self._building}
        for _ in range(most):
            found = Counter(path for name in left for path in self._building[name] if is_unit(path))
            if not found:
                return
            best = min(found, key=lambda path: (-found[path], *far(path, start)))
            left -= self.facts[best].build_macros
            yield best

    def nearest(self, paths: Iterable[Path], start: Path) -> Path | None:
        """The path that shares a header with ``start``, or else the nearest; None without paths."""
        return min(
            paths,
            key=lambda path: (not self.share_header(path, start), *far(path, start)),
            default=None,
        )

    def share_header(self, one: Path, other: Path) -> bool:
        """Whether two files include a common file of the project, or one the other."""
        mine, others = self.includes.closure((one,)), self.includes.closure((other,))
        return bool((mine - {one}) & others or mine & (others - {other}))

    def _keys(self, facts: FileFacts) -> Iterator[tuple[_Index, object]]:
        path = facts.path
        if is_unit(path):
            yield self.folders, path.parent
            if facts.has_main:
                yield self.mains, path.parent
        for name in facts.kernels:
            yield self._defining, (name, facts.opencl)
        for name in facts.launched | facts.looked_up:
            yield self._launching, (name, facts.opencl)
        for name in facts.kernel_files:
            yield self._naming, _base(name)
        for name in facts.build_macros:
            yield self._building, name


def far(path: Path, start: Path) -> tuple[int, int, str]:
    """Sort key of distance between two files: folders apart, shared name parts, then name."""
    one, other = path.parent.parts, start.parent.parts
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    alike = len({*one, path.stem} & {*other, start.stem})
    return len(one) + len(other) - 2 * common, -alike, path.as_posix()


def is_unit(path: Path) -> bool:
    """Whether a file is compiled by itself."""
    return path.suffix.lower() in UNIT_SUFFIXES


def is_opencl(path: Path) -> bool:
    """Whether a file is compiled by the program when it runs."""
    return path.suffix.lower() in OPENCL_SUFFIXES


def _names(written: str, path: Path) -> bool:
    """Whether a string with the end of a path, or the name alone, can mean a file."""
    return path.as_posix().endswith("/" + written.replace("\\", "/").lstrip("./"))


def _base(written: str) -> str:
    return written.replace("\\", "/").rsplit("/", 1)[-1]
