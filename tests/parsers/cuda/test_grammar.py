"""How the parser is handed a text: in pieces, which are the same few objects each time."""

from __future__ import annotations

import gc

import pytest
from tree_sitter import Parser

from roofline_parsers.cuda import grammar


def test_the_parser_leaves_no_objects_behind() -> None:
    def views() -> int:
        return sum(isinstance(each, memoryview) for each in gc.get_objects())

    # Jumps back and forth, for which the parser asks for the text again.
    text = b"a < b > (c); a < b; template <class T> void f(T<a>(x)) { y = (a)(b) * c; }\n" * 50
    grammar.parse(text)
    before = views()
    for _ in range(20):
        grammar.parse(text)
    assert views() == before


@pytest.mark.parametrize("last", ["é", "…", "😀", "/* … */", '"…'])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 65_534, 65_535, 131_071])
def test_characters_at_the_ends_of_pieces_are_whole(length: int, last: str) -> None:
    for end in ("", " x;"):
        text = (" " * length + last + end).encode()
        whole, read = Parser(grammar.LANGUAGE).parse(text), grammar.parse(text)
        assert str(read.root_node) == str(whole.root_node)
        assert read.root_node.end_byte == whole.root_node.end_byte
