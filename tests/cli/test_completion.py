"""Completion for shells and the manual page, made from the parsers."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_lsp.cli.main import COMMANDS, parser
from roofline_lsp.cli.parsers import commands_told

Run = Callable[..., Any]
Words = tuple[str, ...]


def test_every_command_is_told_with_its_options() -> None:
    told = {each.name: each for each in commands_told()}
    assert set(told) == {"check", "validate", "profile", *COMMANDS}
    names = {name for option in told["check"].options for name in option.names}
    expected = {name for action in parser()._actions for name in action.option_strings}
    assert expected - names == {"--check", "--validate", "--profile", "-h", "--help"}
    assert told["completion"].positionals[0][2] == ("bash", "zsh", "fish")


COMPLETED = {
    ("check", "--format", "js"): ["json"],
    ("--check", "--clock", ""): ["base", "boost"],
    ("sw",): ["sweep"],
    ("--che",): ["--check"],
    ("--form",): ["--format"],
    ("--clock", ""): ["base", "boost"],
    ("--gpu", "A100", "--clo"): ["--clock"],
    ("--validate", "--min-a"): ["--min-accuracy"],
    ("sweep", "--plo"): ["--plot"],
    ("explain", "gpus", "--conf"): ["--config"],
    ("completion", "f"): ["fish"],
    ("completion", "fish", ""): [],
    ("gpus", ""): [],
    ("study", "rq"): ["rq1", "rq2", "rq3", "rq4"],
    ("study", "rq1", ""): ["main.cu"],
    ("check", "m"): ["main.cu"],
    ("check", "--args", "x"): [],
}
"""What stands after `roofline-lsp`, and what the last word may become beside a main.cu."""
each_line = pytest.mark.parametrize(("words", "completed"), COMPLETED.items())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.cu").touch()
    return tmp_path


@each_line
def test_bash_completes(run: Run, folder: Path, words: Words, completed: list[str]) -> None:
    assert in_bash(run, folder, *words) == completed


def test_bash_completes_after_an_equals_sign(run: Run, folder: Path) -> None:
    assert in_bash(run, folder, "check", "--clock", "=") == ["base", "boost"]
    assert in_bash(run, folder, "check", "--clock", "=", "bo") == ["boost"]


def in_bash(run: Run, folder: Path, *words: str) -> list[str]:
    quoted = " ".join(f"'{word}'" for word in words)
    text = (
        f"{run('completion', 'bash').out}\n"
        f"COMP_WORDS=(roofline-lsp {quoted}); COMP_CWORD={len(words)}\n"
        '_roofline_lsp; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    ran = subprocess.run(
        ["bash"], input=text, cwd=folder, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
@each_line
def test_fish_completes(run: Run, folder: Path, words: Words, completed: list[str]) -> None:
    assert in_fish(run, folder, " ".join(words)) == completed


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
def test_fish_completes_after_an_equals_sign(run: Run, folder: Path) -> None:
    assert in_fish(run, folder, "check --clock=b") == ["--clock=base", "--clock=boost"]


def in_fish(run: Run, folder: Path, words: str) -> list[str]:
    text = f"{run('completion', 'fish').out}\ncomplete -C 'roofline-lsp {words}'\n"
    home = {**os.environ, "HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home")}
    ran = subprocess.run(
        ["fish", "--no-config"],
        input=text,
        cwd=folder,
        env=home,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    found = (line.partition("\t")[0] for line in ran.stdout.splitlines())
    return [each for each in found if each != "home/"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("check --format js", "check --format json "),
        ("check --format=js", "check --format=json "),
        ("--check --clock=bo", "--check --clock=boost "),
        ("--che", "--check "),
        ("--gpu A100 --quie", "--gpu A100 --quiet "),
        ("--validate --min-a", "--validate --min-accuracy="),
        ("swe", "sweep "),
        ("completion f", "completion fish "),
        ("completion fish m", "completion fish m"),
        ("study decom", "study decompose "),
        ("study rq1 m", "study rq1 main.cu "),
        ("check m", "check main.cu "),
        ("check -Iso", "check -Isources/"),
        ("gpus m", "gpus m"),
    ],
)
def test_zsh_completes(run: Run, folder: Path, typed: str, shown: str) -> None:
    (folder / "sources").mkdir()
    home = folder / ".home"
    home.mkdir()
    (home / "completion").write_text(run("completion", "zsh").out)
    (home / ".zshrc").write_text(
        "autoload -U compinit; compinit -D -u; source $ZDOTDIR/completion\n"
        "tell() { zle complete-word; print -rn -- $BUFFER > $ZDOTDIR/line; exit }\n"
        "zle -N tell; bindkey '^I' tell\n"
    )
    terminal, end = pty.openpty()
    os.write(terminal, f"roofline-lsp {typed}\t".encode())
    subprocess.run(
        ["setsid", "--ctty", "zsh", "-i"],
        cwd=folder,
        env={**os.environ, "ZDOTDIR": str(home), "TERM": "dumb"},
        stdin=end,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    os.close(terminal)
    os.close(end)
    assert (home / "line").read_text() == f"roofline-lsp {shown}"


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
