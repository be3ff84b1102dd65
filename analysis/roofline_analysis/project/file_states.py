"""What is at a path, as a short text: equal as long as an analysis would find the same there."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roofline_core.program.asked import asked

if TYPE_CHECKING:
    from roofline_analysis.project.files import Reader
    from roofline_analysis.project.readable import Readable

NOTHING: Final = ""
"""The state of a path at which there is nothing."""
_DIGEST_BYTES: Final = 16
_MOST_STATES: Final = 200_000
"""The most states that are remembered for programs to come. A limit on memory."""
_BEGINNING: Final = 4 * 2**20
"""The bytes of a file that is too large to be read, or no text, which its state holds; the
beginning of such a data file is read (``host/inputs/workspace.py``)."""


def digest(*parts: bytes) -> str:
    """A short hash of bytes; where one part ends and the next begins counts."""
    made = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.hexdigest()


class ReadLog:
    """A reader that remembers, for one run, what each file held when it was read first."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._digests: dict[str, str | None] = {}
        self.unsteady: set[str] = set()
        """Files that did not hold the same each time: nothing that rests on them may be kept."""
        self._states: defaultdict[object, dict[str, str]] = defaultdict(dict)

    def __call__(self, path: Path) -> bytes | None:
        """The bytes of a file, or None, as the reader gives them."""
        asked((path,))
        text = self.reader(path)
        found = None if text is None else digest(text)
        name = str(path)
        if self._digests.setdefault(name, found) != found:
            self.unsteady.add(name)
        return text

    def states(self, readable: Readable) -> dict[str, str]:
        """The states found so far by programs that may read the same files, to be added to."""
        return self._states[readable.key()]

    def digest(self, path: str) -> str | None:
        """The digest of what a file held when it was read first; None where it cannot be read."""
        if path not in self._digests:
            self(Path(path))
        return self._digests[path]


class FileStates:
    """The states of paths, as one program's analysis may see them."""

    def __init__(self, log: ReadLog, readable: Readable) -> None:
        """``readable`` says what the program may read, its build files aside."""
        self._log = log
        self._readable = readable
        self._builds = readable.for_builds()
        self._known = log.states(readable)

    def of(self, path: str) -> str:
        """The state of one path: ``NOTHING``, or what kind of thing is there and what it holds.

        Of a folder that is its entries; of a file that may not be read the reason alone. Where
        something was found it stays the state for the whole run.
        """
        found = self._known.get(path)
        if found is None:
            found = self._found(path)
            if found != NOTHING:
                if len(self._known) >= _MOST_STATES:
                    self._known.clear()
                self._known[path] = found
        return found

    def _found(self, path: str) -> str:
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - a name, and thousands of them
        except (OSError, ValueError):
            return NOTHING
        if stat.S_ISDIR(mode):
            return f"folder {listing(path)}"
        if not stat.S_ISREG(mode):
            return "no file"
        file = Path(path)
        why = self._readable(file)
        if why is not None and self._builds(file) is not None:
            return f"refused {why}"
        held = self._log.digest(path) or _beginning(path)
        return f"{held} {digest(os.fsencode(self._readable.real_path(path)))} {why or ''}"

    def all_of(self, paths: Iterable[str]) -> dict[str, str]:
        """The state of each path."""
        return {path: self.of(path) for path in paths}


def listing(folder: str) -> str:
    """A digest of the names in a folder, and of which are folders."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(
                os.fsencode(entry.name) + (b"/" if entry.is_dir(follow_symlinks=False) else b"")
                for entry in entries
            )
    except OSError:
        return "closed"
    return digest(*found)


def _beginning(path: str) -> str:
    """The size and a digest of the first bytes of a regular file that the reader left out."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:  # noqa: PTH123 - a descriptor
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return "no file"
            return f"{status.st_size} {digest(file.read(_BEGINNING))}"
    except OSError:
        return "closed"
