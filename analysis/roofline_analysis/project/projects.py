"""The projects that files of one request belong to, each with its own index.

Files of several checkouts may be asked for at once. What one of them defines is none of another's
business, and the limits on a scan hold for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from roofline_analysis.project.files import Reader, read_file
from roofline_analysis.project.paths import absolute, is_marked
from roofline_analysis.project.project import ProjectIndex
from roofline_core.program.units import Problem


class Projects:
    """The index of each file's project. Not thread-safe.

    The project is the folder ``root``. If neither version control nor a settings file marks that
    one, a file's project is the uppermost marked folder between the two, where there is one.
    """

    def __init__(
        self,
        root: Path | None,
        files: Iterable[Path] = (),
        folders: Iterable[Path] = (),
        *,
        exclude: Sequence[str] = (),
        reader: Reader = read_file,
    ) -> None:
        """``files`` and all that is below ``folders`` are looked at before any question.

        ``root`` and ``exclude``: as ``ProjectIndex`` has them.
        """
        self._root = None if root is None else absolute(root)
        self._is_one = self._root is None or is_marked(self._root)
        self._roots: dict[Path, Path | None] = {}
        self._indexes: dict[Path | None, ProjectIndex] = {}
        for own, members in self._by_root(files).items():
            index = ProjectIndex(own, files=members, exclude=exclude, reader=reader)
            self._indexes[own] = index
            for folder in map(absolute, folders):
                if own is None or folder == own or own in folder.parents:
                    index.look_below(folder)
                elif folder in own.parents:
                    index.look_below(own)

    def of(self, path: Path) -> ProjectIndex:
        """The index of the project of one of the files. Raises KeyError for any other project's."""
        return self._indexes[self._root_of(absolute(path).parent)]

    def grouped(self, paths: Iterable[Path]) -> list[tuple[ProjectIndex, list[Path]]]:
        """Files by their project: projects in the order of their roots, files as they come."""
        groups = self._by_root(paths)
        return [(self._indexes[own], groups[own]) for own in sorted(groups, key=str)]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The reason for each project that was not scanned in full."""
        return tuple(each for index in self._indexes.values() for each in index.problems)

    def _by_root(self, paths: Iterable[Path]) -> dict[Path | None, list[Path]]:
        groups: dict[Path | None, list[Path]] = {}
        for path in paths:
            groups.setdefault(self._root_of(absolute(path).parent), []).append(path)
        return groups

    def _root_of(self, folder: Path) -> Path | None:
        if folder not in self._roots:
            self._roots[folder] = self._found_root(folder)
        return self._roots[folder]

    def _found_root(self, folder: Path) -> Path | None:
        if self._is_one or folder == self._root or self._root not in folder.parents:
            return self._root
        above = self._root_of(folder.parent)
        return folder if above == self._root and is_marked(folder) else above
