"""``--check -``: a source that is not saved, in the place of a file."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import SAXPY

Run = Callable[..., Any]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def give(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return give


def test_it_stands_in_the_place_of_its_file(
    run: Run, project: Path, given: Callable[[str], None]
) -> None:
    given("\n\n" + SAXPY.replace("a * x", "2.0 * x"))
    ran = run(
        "--check",
        "-",
        "--stdin-filename",
        "src/saxpy.cu",
        "--format",
        "concise",
        "--args",
        "1000000",
    )
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("src/saxpy.cu:3: saxpy: BB ")  # launched by src/main.cu
    assert lines[-1].startswith("1 file, 1 kernel: 0 CB, 1 BB")


def test_settings_are_those_of_its_folder(
    run: Run, project: Path, given: Callable[[str], None]
) -> None:
    (project / "src" / "roofline.toml").write_text('gpu = "A100"\n')
    given(SAXPY)
    ran = run("--check", "-", "--stdin-filename", "src/neu.cu")
    assert ran.out.startswith("A100")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-",), "needs the source's name: --stdin-filename src/kernel.cu"),
        (("-", "src", "--stdin-filename", "a.cu"), "checks standard input alone"),
        (("src", "--stdin-filename", "a.cu"), "names what `--check -` reads; give the dash, too"),
    ],
)
def test_what_does_not_go_together_is_named(
    run: Run, project: Path, given: Callable[[str], None], arguments: tuple[str, ...], message: str
) -> None:
    given(SAXPY)
    ran = run("--check", *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_more_than_a_source_may_be_is_not_read(
    run: Run, project: Path, given: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofline_lsp.cli.standard_input.MAX_FILE_BYTES", 10)
    given(SAXPY)
    ran = run("--check", "-", "--stdin-filename", "a.cu")
    assert (ran.code, ran.err.partition(": ")[2]) == (
        2,
        "standard input: more than 0 MB, not read\n",
    )
