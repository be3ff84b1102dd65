"""The paths that a piece of work asks for, whether there is anything at them or not.

What is made from files has to be made anew once one of them changes, and so where a file appears
that was looked for in vain. Whoever keeps results does the work inside ``asking``; whoever opens
files, or takes them from a cache, tells so by ``asked``. Without ``asking`` that costs one look
into a context variable, and threads and tasks do not mix.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

ANYTHING: Final = "\0"
"""In place of a path: a result rests on what no path tells, and is not to be kept."""

_IN_FORCE: ContextVar[set[str] | None] = ContextVar("roofline_lsp_asked", default=None)


@contextmanager
def asking() -> Iterator[set[str]]:
    """The paths that are asked for inside; they count for an outer ``asking``, too."""
    outer = _IN_FORCE.get()
    paths: set[str] = set()
    token = _IN_FORCE.set(paths)
    try:
        yield paths
    finally:
        _IN_FORCE.reset(token)
        if outer is not None:
            outer |= paths


def asked(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Tell that the work under way rests on what is at these paths."""
    found = _IN_FORCE.get()
    if found is not None:
        found.update(os.fspath(path) for path in paths)
