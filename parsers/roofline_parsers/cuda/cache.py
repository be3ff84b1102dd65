"""What is kept between parses: units of shared headers, and trees to parse edits from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from roofline_parsers.cuda.grammar import Tree
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.preprocess import PreprocessedFile


class ParseCache:
    """Results by preprocessed file, and each path's last tree.

    ``keep_trees`` is for an editor: the next text of a path is parsed from its last tree, which
    costs a fraction of a full parse.
    """

    def __init__(self, *, keep_trees: bool = False) -> None:
        self._parsed: dict[int, tuple[PreprocessedFile, object]] = {}
        self._keep_trees = keep_trees
        self._trees: dict[Path, tuple[bytes, Tree]] = {}

    def get(self, pre: PreprocessedFile) -> object | None:
        """The result stored for this object; None if there is none."""
        entry = self._parsed.get(id(pre))
        return None if entry is None else entry[1]

    def put(self, pre: PreprocessedFile, parsed: object) -> None:
        """Stores a result; the file is stored too, so that no other object gets its id."""
        self._parsed[id(pre)] = (pre, parsed)

    def drop(self, pre: PreprocessedFile) -> None:
        """Deletes the result of a file."""
        self._parsed.pop(id(pre), None)

    def keep_only(self, files: Iterable[PreprocessedFile]) -> None:
        """Deletes the results of all files but these."""
        self._parsed = {id(pre): self._parsed[id(pre)] for pre in files if id(pre) in self._parsed}

    def forget_units(self) -> None:
        """Deletes all results, as after a header's change; trees stay, to parse edits from."""
        self._parsed.clear()

    def is_broken(self, path: Path) -> bool:
        """Whether the last tree of a path has syntax errors; True where there is no tree."""
        last = self._trees.get(path)
        return last is None or last[1].root_node.has_error

    def parse(self, source: ParserInput) -> Tree:
        """A tree of the text, parsed from the path's last one if there is one.

        What the parser makes of broken code depends on what it has of an older tree, so such a text
        is parsed anew: a report must not tell which texts came before.
        """
        if not self._keep_trees:
            return source.parse()
        old = self._trees.get(source.path)
        tree = source.parse(None if old is None else _edited(*old, source.text))
        if old is not None and tree.root_node.has_error:
            source.tree = None
            tree = source.parse()
        self._trees[source.path] = (source.text, tree)
        return tree


def _edited(old_text: bytes, old_tree: Tree, new_text: bytes) -> Tree:
    """A copy of a tree in which the range that differs between two texts is marked as edited."""
    start = common_prefix(old_text, new_text)
    limit = min(len(old_text), len(new_text)) - start
    tail = common_prefix(old_text[::-1][:limit], new_text[::-1][:limit])
    old_end = len(old_text) - tail
    new_end = len(new_text) - tail
    tree = old_tree.copy()
    tree.edit(
        start_byte=start,
        old_end_byte=old_end,
        new_end_byte=new_end,
        start_point=_point(old_text, start),
        old_end_point=_point(old_text, old_end),
        new_end_point=_point(new_text, new_end),
    )
    return tree


def common_prefix(first: bytes, second: bytes) -> int:
    """The length of the common prefix, by halving: slices compare at memory speed."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(text: bytes, offset: int) -> tuple[int, int]:
    row = text.count(b"\n", 0, offset)
    return row, offset - (text.rfind(b"\n", 0, offset) + 1)
