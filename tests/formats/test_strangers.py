"""Text of strangers where it is shown."""

from __future__ import annotations

import json
import re
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from roofline_lsp.formats.strangers import json_visible, plain, visible

LINK = re.compile(r"\[[^\]]+\]\([^)]*\)")
"""What an editor takes for a link in a message."""


def obeyed(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_every_character_that_is_obeyed_is_shown() -> None:
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if obeyed(character) and character not in "\t\n":
            assert visible(character) != character, hex(number)
        elif unicodedata.category(character) != "Cn":  # newer tables may know it
            assert visible(character) == character, hex(number)


def test_how_they_are_shown() -> None:
    assert visible("a\x1b[31mb") == "a\\x1b[31mb"
    assert visible("\u202eevil\u2069") == "<U+202E>evil<U+2069>"
    assert visible("one\ttwo\r\nthree\n") == "one\ttwo\r\nthree\n"
    assert visible("over\rwritten") == "over\\x0dwritten"
    assert visible("r\xe9sum\xe9 \u03b1") == "r\xe9sum\xe9 \u03b1"
    assert visible("\udc80") == "<U+DC80>"


def test_no_link_and_no_icon_forms() -> None:
    assert plain("[x](command:evil)") == "[x] (command:evil)"
    assert plain("[a][b]") == "[a] [b]"
    assert plain("$(flame) 3") == "$ (flame) 3"


@given(st.text(alphabet="[]()$ax:\x1b\u200b\u202e\n "))
def test_nothing_slips_through(text: str) -> None:
    made = plain(text)
    assert LINK.search(made) is None
    assert "$(" not in made
    assert not any(obeyed(each) for each in made.replace("\n", ""))
    assert plain(made) == made


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20)))
def test_json_keeps_its_data(data: dict[str, str]) -> None:
    for ascii_alone in (False, True):
        made = json_visible(json.dumps(data, ensure_ascii=ascii_alone, indent=1))
        assert json.loads(made) == data
        assert not any(obeyed(each) for each in made.replace("\n", ""))
