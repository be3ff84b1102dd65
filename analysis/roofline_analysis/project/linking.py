"""Files linked into programs, by facts from their bytes: kernels, launches, includes, calls.

The rules, first that of folders, then those of names:

- The files of a folder belong together; a folder without a ``main`` belongs to the nearest above
  that has one. Of several files with a ``main``, one is in a program.
- Of many files without any sign of a kernel those are in that are linked to the others by calls.
- What builds OpenCL kernels is in, by the macros that it defines for them and that no other does.
- What launches the kernels of a file, what defines those it launches, who includes a header, who
  names an OpenCL file, and the callers up to ``main`` are looked for elsewhere where the folder
  lacks them: those that share a header first, then the nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.project.facts import FileFacts, FileFunctions
from roofline_analysis.project.file_table import FileTable, far, is_opencl, is_unit
from roofline_analysis.project.folder_groups import FolderGroups
from roofline_core.program.records import record

_MAX_FOREIGN: Final = 16
"""From a larger group of another folder only single files are added, not the whole group."""
_MAX_UNITS: Final = 128
"""The most files of one program."""
_MAX_INCLUDERS: Final = 12
"""The most files that include a header and are read for the launches of its kernels."""
_MOST_TEXTS: Final = 400
"""The most OpenCL files without kernels among which those are looked for that define something."""
_MAX_TEXTS: Final = 48
"""The most of them that are added to a program."""
_MAX_BUILDERS: Final = 4
"""The most files that are added for the macros that they define for OpenCL kernels."""
_ROUNDS: Final = 4
"""Rounds in which files are added that define what is missing."""
_MAX_CALLERS: Final = 6
"""The longest chain of calls, from file to file, in which ``main`` is looked for."""


@record(frozen=True, slots=True)
class Linked:
    """The program of a file."""

    units: tuple[Path, ...]
    """The files that are compiled, the one with ``main`` first."""
    complete: bool
    """Whether no further file can add a missing part or fit better."""


class Links:
    """The links among files. Add and remove facts, then ask; answers are kept until a change."""

    def __init__(self, names: Callable[[Path], FileFunctions]) -> None:
        """``names`` gives the functions of a file that was added."""
        self._table = FileTable(names)
        self.forget()

    @property
    def files(self) -> int:
        """How many there are."""
        return len(self._table.facts)

    def __contains__(self, path: Path) -> bool:
        return path in self._table.facts

    def has_kernels(self, path: Path) -> bool:
        """Whether a file shows a sign of a kernel, or was not added."""
        facts = self._table.facts.get(path)
        return facts is None or facts.has_kernels

    def includes(self, path: Path) -> tuple[str, ...]:
        """The names in a file's ``#include`` lines; empty if it was not added."""
        facts = self._table.facts.get(path)
        return () if facts is None else facts.includes

    def add(self, facts: FileFacts) -> None:
        """Take a file in, or its facts anew."""
        if self._table.add(facts):
            self.forget()

    def remove(self, path: Path) -> None:
        """Forget a file."""
        if path in self:
            self._table.remove(path)
            self.forget()

    def forget(self) -> None:
        """Drop all cached answers after a change."""
        self._groups = FolderGroups(self._table)
        self._programs: dict[Path, Linked] = {}

    def program(self, path: Path) -> Linked:
        """The program of a file that was added."""
        found = self._programs.get(path)
        if found is None:
            search = _Search(self._table, self._groups, self._table.facts[path])
            found = self._programs[path] = search.run()
        return found


