"""What whole runs wrote, kept as long as every path that they asked for is as it was.

A run that changes nothing reads one row and looks at each path, and neither parses, decodes nor
formats anything.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final

from roofline_analysis.project.file_states import NOTHING, digest, listing
from roofline_core.program.asked import ANYTHING
from roofline_core.program.records import record
from roofline_core.program.regular_files import is_special, read_regular_file
from roofline_lsp.batch.store import Store

_STATE: Final = b"answer"
_NEVER_READ: Final = "never read"
_MOST_BYTES: Final = 16_000_000
"""The largest file of which a state is taken; a run that asked for a larger one is not kept."""
_SETTLED_NS: Final = 2_000_000_000
"""How long before a run a file must have been changed last for its times to tell it from another.
Clocks of file systems tick as slowly as every two seconds."""


@record(frozen=True, slots=True)
class RunAnswer:
    """What a run wrote and came to."""

    out: str
    err: str
    code: int


class Answers:
    """The answers in a store. ``begun_ns`` of a run is the time before it asked for anything."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        """Opens nothing yet. ``warn`` is told, once, why the store is not used."""
        self._store = Store(folder, warn)

    def known(self, key: bytes) -> RunAnswer | None:
        """The answer to a request; None where there is none, or it rests on what has changed."""
        rows = self._store.rows(key)
        self._store.close()
        for _, value in rows:
            head, _, out = value.partition(b"\n")
            try:
                told = json.loads(head)
                if all(_is_as_told(path, each) for path, each in told["paths"].items()):
                    return RunAnswer(
                        out.decode("utf-8", "surrogatepass"), told["err"], told["code"]
                    )
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                continue
        return None

    def keep(self, key: bytes, answer: RunAnswer, paths: Collection[str], begun_ns: int) -> None:
        """Keep an answer, unless something that it rests on may have changed since it was begun."""
        told: dict[str, Any] = {}
        for path in paths:
            found = None if path == ANYTHING else _told(path, begun_ns)
            if found is None:
                return
            told[path] = found
        head = json.dumps({"paths": told, "err": answer.err, "code": answer.code})
        value = head.encode() + b"\n" + answer.out.encode("utf-8", "surrogatepass")
        self._store.put(key, _STATE, value)
        self._store.close()


def now_ns() -> int:
    """The time, as files are stamped with it."""
    return time.time_ns()


def _told(path: str, begun_ns: int) -> list[Any] | None:
    """The stamp and the state of a path; None where it may have changed after a run was begun.

    The stamp is empty where the path was changed so shortly before that it tells too little.
    """
    stamp = _stamp(path)
    if stamp is None:
        return [[], NOTHING]
    if _is_never_read(path, stamp):
        return [[], _NEVER_READ]
    changed_ns = max(stamp[-2:])
    if changed_ns >= begun_ns - _SETTLED_NS // 100:
        return None
    state = _state(path)
    if state is None:
        return None
    return [stamp if changed_ns < begun_ns - _SETTLED_NS else [], state]


def _is_as_told(path: str, told: list[Any]) -> bool:
    known, state = told
    stamp = _stamp(path)
    if stamp is None or state == NOTHING:
        return stamp is None and bool(state == NOTHING)
    if state == _NEVER_READ:
        return _is_never_read(path, stamp)
    return bool(stamp == known) or _state(path) == state


def _stamp(path: str) -> list[int] | None:
    """What tells a file or folder from another, and from itself after a change; None: nothing."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a name, and thousands of them
    except (OSError, ValueError):
        return None
    return [
        *(found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_size),
        *(found.st_mtime_ns, found.st_ctime_ns),
    ]


def _is_never_read(path: str, stamp: list[int]) -> bool:
    """Whether a path leads to what no analysis reads: a device, a pipe, a file of the system's."""
    mode = stamp[2]
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or is_special(os.path.realpath(path))


def _state(path: str) -> str | None:
    """What is at a path, where it leads; None for what is not looked into."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
        if stat.S_ISDIR(mode):
            held = listing(path)
        else:
            held = digest(read_regular_file(path, _MOST_BYTES))
        return f"{held} {stat.S_IFMT(mode)} {digest(os.fsencode(os.path.realpath(path)))}"
    except (OSError, ValueError):
        return None
