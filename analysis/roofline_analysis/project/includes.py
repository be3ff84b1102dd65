"""The include relation of files, from the names in their ``#include`` lines."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path


class Includes:
    """The ``#include`` lines of a set of files.

    A name is looked up beside the file that includes it, else it is the nearest file whose path
    ends in it: the folders that a compiler would search are not known.
    """

    def __init__(self) -> None:
        self._written: dict[Path, tuple[str, ...]] = {}
        self._by_name: defaultdict[str, dict[Path, None]] = defaultdict(dict)
        self._found: dict[Path, tuple[Path, ...]] = {}
        self._users: dict[Path, dict[Path, None]] | None = None
        self._closures: dict[Path, frozenset[Path]] = {}

    def add(self, path: Path, written: Sequence[str]) -> None:
        """Add a new file."""
        self._written[path] = tuple(written)
        self._by_name[path.name][path] = None
        self._forget()

    def remove(self, path: Path) -> None:
        """Forget a file."""
        self._written.pop(path, None)
        self._by_name[path.name].pop(path, None)
        self._forget()

    def named(self, name: str) -> tuple[Path, ...]:
        """The files with a name, in any folder."""
        return tuple(self._by_name.get(name, ()))

    def closure(self, paths: Iterable[Path]) -> set[Path]:
        """The files and everything that they include, directly or not."""
        found: set[Path] = set()
        for path in paths:
            found |= self._closure(path)
        return found

    def users(self, path: Path) -> tuple[Path, ...]:
        """The files that include a file, directly or not."""
        if self._users is None:
            self._users = defaultdict(dict)
            for each in self._written:
                for included in self._included(each):
                    self._users[included][each] = None
        found: dict[Path, None] = {}
        waiting = [path]
        while waiting:
            for user in self._users.get(waiting.pop(), ()):
                if user not in found and user != path:
                    found[user] = None
                    waiting.append(user)
        return tuple(found)

    def _closure(self, path: Path) -> frozenset[Path]:
        known = self._closures.get(path)
        if known is None:
            found = {path}
            waiting = [path]
            while waiting:
                for included in self._included(waiting.pop()):
                    if included not in found:
                        found.add(included)
                        waiting.append(included)
            known = self._closures[path] = frozenset(found)
        return known

    def _included(self, path: Path) -> tuple[Path, ...]:
        known = self._found.get(path)
        if known is None:
            resolved = (self._resolve(path, name) for name in self._written.get(path, ()))
            known = self._found[path] = tuple(each for each in resolved if each is not None)
        return known

    def _resolve(self, path: Path, name: str) -> Path | None:
        base = name.rsplit("/", 1)[-1]
        candidates = self._by_name.get(base)
        if not candidates:
            return None
        beside = Path(os.path.normpath(path.parent / name))
        if beside in candidates:
            return beside
        end = "/" + os.path.normpath(name).lstrip("./")
        fitting = [each for each in candidates if each.as_posix().endswith(end) and each != path]
        return min(fitting, key=lambda each: (-_common(each, path), len(each.parts)), default=None)

    def _forget(self) -> None:
        self._found.clear()
        self._closures.clear()
        self._users = None


def _common(one: Path, other: Path) -> int:
    """The number of leading folders that two paths share."""
    return len(Path(os.path.commonpath((one.parent, other.parent))).parts)
