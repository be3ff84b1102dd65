"""Groups of files that belong together by their folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.project.call_graph import CallGraph
from roofline_analysis.project.facts import FileFacts
from roofline_analysis.project.file_table import FileTable, far, is_opencl, is_unit
from roofline_analysis.project.files import DEVICE_SUFFIXES
from roofline_core.settings import PYTHON_SUFFIXES

_MAX_PLAIN: Final = 16
"""The most files without a sign of a kernel that join a group; of more, only those linked by
calls."""
MAX_LIBRARY: Final = 16
"""The most files of a folder without ``main`` that are one program; of more, a file's program has
those that it calls and that call it. A limit on the work."""
_MAX_LEVELS: Final = 6
"""The longest chain of calls, from file to file, that is followed in a library."""
_MAX_CALLERS: Final = 6
"""The most callers that are followed at each level of such a chain, the nearest."""


class FolderGroups:
    """The groups of a table's files. Make a new one when the table has changed."""

    def __init__(self, table: FileTable) -> None:
        self._table = table
        self._groups: dict[tuple[Path, Path | None], tuple[Path, ...]] = {}
        self._folders: defaultdict[Path, list[Path]] | None = None

    def home(self, folder: Path) -> Path:
        """The folder with the ``main`` that a folder's files belong to: itself or one above."""
        for above in (folder, *folder.parents):
            if self._table.mains.get(above):
                return above
        return folder

    def group(self, path: Path, wanted: FileFacts) -> tuple[Path, ...]:
        """The files that belong to a file by their folders, among them one with a ``main``.

        Of several it is the file itself, or else the one that ``wanted`` is linked with.
        """
        home = self.home(path.parent)
        mains = self._table.mains.get(home, {})
        main = path if path in mains else None
        if main is None and mains:
            main = self.by_main(mains, wanted)[0]
        key = (home, main)
        found = self._groups.get(key)
        if found is None:
            found = self._groups[key] = self._members(home, main)
        return found

    def program_group(self, path: Path, wanted: FileFacts) -> tuple[Path, ...]:
        """The files of a file's group that are one program with it: of a large library, few."""
        group = self.group(path, wanted)
        mains = any(self._table.facts[each].has_main for each in group)
        if mains or len(group) <= MAX_LIBRARY:
            return group
        if is_opencl(path):  # No kernel file is linked with another.
            hosts = tuple(each for each in group if not is_opencl(each))
            return (path, *hosts) if len(hosts) < MAX_LIBRARY else (path,)
        return self._around(path, group)

    def by_main(self, mains: Iterable[Path], wanted: FileFacts) -> list[Path]:
        """Files, that which a file is most likely linked with first.

        Of several that launch kernels of its kernels' names, one that shares a header is.
        """
        found = list(mains)
        if len(found) < 2:
            return found
        table = self._table
        defined = frozenset[str]()
        if is_unit(wanted.path) and not is_opencl(wanted.path):
            defined = table.names(wanted.path).defined

        def rank(path: Path) -> tuple[object, ...]:
            """Least where a file launches the wanted kernels, includes the file or calls into it.

            In this order of weight; then device files come before others.
            """
            facts = table.facts[path]
            launches = bool(wanted.kernels & (facts.launched | facts.looked_up))
            return (
                not launches,
                launches and not table.share_header(path, wanted.path),
                wanted.path not in table.includes.closure((path,)),
                not (defined and defined & table.names(path).called),
                path.suffix.lower() not in DEVICE_SUFFIXES,
                path,
            )

        return sorted(found, key=rank)

    def _members(self, home: Path, main: Path | None) -> tuple[Path, ...]:
        table = self._table
        signed: dict[Path, None] = {} if main is None else {main: None}
        plain: list[Path] = []
        for folder in self._folders_of(home):
            for path in sorted(table.folders[folder]):
                facts = table.facts[path]
                if facts.has_main:
                    continue
                if facts.has_kernels or is_opencl(path):
                    signed[path] = None
                elif path.suffix.lower() not in PYTHON_SUFFIXES:
                    plain.append(path)
        if len(plain) > _MAX_PLAIN:
            plain = self._linked_by_calls(list(signed), plain)
        if main is not None:
            signed = dict.fromkeys(self._without_rivals(main, signed))
        return (*signed, *plain)

    def _without_rivals(self, main: Path, units: Iterable[Path]) -> list[Path]:
        """The units without those of which another one defines the kernels that ``main`` means.

        The steps of a series, each with a ``main`` and kernels of the same names, lie in one
        folder: those are meant that share a header with the ``main``.
        """
        table, launched = self._table, self._table.facts[main].launched
        definers: defaultdict[str, list[Path]] = defaultdict(list)
        for path in units:
            for name in table.facts[path].kernels & launched:
                definers[name].append(path)
        rivals: set[Path] = set()
        for found in definers.values():
            near = [each for each in found if each == main or table.share_header(each, main)]
            if near and len(found) > 1:
                rivals.update(each for each in found if each not in near)
        return [path for path in units if path not in rivals]

    def _around(self, start: Path, group: Iterable[Path]) -> tuple[Path, ...]:
        """A file, the files that lead to a call of it, and those that it calls."""
        # A group of very many files leaves out those that neither call nor are called.
        calls = CallGraph(dict.fromkeys((start, *group)), self._table.names)
        found = {start: None}

        def follow(step: Callable[[Path], Collection[Path]], most: int) -> None:
            """Add what is reached by ``step``, at most the nearest ``most`` files a level.

            Ends before the level that would make more than ``MAX_LIBRARY`` files.
            """
            frontier = [start]
            for _ in range(_MAX_LEVELS):
                new = {path for known in frontier for path in step(known)} - found.keys()
                if len(found) + min(len(new), most) > MAX_LIBRARY:
                    return
                frontier = sorted(new, key=lambda path: far(path, start))[:most]
                found.update(dict.fromkeys(frontier))

        follow(calls.callers, _MAX_CALLERS)
        follow(calls.called, MAX_LIBRARY)
        return tuple(found)

    def _folders_of(self, home: Path) -> Sequence[Path]:
        """The folders whose files belong to a folder."""
        if self._folders is None:
            self._folders = defaultdict(list)
            for folder in self._table.folders:
                self._folders[self.home(folder)].append(folder)
        return self._folders.get(home, ())

    def _linked_by_calls(self, base: Sequence[Path], others: Sequence[Path]) -> list[Path]:
        """The other files that call or are called by ``base``, and the files that these call."""
        names = self._table.names
        hosts = [path for path in base if not is_opencl(path)]
        called = frozenset[str]().union(*(names(path).called for path in hosts))
        defined = frozenset[str]().union(*(names(path).defined for path in hosts))
        found: dict[Path, None] = {}
        while True:
            new = [
                path
                for path in others
                if path not in found
                and (called & names(path).defined or defined & names(path).called)
            ]
            if not new:
                return list(found)
            found.update(dict.fromkeys(new))
            called = called.union(*(names(path).called for path in new))
