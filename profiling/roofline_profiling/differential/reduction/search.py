"""Texts made smaller while something holds of them: by files, declarations, statements and lines.

Delta debugging: runs of items are left out, ever shorter ones, and a run stays out if what is left
still holds. Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input (2002).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from roofline_parsers.cuda.grammar import ParseBudgetError
from roofline_parsers.cuda.removable import Cut, applied, errors_in, removable, replaceable

Files = Mapping[str, bytes]
"""Texts by the paths of their files."""
Holds = Callable[[Files], bool]
Item = TypeVar("Item")


def smallest(files: Files, holds: Holds) -> dict[str, bytes]:
    """The smallest texts found of which ``holds`` is still true, as it is of ``files``.

    A file that is not needed is empty. No text is tried that the grammar reads worse than the one
    that it was made of. ``holds`` is asked once of the same texts.
    """
    search = _Reducing(dict(files), holds)
    before = -1
    while (size := search.size()) != before:
        before = size
        search.leave_out_files()
        for path in sorted(search.files):
            search.leave_out_nodes(path)
            search.put_parts(path)
            search.leave_out_lines(path)
    return search.files


def fewest(items: Sequence[Item], holds: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """The fewest items found of which ``holds`` is still true, as it is of all.

    From the end, as what comes later uses what comes before it.
    """
    kept = list(items)
    size = len(kept)
    while size:
        end = len(kept)
        while end > 0:
            start = max(0, end - size)
            if holds(tried := kept[:start] + kept[end:]):
                kept = tried
            end = start
        size //= 2
    return kept


class _Reducing:
    """Texts that hold, and what was asked of others."""

    def __init__(self, files: dict[str, bytes], holds: Holds) -> None:
        self.files = files
        self._holds = holds
        self._asked: dict[tuple[bytes, ...], bool] = {}

    def size(self) -> int:
        """The bytes of all texts."""
        return sum(map(len, self.files.values()))

    def leave_out_files(self) -> None:
        """Empty the files that are not needed."""
        there = [path for path, text in self.files.items() if text]

        def tried(kept: Sequence[str]) -> bool:
            """Whether the difference stays with all files but ``kept`` empty."""
            left = {path: text if path in kept else b"" for path, text in self.files.items()}
            return self._try(left)

        fewest(there, tried)

    def leave_out_nodes(self, path: str) -> None:
        """Leave out declarations and statements of a file, the outer ones first."""
        depth = 0
        while True:
            text = self.files[path]
            levels = _read(removable, text) or ()
            if depth >= len(levels):
                return
            self._leave_out(path, text, levels[depth])
            depth += 1

    def put_parts(self, path: str) -> None:
        """Put parts of statements and expressions in the place of the whole."""
        after = 0
        while True:
            text = self.files[path]
            cuts = (_read(replaceable, text) or ())[after:]
            made = next(
                (at for at, cut in enumerate(cuts) if self._change(path, applied(text, (cut,)))),
                None,
            )
            if made is None:
                return
            after += made

    def leave_out_lines(self, path: str) -> None:
        """Leave out lines of a file."""
        text = self.files[path]
        cuts: list[Cut] = []
        start = 0
        for line in text.splitlines(keepends=True):
            cuts.append(Cut(start, start + len(line)))
            start += len(line)
        self._leave_out(path, text, cuts)

    def _leave_out(self, path: str, text: bytes, cuts: Sequence[Cut]) -> None:
        def tried(kept: Sequence[Cut]) -> bool:
            """Whether the difference stays with all cuts but ``kept`` made."""
            held = set(kept)
            return self._change(path, applied(text, tuple(c for c in cuts if c not in held)))

        fewest(cuts, tried)

    def _change(self, path: str, text: bytes) -> bool:
        before = _read(errors_in, self.files[path])
        after = _read(errors_in, text)
        if after is None or (before is not None and after > before):
            return False
        return self._try({**self.files, path: text})

    def _try(self, files: dict[str, bytes]) -> bool:
        key = tuple(files.values())
        if key not in self._asked:
            self._asked[key] = self._holds(files)
        if self._asked[key]:
            self.files = files
        return self._asked[key]


Read = TypeVar("Read")


def _read(reader: Callable[[bytes], Read], text: bytes) -> Read | None:
    """What is read of a text; None where it is too much for the grammar."""
    try:
        return reader(text)
    except ParseBudgetError:
        return None
