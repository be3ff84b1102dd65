"""Which files of a library call which, by the names of their functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from roofline_analysis.project.facts import FileFunctions


class CallGraph:
    """Calls from file to file. A function that several files define is each one's own."""

    def __init__(self, files: Iterable[Path], names: Callable[[Path], FileFunctions]) -> None:
        """``names`` gives the functions of a file."""
        defining: defaultdict[str, list[Path]] = defaultdict(list)
        paths = list(files)
        for path in paths:
            for name in names(path).offered:
                defining[name].append(path)
        self._called: dict[Path, frozenset[Path]] = {}
        for path in paths:
            own = names(path)
            targets = (each for name in own.called - own.defined for each in defining[name])
            self._called[path] = frozenset(targets)

    def called(self, path: Path) -> Collection[Path]:
        """The files whose functions a file calls."""
        return self._called.get(path, frozenset())

    def callers(self, path: Path) -> Collection[Path]:
        """The files that call a file's functions.

        Of files that call each other, by way of others too, those that call more files than this
        one are its callers.
        """
        below, own = self._below(path), len(self._called.get(path, frozenset()))
        return [
            caller
            for caller, targets in self._called.items()
            if path in targets and (caller not in below or len(targets) > own)
        ]

    def _below(self, path: Path) -> set[Path]:
        """The files that a file's calls lead to."""
        found: set[Path] = set()
        waiting = [path]
        while waiting:
            new = self._called.get(waiting.pop(), frozenset()) - found
            found |= new
            waiting.extend(new)
        return found
