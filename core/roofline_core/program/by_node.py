"""What is remembered of syntax trees' nodes, and forgotten with the program that they are of.

A tree would otherwise live on in what is remembered of it: an editor's worker reads one with each
edit.
"""

from __future__ import annotations

from typing import Any, TypeVar

Answer = TypeVar("Answer")


class ByNode(dict[int, tuple[object, Answer]]):
    """Answers by the identity of a node; each entry holds the node too, so that it keeps its id.

    It holds what it is given until ``forget_nodes``: whoever adds to it sees that it does not grow
    without end within one program. Made for the life of the process.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        _all.append(self)


_all: list[ByNode[Any]] = []


def forget_nodes() -> None:
    """Empty all of them: another program is read."""
    for each in _all:
        each.clear()
