"""``--fail-on``, ``--exit-zero`` and baselines on the command line: who is to blame for what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import SAXPY

Run = Callable[..., Any]

STRIDED = """\
__global__ void strided(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[16 * i];
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 16 * (1 << 22) * sizeof(float));
    cudaMalloc(&y, (1 << 22) * sizeof(float));
    strided<<<(1 << 22) / 256, 256>>>(x, y, 1 << 22);
}
"""
"""With one finding, RL103."""


def fails(err: str) -> list[str]:
    start = "roofline-lsp: fails: "
    return [line.removeprefix(start) for line in err.splitlines() if line.startswith(start)]


@pytest.mark.parametrize(
    ("words", "blamed"),
    [
        ("bb", ["src/saxpy.cu:1: saxpy is BB (--fail-on bb)"]),
        (
            "BB,cb",
            [
                "src/saxpy.cu:1: saxpy is BB (--fail-on BB)",
                "src/polynomial.cu:1: polynomial is CB (--fail-on cb)",
            ],
        ),
        ("undecided", []),
        ("finding", []),
    ],
)
def test_the_culprit_is_named_even_when_nothing_else_is(
    run: Run, project: Path, words: str, blamed: list[str]
) -> None:
    ran = run("--check", "src", "--fail-on", words, "--quiet")
    assert (ran.code, ran.out) == (1 if blamed else 0, "")
    assert sorted(fails(ran.err)) == sorted(blamed)


@pytest.mark.parametrize("word", ["RL1", "RL103", "strided-access", "finding", "hint", "ALL"])
def test_a_finding_can_fail_a_check(run: Run, project: Path, word: str) -> None:
    (project / "strided.cu").write_text(STRIDED)
    ran = run("--check", "strided.cu", "--fail-on", word, "--quiet")
    assert ran.code == 1
    (blamed,) = fails(ran.err)
    assert blamed.startswith("strided.cu:3:")
    assert ": RL103 strided-access: " in blamed
    assert blamed.endswith(f"(--fail-on {word})")
    assert run("--check", "strided.cu", "--fail-on", word, "--quiet", "--exit-zero").code == 0


def test_a_finding_that_several_words_name_is_told_once(run: Run, project: Path) -> None:
    (project / "strided.cu").write_text(STRIDED)
    ran = run("--check", "strided.cu", "--fail-on", "cb,RL1,finding,warning,hint", "--quiet")
    (blamed,) = fails(ran.err)
    assert blamed.endswith("(--fail-on RL1,finding,hint)")


@pytest.mark.parametrize("word", ["RL2", "double-literal", "error", "warning", "problem"])
def test_what_is_not_there_fails_nothing(run: Run, project: Path, word: str) -> None:
    (project / "strided.cu").write_text(STRIDED)
    ran = run("--check", "strided.cu", "--fail-on", word)
    assert (ran.code, fails(ran.err)) == (0, [])


def test_a_severity_stands_for_heavier_ones_too(run: Run, project: Path) -> None:
    (project / "blob.cu").write_bytes(b"__global__\0")
    ran = run("--check", "src/saxpy.cu", "blob.cu", "--fail-on", "hint", "--quiet")
    assert ran.code == 1
    assert [each.partition(": ")[0] for each in fails(ran.err)] == ["blob.cu"]


def test_a_word_that_is_none_is_an_error(run: Run, project: Path) -> None:
    ran = run("--check", "src", "--fail-on", "cbb")
    assert ran.code == 2
    assert "there is no class, severity or rule 'cbb'; did you mean 'cb'?" in ran.err
    ran = run("--check", "src", "--fail-on", "slower")
    assert ran.code == 2
    assert "--fail-on slower: tells what changed, so it needs --baseline" in ran.err


def test_errors_are_no_reason_with_exit_zero(run: Run, project: Path) -> None:
    assert run("--check", "src/saxpy.cu", "gone.cu").code == 1
    assert run("--check", "src/saxpy.cu", "gone.cu", "--exit-zero").code == 0
    assert run("--check", "gone.cu", "--exit-zero").code == 2


def test_only_what_is_new_fails(run: Run, project: Path) -> None:
    (project / "strided.cu").write_text(STRIDED)
    check = ("--check", "src", "strided.cu", "--args", "1000000", "--quiet")
    assert run(*check, "--write-baseline", "base.json").code == 0
    for words in ((), ("--fail-on", "finding,bb,cb,class,slower")):
        ran = run(*check, "--baseline", "base.json", *words)
        assert (ran.code, ran.err) == (0, "")

    # Moved, indented, commented: the finding is known again.
    moved = STRIDED.replace("    if", "\n\n  /* moved */   if").replace("* i]", "*i] ")
    (project / "strided.cu").write_text("// new line\n" + moved)
    assert run(*check, "--baseline", "base.json").code == 0
    # In another file, with another kernel's name.
    (project / "strided.cu").write_text(STRIDED.replace("strided", "renamed"))
    assert run(*check, "--baseline", "base.json").code == 0

    (project / "strided.cu").write_text(STRIDED.replace("x[16 * i]", "x[16 * i] + x[16 * i + 8]"))
    ran = run(*check, "--baseline", "base.json")
    assert ran.code == 1
    assert any(": RL103 strided-access: " in each for each in fails(ran.err))


def test_a_kernel_that_became_slower_or_crossed_the_ridge(run: Run, project: Path) -> None:
    check = ("--check", "src", "--args", "1000000", "--quiet")
    assert run(*check, "--write-baseline", "base.json").code == 0
    (project / "src" / "saxpy.cu").write_text(
        SAXPY.replace("y[i] = a", "for (int k = 0; k < 4096; k++) y[i] = a")
    )
    ran = run(*check, "--baseline", "base.json")
    assert ran.code == 1
    (blamed,) = [each for each in fails(ran.err) if "--fail-on slower" in each]
    assert blamed.startswith("src/saxpy.cu:1: saxpy: BB -> CB; time ")
    ran = run(*check, "--baseline", "base.json", "--fail-on", "class")
    assert ran.code == 1
    ran = run(*check, "--baseline", "base.json", "--fail-on", "cb")
    assert [each.partition(" (")[0] for each in fails(ran.err)] == ["src/saxpy.cu:1: saxpy is CB"]


def test_changes_are_shown(run: Run, project: Path) -> None:
    check = ("--check", "src", "--args", "1000000")
    run(*check, "--quiet", "--write-baseline", "base.json")
    (project / "src" / "saxpy.cu").unlink()
    (project / "src" / "polynomial.cu").write_text(
        (project / "src" / "polynomial.cu").read_text().replace("4096", "8192")
    )
    ran = run(*check, "--baseline", "base.json", "--format", "concise")
    lines = ran.out.splitlines()
    assert any(
        line.startswith("src/polynomial.cu:1: polynomial: time ")
        and "SP operations 8.59 G -> 17.2 G (2x)" in line
        for line in lines
    )
    assert "src/saxpy.cu: saxpy: gone" in lines
    assert lines[-2].startswith("since base.json: 1 kernel changed, 0 new, 1 gone, 0 as before;")


def test_what_is_not_checked_is_not_gone(run: Run, project: Path) -> None:
    check = ("--args", "1000000", "--format", "concise")
    run("--check", "src", *check, "--write-baseline", "base.json")
    ran = run("--check", "src/saxpy.cu", *check, "--baseline", "base.json")
    assert "since base.json: 0 kernels changed, 0 new, 0 gone, 1 as before" in ran.out
    (project / "src" / "polynomial.cu").unlink()
    ran = run("--check", "src/saxpy.cu", *check, "--baseline", "base.json")
    assert "since base.json: 0 kernels changed, 0 new, 1 gone, 1 as before" in ran.out


def test_two_baselines_are_one_too_many(run: Run, project: Path) -> None:
    ran = run("--check", "src", "--baseline", "a", "--baseline-commit", "b")
    assert ran.code == 2
    assert "exclude each other" in ran.err


def test_findings_are_counted_by_rule(run: Run, project: Path) -> None:
    (project / "strided.cu").write_text(STRIDED)
    ran = run("--check", "strided.cu", "--statistics", "--quiet")
    assert ran.err.splitlines()[0] == "1  RL103 strided-access  0 with a fix"
