"""Where the functions of a text lie, in bytes."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from roofline_parsers.cuda.grammar import parse


def function_extents(text: bytes) -> tuple[tuple[int, int], ...]:
    """The first byte and the byte behind the last of each function definition, in order.

    Template headers belong to their function; functions inside of functions are not told.
    """
    return tuple(_extents(parse(text).root_node))


def _extents(node: Node) -> Iterator[tuple[int, int]]:
    for child in node.children:
        inner = child.children[-1] if child.type == "template_declaration" else child
        if inner.type == "function_definition":
            yield child.start_byte, child.end_byte
        else:
            yield from _extents(child)
