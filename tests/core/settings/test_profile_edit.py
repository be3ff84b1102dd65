"""Argument sets changed in settings files: only their own lines do."""

from __future__ import annotations

import tomllib

import pytest

from roofline_core.settings.profile_edit import ArgumentSet, change_profile

FILE = """\
# ours
gpu = "A100"

[profiles.small] # for a look
clock = "base"
args = "16 2" # all
select = []

# the one of the paper
[profiles."n = 100 M"]
args = ["100000000", "-x"]

[profiles."n = 100 M".kernels."scan*"]
n = "64Mi"
grid = [256, 1, 1]

[gpus.Mine]
file = "mine.toml"
"""
SCAN = {"scan*": {"n": "64Mi", "grid": [256, 1, 1]}}


def added(text: str, *, shared: bool = False) -> str | None:
    new = ArgumentSet("n = 4096", '4096 "a b"', {"*": {"n": 4096, "argv[2]": "64Ki"}})
    return change_profile(text, None, new, shared=shared)


ADDED = """\
[profiles."n = 4096"]
args = "4096 \\"a b\\""

[profiles."n = 4096".kernels."*"]
n = 4096
"argv[2]" = "64Ki"
"""


@pytest.mark.parametrize(
    ("before", "between"),
    [
        ("", ""),
        ('gpu = "A100"\n', "\n"),
        ('gpu = "A100"', "\n\n"),
        ("# nothing\n\n", ""),
        (FILE, "\n"),
    ],
)
def test_a_set_is_added_at_the_end(before: str, between: str) -> None:
    assert added(before) == before + between + ADDED


def test_a_set_of_a_shared_file_stands_in_its_table() -> None:
    before = '[project]\nname = "x"\n\n[tool.roofline-lsp]\ngpu = "A100"\n'
    after = added(before, shared=True)
    assert after == before + "\n" + ADDED.replace("[profiles.", "[tool.roofline-lsp.profiles.")
    assert added('[project]\nname = "x"\n', shared=True) is None


def test_arguments_are_changed_and_all_else_stays() -> None:
    after = change_profile(FILE, "small", ArgumentSet("small", "32", {}), shared=False)
    assert after == FILE.replace(
        'clock = "base"\nargs = "16 2" # all\n', 'args = "32"\nclock = "base"\n'
    )
    without = change_profile(FILE, "small", ArgumentSet("small", "", {}), shared=False)
    assert without == FILE.replace('args = "16 2" # all\n', "")
    assert change_profile(FILE, "small", ArgumentSet("small", "16 2", {}), shared=False) == FILE


def test_a_renamed_set_keeps_its_comments_and_its_sizes() -> None:
    new = ArgumentSet("big", "100000000 -x", SCAN)
    after = change_profile(FILE, "n = 100 M", new, shared=False)
    assert after == FILE.replace('profiles."n = 100 M"', "profiles.big")
    small = change_profile(FILE, "small", ArgumentSet("tiny", "16 2", {}), shared=False)
    assert small == FILE.replace("[profiles.small] #", "[profiles.tiny] #")


def test_sizes_are_changed_and_taken_away() -> None:
    new = ArgumentSet("n = 100 M", "100000000 -x", {"scan": {"n": 7}})
    after = change_profile(FILE, "n = 100 M", new, shared=False)
    assert after == FILE.replace('"scan*"]\nn = "64Mi"\ngrid = [256, 1, 1]', "scan]\nn = 7")
    none = ArgumentSet("n = 100 M", "1", {})
    after = change_profile(FILE, "n = 100 M", none, shared=False)
    assert after is not None
    assert tomllib.loads(after)["profiles"]["n = 100 M"] == {"args": "1"}


def test_a_set_is_taken_away_with_its_sizes_but_not_the_comment_before_the_next() -> None:
    after = change_profile(FILE, "small", None, shared=False)
    assert after == FILE.replace(
        '[profiles.small] # for a look\nclock = "base"\nargs = "16 2" # all\nselect = []\n\n', ""
    )
    assert after is not None
    last = change_profile(after, "n = 100 M", None, shared=False)
    assert last is not None
    assert "profiles" not in tomllib.loads(last)
    assert "# the one of the paper\n" in last


@pytest.mark.parametrize(
    "text",
    [
        'profiles = { big = { args = "1" } }\n',
        '[profiles]\nbig = { args = "1" }\n',
        '[profiles.big]\nargs = [\n  "1",\n  "2",\n]\n',
        "not toml [\n",
        "profiles = 1\n",
    ],
)
def test_a_set_that_is_written_otherwise_is_left_alone(text: str) -> None:
    assert change_profile(text, "big", ArgumentSet("big", "2", {}), shared=False) is None


def test_line_ends_stay() -> None:
    after = change_profile(
        FILE.replace("\n", "\r\n"), "small", ArgumentSet("s", "1", {}), shared=False
    )
    assert after is not None
    assert after.count("\n") == after.count("\r\n")
