"""Completion for shells and the manual page, made from the parsers."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from roofline_lsp.cli.main import COMMANDS, parser
from roofline_lsp.cli.parsers import commands_told

Run = Callable[..., Any]


def test_every_command_is_told_with_its_options() -> None:
    told = {each.name: each for each in commands_told()}
    assert set(told) == {"check", "validate", "profile", *COMMANDS}
    names = {name for option in told["check"].options for name in option.names}
    expected = {name for action in parser()._actions for name in action.option_strings}
    assert expected - names == {"--check", "--validate", "--profile", "-h", "--help"}
    assert told["completion"].positionals[0][2] == ("bash", "zsh", "fish")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["check", "--format", "js"], ["json"]),
        (["--check", "--clock", ""], ["base", "boost"]),
        (["sw"], ["sweep"]),
        (["sweep", "--plo"], ["--plot"]),
        (["completion", "f"], ["fish"]),
        (["check", "--args", "x"], []),
    ],
)
def test_bash_completes(run: Run, words: list[str], completed: list[str]) -> None:
    script = run("completion", "bash").out
    quoted = " ".join(f"'{word}'" for word in words)
    text = (
        f"{script}\nCOMP_WORDS=(roofline-lsp {quoted}); COMP_CWORD={len(words)}\n"
        '_roofline_lsp; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    ran = subprocess.run(["bash"], input=text, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    assert ran.stdout.split() == completed


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_scripts(run: Run, shell: str) -> None:
    script = run("completion", shell).out
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", script)
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_the_manual_has_every_command_and_option(run: Run) -> None:
    page = run("manual").out
    assert page.startswith(".TH ROOFLINE-LSP 1 ")
    plain = page.replace("\\-", "-")
    for command in commands_told():
        assert f".B {command.name}\n" in plain
        for option in command.options:
            assert f"{option.names[-1]}" in plain
    assert not [line for line in page.split("\n") if line.startswith("'")]


def test_groff_reads_the_manual_without_a_warning(run: Run) -> None:
    if shutil.which("groff") is None:
        pytest.skip("there is no groff")
    page = run("manual").out
    ran = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"],
        input=page.encode(),
        capture_output=True,
        check=True,
    )
    assert ran.stderr == b""