class _Search:
    """The search for one program."""

    def __init__(self, table: FileTable, groups: FolderGroups, wanted: FileFacts) -> None:
        self._table = table
        self._groups = groups
        self._wanted = wanted
        self._units: dict[Path, None] = {}
        self._started = False
        """Whether a unit with ``main`` is in."""
        self._doubtful = False
        """Whether a file was added because of a name alone, so another file may be meant."""

    def run(self) -> Linked:
        """The program's units, that with ``main`` first, and whether all of it was found."""
        wanted = self._wanted
        start = wanted.path if is_unit(wanted.path) else self._includer()
        if start is None:
            return Linked((), not wanted.has_kernels)
        self._start = start
        self._extend((start,))
        if start is not wanted.path:
            self._extend(self._other_includers())
        if not (is_opencl(start) and self._table.namers(start)):
            self._extend(self._groups.program_group(start, wanted))
        for _ in range(_ROUNDS):
            missing = self._missing()
            if not missing:
                break
            self._extend(missing)
            for path in missing:
                group = () if is_opencl(path) else self._groups.group(path, wanted)
                if len(group) <= _MAX_FOREIGN:
                    self._extend(group)
        self._extend(self._shared_kernel_text())
        builders = self._builders()
        self._extend(builders)
        facts = self._table.facts
        first = [*(p for p in self._units if facts[p].has_main), *builders]
        ordered = sorted(self._units, key=lambda path: (path not in first, path))
        return Linked(tuple(ordered[:_MAX_UNITS]), self._complete())

    def _extend(self, paths: Iterable[Path]) -> None:
        """Add files, but no second ``main``."""
        for path in paths:
            main = self._table.facts[path].has_main
            if path not in self._units and not (self._started and main):
                self._units[path] = None
                self._started = self._started or main

    def _shared_kernel_text(self) -> list[Path]:
        """Kernel files without kernels beside those of the program, or one folder further out.

        Hosts join them with kernels to one text; those that a kernel file includes are read there,
        and one that includes others itself is no such part.
        """
        table = self._table
        kernels = [path for path in self._units if is_opencl(path)]
        folders = dict.fromkeys(f for path in kernels for f in (path.parent, path.parent.parent))
        near = [
            path
            for folder in folders
            for path in table.folders.get(folder, ())
            if self._is_shared(path)
        ]
        return [*near, *self._defining_kernel_text([*kernels, *near])]

    def _is_shared(self, path: Path) -> bool:
        """Whether a file may be a part of kernels' texts that a host joins with others."""
        table = self._table
        return (
            is_opencl(path)
            and not table.facts[path].kernels
            and not table.facts[path].includes
            and not any(map(is_opencl, table.includes.users(path)))
        )

    def _defining_kernel_text(self, texts: Sequence[Path]) -> list[Path]:
        """Such files elsewhere that define what these name and none of them defines.

        They are many in a library whose host joins dozens; of several definitions the nearest is
        taken.
        """
        if not texts:
            return []
        table = self._table
        found: list[Path] = []
        others = [each for each in table.facts if self._is_shared(each) and each not in texts]
        if len(others) > _MOST_TEXTS:
            return []
        known = [table.names(path) for path in texts]
        for _ in range(_ROUNDS):
            used = frozenset[str]().union(*(each.words for each in known))
            missing = used.difference(*(each.given for each in known))
            added: dict[Path, None] = {}
            for name in sorted(missing):
                having = [each for each in others if name in table.names(each).given]
                best = table.nearest(having, self._start) if having else None
                if best is not None and best not in found:
                    added[best] = None
            if not added or len(found) + len(added) > _MAX_TEXTS:
                break
            found += added
            known += [table.names(path) for path in added]
        return found

    def _builders(self) -> list[Path]:
        """The files that build the OpenCL kernels, where none of the program's seems to.

        They are told by the macros for the kernels' compiler: their strings define what kernels
        call, or what their conditionals test.
        """
        table = self._table
        kernels = [path for path in self._units if is_opencl(path) or table.facts[path].opencl]
        names = [table.names(path) for path in kernels]
        used = frozenset[str]().union(*(each.called | each.tested for each in names))
        defined = frozenset[str]().union(*(table.facts[path].build_macros for path in self._units))
        return list(table.builders(used - defined, self._start, _MAX_BUILDERS))

    def _missing(self) -> list[Path]:
        """Files elsewhere that the program lacks, the next step towards each."""
        table, start = self._table, self._start
        if is_opencl(start) and not self._started:
            hosts = self._usable(table.namers(start))
            if hosts:
                return [min(hosts, key=lambda path: far(path, start))]
        inside = table.includes.closure(self._units)
        found: dict[Path, None] = {}
        for others in (*table.launchers(self._wanted), *table.definers(self._wanted)):
            best = table.nearest(self._usable(others), start)
            if best is not None and inside.isdisjoint(others):
                found[best] = None
                self._doubtful |= not table.share_header(best, start)
        for host in self._units:
            for files in table.named(host):
                best = table.nearest(files, host)
                if best is not None and inside.isdisjoint(files):
                    found[best] = None
        if not found and not self._started:
            return self._callers()
        return list(found)

    def _usable(self, candidates: Iterable[Path]) -> list[Path]:
        """Units among candidates, or for a header the best one that includes it; no second main."""
        found: dict[Path, None] = {}
        for path in candidates:
            unit: Path | None = path
            if not is_unit(path):
                users = filter(is_unit, self._table.includes.users(path))
                unit = self._table.nearest(users, self._start)
            if unit is None or unit in self._units:
                continue
            if not (self._started and self._table.facts[unit].has_main):
                found[unit] = None
        return list(found)

    def _complete(self) -> bool:
        table, wanted = self._table, self._wanted
        if not wanted.has_kernels and not is_opencl(wanted.path):
            return True
        inside = table.includes.closure(self._units)
        linked = (*table.launchers(wanted), *table.definers(wanted))
        hosts = (self._start,) if not is_opencl(self._start) else ()
        named = sum(len(table.facts[host].kernel_files) for host in hosts)
        found = sum(1 for host in hosts for _ in table.named(host))
        return (
            self._started
            and not self._doubtful
            and not any(map(inside.isdisjoint, linked))
            and found == named
        )

    def _includer(self) -> Path | None:
        """The file that a header is best read with.

        It launches the header's kernels, or has a ``main`` near it, or else is near; one beside
        the header where no file includes it.
        """
        table, wanted = self._table, self._wanted
        users = [path for path in table.includes.users(wanted.path) if is_unit(path)]
        if not users:
            beside = [p for p in table.folders.get(wanted.path.parent, ()) if p != wanted.path]
            return next(iter(self._groups.by_main(beside, wanted)), None)
        launchers = {path for paths in table.launchers(wanted) for path in paths}

        def rank(path: Path) -> tuple[object, ...]:
            """Least for a file that launches the kernels, next for one near a ``main``.

            Of equal ones the nearest comes first.
            """
            alone = launchers.isdisjoint(table.includes.closure((path,)))
            home = self._groups.home(path.parent)
            return (alone, not table.mains.get(home), *far(path, wanted.path))

        return min(users, key=rank)

    def _other_includers(self) -> list[Path]:
        """Of a header that defines kernels, the nearest files that include it, as far as are read.

        Each may launch its templates for other arguments. Of a program with ``main`` the host code
        tells. Headers without kernels, of which nothing is reported, share one program instead.
        """
        table, wanted = self._table, self._wanted
        if self._started or not wanted.kernels:
            return []
        users = [path for path in table.includes.users(wanted.path) if is_unit(path)]
        return sorted(users, key=lambda path: far(path, wanted.path))[:_MAX_INCLUDERS]

    def _callers(self) -> list[Path]:
        """The first step from a program without ``main`` towards one: a file that calls into it."""
        table = self._table
        seen = set(self._units)
        frontier = [path for path in self._units if not is_opencl(path)]
        first: dict[Path, Path] = {}
        for _ in range(_MAX_CALLERS):
            defined = frozenset[str]().union(*(table.names(path).offered for path in frontier))
            callers = [
                path
                for path in table.facts
                if path not in seen and self._may_call(path) and self._calls(path, defined)
            ]
            for path in callers if first else ():
                called = (p for p in frontier if self._calls(path, table.names(p).offered))
                nearest = table.nearest(called, path)
                assert nearest is not None  # or it would be no caller
                first[path] = first[nearest]
            first = first or {path: path for path in callers}
            mains = [path for path in callers if table.facts[path].has_main]
            best = table.nearest(mains, self._start)
            if best is not None:
                return [first[best]]
            if not callers:
                return []
            seen.update(callers)
            frontier = callers
        return []

    def _may_call(self, path: Path) -> bool:
        """Whether a file can be host code of the program: one of OpenCL's kernels has no others."""
        facts = self._table.facts[path]
        return is_unit(path) and (facts.opencl == self._wanted.opencl or not facts.has_kernels)

    def _calls(self, path: Path, defined: frozenset[str]) -> bool:
        """Whether a file calls one of the ``defined`` functions and defines none of that name."""
        names = self._table.names(path)
        return not (defined & names.called) <= names.defined
