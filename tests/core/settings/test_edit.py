"""Macros added to settings files."""

from __future__ import annotations

import tomllib

import pytest

from roofline_core.settings.edit import Insertion, insert_define


def changed(text: str, *, shared: bool = False) -> str | None:
    insertions = insert_define(text, "FAST", shared=shared)
    if insertions is None:
        return None
    lines = text.split("\n")
    for each in reversed(insertions):
        line = lines[each.line]
        lines[each.line] = line[: each.column] + each.text + line[each.column :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'defines = ["FAST"]\n'),
        ("# all about it\n", 'defines = ["FAST"]\n# all about it\n'),
        ('gpu = "A100"\n', 'gpu = "A100"\ndefines = ["FAST"]\n'),
        ('gpu = "A100"', 'gpu = "A100"\ndefines = ["FAST"]\n'),
        ('gpu = "A100"\r\n', 'gpu = "A100"\r\ndefines = ["FAST"]\r\n'),
        (
            'gpu = "A100" # ours\n\n# told once\n[advisor]\nrounds = 1\n',
            'gpu = "A100" # ours\ndefines = ["FAST"]\n\n# told once\n[advisor]\nrounds = 1\n',
        ),
        ("[advisor]\nrounds = 1\n", 'defines = ["FAST"]\n[advisor]\nrounds = 1\n'),
        ("defines = []\n", 'defines = ["FAST"]\n'),
        ("defines = [ # none\n]\n", 'defines = ["FAST" # none\n]\n'),
        ('defines = ["A"] # why\n', 'defines = ["A", "FAST"] # why\n'),
        ("defines = ['A=\"]\"', ]\n", 'defines = [\'A="]"\', "FAST", ]\n'),
        (
            'defines = [\n  "A", # one\n  "B", # two\n]\n',
            'defines = [\n  "A", # one\n  "B", # two\n  "FAST",\n]\n',
        ),
        (
            'defines = [\r\n\t"A" # one\r\n]\r\n',
            'defines = [\r\n\t"A", # one\r\n\t"FAST"\r\n]\r\n',
        ),
        (
            'exclude = [\n  "a",\n  "[b]",\n]\n"defines" = ["A"]\n',
            'exclude = [\n  "a",\n  "[b]",\n]\n"defines" = ["A", "FAST"]\n',
        ),
    ],
)
def test_an_own_file(before: str, after: str) -> None:
    assert changed(before) == after
    assert "FAST" in tomllib.loads(after)["defines"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '[project]\ndefines = ["X"]\n\n[tool.roofline-lsp]\n# ours\n\n[tool.ruff]\n',
            (
                '[project]\ndefines = ["X"]\n\n[tool.roofline-lsp]\ndefines = ["FAST"]\n# ours\n\n'
                "[tool.ruff]\n"
            ),
        ),
        ("[tool.roofline-lsp]", '[tool.roofline-lsp]\ndefines = ["FAST"]\n'),
        (
            '[tool."roofline-lsp"] # ours\ndefines = ["A"]\n[tool.roofline-lsp.advisor]\n',
            '[tool."roofline-lsp"] # ours\ndefines = ["A", "FAST"]\n[tool.roofline-lsp.advisor]\n',
        ),
    ],
)
def test_the_table_of_a_shared_file(before: str, after: str) -> None:
    assert changed(before, shared=True) == after


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("gpu = \n", False),
        ('defines = ["FAST"]\n', False),
        ('defines = "A"\n', False),
        ('defines = [["A"]]\n', False),
        ("[project]\n", True),
        ('[tool]\nroofline-lsp = {gpu = "A100"}\n', True),
    ],
)
def test_what_cannot_be_changed_is_left_alone(text: str, shared: bool) -> None:
    assert insert_define(text, "FAST", shared=shared) is None


def test_places_are_lines_and_characters() -> None:
    text = '# größe 😀\ngpu = "A100"\ndefines = ["A"]\n'
    assert insert_define(text, "FAST", shared=False) == (Insertion(2, 14, ', "FAST"'),)
