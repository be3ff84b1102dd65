"""Command lines that are not quite right: what was meant, in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_check_is_a_command_too(run: Run, project: Path) -> None:
    by_option = run("--check", "src", "--args", "1000000")
    by_command = run("check", "src", "--args", "1000000")
    assert by_command == by_option
    assert by_command.code == 0


@pytest.mark.parametrize(
    "given",
    [
        ("--quiet", "--args", "1000000", "src"),
        ("--args=1000000", "src", "--quiet"),
        ("--args", "1000000", "--exclude", "src", "--quiet", "src"),
    ],
)
def test_paths_may_stand_behind_options(run: Run, project: Path, given: tuple[str, ...]) -> None:
    excluding = ("--exclude", "src") if "--exclude" in given else ()
    wanted = run("check", "src", "--quiet", "--args", "1000000", *excluding)
    assert run("check", *given) == wanted


def test_check_without_a_path_says_what_to_name(run: Run) -> None:
    told = "roofline-lsp: name files or folders to check, such as: roofline-lsp check ."
    for given in (["check"], ["check", "--quiet"]):
        ran = run(*given)
        assert (ran.code, ran.err.split(";")[0]) == (2, told)


@pytest.mark.parametrize("command", ["validate", "profile"])
def test_so_are_the_other_modes(run: Run, command: str) -> None:
    ran = run(command, "--help")
    assert ran.code == 0
    assert ran.out == run(f"--{command}", "--help").out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--chek", "src"), "unrecognized arguments: --chek src; did you mean --check?"),
        (
            ("--check", "src", "--fomat=json"),
            "unrecognized arguments: --fomat=json; did you mean --format?",
        ),
        (
            ("--check", "src", "--args", "4096", "100"),
            "unrecognized arguments: 100; one command line in quotes: --args '4096 100'",
        ),
        (
            ("--gpu", "A100", "src"),
            "unrecognized arguments: src; paths belong to --check: --check src",
        ),
        (
            ("--quiet", "check", "."),
            "unrecognized arguments: check .; the command comes first: roofline-lsp check . ...",
        ),
        (("--check", "src", "--zzz"), "unrecognized arguments: --zzz"),
    ],
)
def test_what_was_meant_is_said(
    run: Run, project: Path, given: tuple[str, ...], message: str
) -> None:
    ran = run(*given)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"roofline-lsp: {message}; roofline-lsp --help lists the options\n"


def test_a_command_that_is_nearly_one(run: Run) -> None:
    ran = run("chek")
    assert ran.err == "roofline-lsp: unknown command 'chek'; did you mean 'check'?\n"


@pytest.mark.parametrize(
    "given", [("--check", "--help"), ("check", "-h"), ("check", "src", "--help")]
)
def test_help_is_given_where_it_is_asked_for(run: Run, given: tuple[str, ...]) -> None:
    ran = run(*given)
    assert ran.code == 0
    assert ran.out.startswith("usage: roofline-lsp check PATH... [options]")
    assert "--fail-on WHAT" in ran.out


def test_a_format_may_be_written_large(run: Run, project: Path) -> None:
    assert run("check", "src", "--format=JSON").out.startswith("{")
    assert run("-V").out == run("--version").out


def test_what_is_no_source_is_named(run: Run, project: Path) -> None:
    (project / "README.md").write_text("Kernels of ours don't end /* here.\n// roofline: n = `x`\n")
    ran = run("check", "README.md")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "roofline-lsp: nothing to check: no kernel in 1 file read; 'README.md' is no source by its"
        " name\n"
    )
    (project / "notes.cu").write_text("Kernels of ours /* here.\n")
    assert "notes.cu:1: warning: comment without an end" in run("check", "notes.cu").err


def test_a_terminal_without_arguments_is_shown_the_help(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofline_lsp.cli.main._at_terminal", lambda: True)
    ran = run()
    assert ran.code == 0
    assert ran.out.startswith("usage: roofline-lsp check PATH...")
