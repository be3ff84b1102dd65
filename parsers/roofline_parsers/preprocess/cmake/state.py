"""What a run of a CMake project knows at one place, and the steps that it may still take."""

from __future__ import annotations

import os
from copy import copy
from pathlib import Path
from typing import Final, Self

from roofline_parsers.preprocess.cmake.conditions import Truth
from roofline_parsers.preprocess.cmake.syntax import Node
from roofline_parsers.preprocess.cmake.targets import CMakeFolder, CMakeTarget, FlagEntry
from roofline_parsers.preprocess.cmake.values import UNKNOWN, CMakeScope, CMakeVariables
from roofline_parsers.preprocess.result import Reader

_MOST_STEPS: Final = 60_000
"""Commands that one run executes."""
_MOST_FILES: Final = 400
_MOST_BYTES: Final = 1 << 20
"""The longest build file that is read."""

GuardedArgument = tuple[frozenset[str], bool, str, str]
"""Options that are off, and what they guard.

Whether that enters a folder, its argument as written, and as a path.
"""


class RunState:
    """Variables, folders and targets, and where in them the run is."""

    def __init__(self, top: Path, reader: Reader, given: dict[str, str]) -> None:
        """``given``: cache variables, as ``cmake -DNAME=VALUE`` sets them."""
        self.top = top
        self.variables = CMakeVariables(given.items())
        self.folders: dict[Path, CMakeFolder] = {}
        self.scopes: dict[Path, CMakeScope] = {}
        """The variables at the end of each folder."""
        self.targets: dict[str, CMakeTarget] = {}
        self.of_files: list[tuple[str, FlagEntry]] = []
        """What is said of single files, by path."""
        self.configured: list[FlagEntry] = []
        """What headers define that the project writes."""
        self.limits: dict[str, None] = {}
        """What was not read because there was too much of it."""
        self.when: frozenset[int] = frozenset()
        """The branches that the run is in of which nobody knows whether they are taken."""
        self.here = CMakeFolder(top)
        self.options: set[str] = set()
        """Options that are off by default."""
        self.switched_off: list[tuple[frozenset[str], Path, list[Node]]] = []
        """Branches that options which are off keep from being taken, with their folder."""
        self.guarded: list[GuardedArgument] | None = None
        """What is in them, once it was asked for."""
        self._shared: frozenset[int] = frozenset()
        """The targets, by identity, that another run has too: they are copied before a change."""
        self._reader = reader
        self._steps = 0
        self._files = 0

    def copied(self, reader: Reader) -> Self:
        """What a run that has ended came to, to be resumed by itself with another reader.

        Folders and scopes that have ended are not changed any more, so both runs have them.
        """
        found = copy(self)
        found.variables = self.variables.copied()
        found.scopes = dict(self.scopes)
        found.folders = dict(self.folders)
        found.targets = dict(self.targets)
        found._shared = frozenset(map(id, self.targets.values()))
        found.of_files = [*self.of_files]
        found.configured = [*self.configured]
        found.limits = dict(self.limits)
        found.options = set(self.options)
        found.switched_off = [*self.switched_off]
        found.guarded = None
        found._reader = reader
        return found

    # ---- Limits

    def step(self) -> bool:
        """Count one command; False where there were too many."""
        self._steps += 1
        if self._steps > _MOST_STEPS or self.variables.left <= 0:
            self.limits["its build files run for too long"] = None
            return False
        return True

    def read(self, path: Path) -> str | None:
        """The text of a build file; None where there is none or too many were read."""
        if self._files >= _MOST_FILES:
            self.limits[f"there are more than {_MOST_FILES} build files"] = None
            return None
        text = self._reader(path)
        if text is None:
            return None
        self._files += 1
        if len(text) > _MOST_BYTES:
            self.limits[f"'{path.name}' is longer than {_MOST_BYTES >> 20} MiB"] = None
            return None
        return text.decode("utf-8", "replace")

    # ---- What commands do

    def path(self, text: str) -> Path:
        """A path relative to the present folder, made absolute."""
        return Path(os.path.normpath(self.here.path / text))

    def add(
        self,
        entries: list[FlagEntry],
        kind: str,
        words: list[str],
        *,
        own: bool = True,
        on: bool = False,
    ) -> None:
        """Add what one command gives; ``on``: those that link the target take it, too."""
        if words:
            text = ";".join(words)
            entries.append(FlagEntry(kind, text, self.here.path, self.when, own, on))

    def target(self, name: str, words: list[str]) -> CMakeTarget:
        """A new target, or an old one with further sources."""
        found = self.changing(name)
        if found is None:
            found = self.targets[name] = CMakeTarget(name, self.here, self.when)
        found.sources += [str(self.path(word)) for word in words if UNKNOWN not in word]
        return found

    def shares(self, target: CMakeTarget) -> bool:
        """Whether it is still the target of the run that this one goes on from."""
        return id(target) in self._shared and self.targets.get(target.name) is target

    def changing(self, name: str) -> CMakeTarget | None:
        """A target that is about to be changed; None where there is none of this name."""
        found = self.targets.get(name)
        if found is None or id(found) not in self._shared:
            return found
        made = found.copied()
        for alias in [alias for alias, each in self.targets.items() if each is found]:
            self.targets[alias] = made
        return made

    def asked(self, test: str, name: str) -> Truth:
        """The answer to a condition that is no matter of variables."""
        if test == "TARGET":
            return True if name in self.targets else None if "::" in name else False
        if test == "EXISTS" and self._reader(self.path(name)) is not None:
            return True
        return False if test == "TEST" else None

    def unknown(self, names: list[str]) -> None:
        """The variables of these names may have any value from now on."""
        for name in names:
            if name.isidentifier():
                self.variables.set(name, UNKNOWN)
