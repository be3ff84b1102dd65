"""Baselines: kernels and issues known again after code was moved, renamed and changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.report.report import GpuUsed, Report, Verdict
from roofline_core.program.precision import Precision
from roofline_lsp.formats.changes import change_words, summary
from roofline_lsp.ratchet.baseline import (
    Baseline,
    BaselineError,
    baseline_text,
    held_to,
    read_baseline,
)
from roofline_lsp.ratchet.comparison import (
    BaselineIssue,
    Fate,
    KernelChange,
    compared_issues,
    compared_kernels,
)
from roofline_lsp.ratchet.figures import KernelFigures
from roofline_lsp.ratchet.issues import Issue, IssueSeverity
from roofline_lsp.ratchet.result import CheckResult
from roofline_lsp.ratchet.source_lines import ShownPlace

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND

SAXPY = KernelFigures(
    path="src/saxpy.cu",
    line=3,
    name="saxpy(int, float *)",
    qualified_name="saxpy",
    body="aa",
    verdict=BB,
    precision=Precision.SP,
    intensity=0.25,
    operations={Precision.SP: 2e6, Precision.INT: 0.0},
    dram_bytes=8e6,
    time_ns=17_000.0,
    report_path="src/saxpy.cu",
)
GEMM = replace(
    SAXPY, path="src/gemm.cu", name="gemm(float *)", qualified_name="gemm", body="bb", verdict=CB
)
GPU = GpuUsed("RTX 3080", "boost", 1710.0, {}, 760.3, {})
JUDGED_BY = ("RTX 3080", "boost", "compulsory")


def _with_time(number: str) -> str:
    """A baseline's text with a time that is this."""
    return baseline_text(Baseline(JUDGED_BY, (SAXPY,), ())).replace("17000.0", number)


def changes(
    before: Sequence[KernelFigures], after: Sequence[KernelFigures]
) -> list[tuple[Fate, str]]:
    found, _ = compared_kernels(before, after)
    return [(change.fate, change_words(change)) for change in found]


def test_what_is_the_same_is_no_change() -> None:
    assert compared_kernels((SAXPY, GEMM), (GEMM, SAXPY)) == ((), 2)


def test_digits_that_a_baseline_does_not_keep_are_no_change() -> None:
    assert changes([SAXPY], [replace(SAXPY, time_ns=17_000.0123, dram_bytes=8_000_001.0)]) == []


@pytest.mark.parametrize(
    "moved",
    [
        {"line": 90},
        {"path": "lib/saxpy.cu"},
        {"path": "lib/all.cu", "line": 900},
        {"body": "cc"},
        {"name": "saxpy(long, float *)"},
        {"name": "axpy(int, float *)", "qualified_name": "axpy", "body": "cc"},
        {"name": "axpy(int, float *)", "qualified_name": "axpy", "path": "lib/axpy.cu"},
    ],
    ids=",".join,
)
def test_a_kernel_that_moved_or_has_another_name_is_known_again(moved: dict[str, object]) -> None:
    found, unchanged = compared_kernels((GEMM, SAXPY), (replace(SAXPY, **moved), GEMM))  # type: ignore[arg-type]
    assert (found, unchanged) == ((), 2)


def test_what_changed_is_told_with_how_much() -> None:
    slower = replace(
        SAXPY, verdict=None, time_ns=34_000.0, intensity=0.125, dram_bytes=1.6e7, operations={}
    )
    ((fate, words),) = changes([SAXPY], [slower])
    assert fate is Fate.CHANGED
    assert words == (
        "BB -> undecided; time 17 µs -> 34 µs (2x); DRAM 8 MB -> 16 MB (2x);"
        " SP operations 2 M -> ?; INT operations 0 -> ?; intensity 0.25 -> 0.125 (0.5x)"
    )


def test_a_new_name_is_told_beside_what_changed() -> None:
    ((_, words),) = changes(
        [SAXPY], [replace(SAXPY, qualified_name="axpy", name="axpy(int, float *)", time_ns=1.0)]
    )
    assert words == "was called saxpy; time 17 µs -> 1 ns (5.88e-05x)"


def test_what_came_and_went() -> None:
    assert changes([SAXPY], [GEMM]) == [(Fate.ADDED, "new: CB, time 17 µs"), (Fate.REMOVED, "gone")]


def test_slower_is_more_than_the_model_leaves_open() -> None:
    def slower(time_ns: float | None) -> bool:
        return KernelChange(Fate.CHANGED, SAXPY, replace(SAXPY, time_ns=time_ns)).slower

    assert [slower(each) for each in (17_800.0, 17_900.0, 1.0, None)] == [False, True, False, False]


def issue(path: str, kernel: str, fingerprint: str, line_key: str = "key") -> Issue:
    return Issue(
        "RL103",
        "strided-access",
        IssueSeverity.HINT,
        "message",
        Path(path),
        ShownPlace(3),
        kernel,
        fingerprint,
        line_key,
    )


def known(path: str, kernel: str, fingerprint: str, line_key: str = "key") -> BaselineIssue:
    return BaselineIssue(path, kernel, "RL103", "strided-access", fingerprint, line_key)


def new(before: list[BaselineIssue], after: list[Issue]) -> tuple[list[bool], int]:
    marked, gone = compared_issues(before, after, Path.cwd())
    return [each.is_new for each in marked], len(gone)


def test_issues_are_known_by_their_fingerprints() -> None:
    before = [known("a.cu", "saxpy", "f1"), known("a.cu", "saxpy", "f2", "other")]
    assert new(before, [issue("a.cu", "saxpy", "f1")]) == ([False], 1)
    assert new(before, [issue("lib/b.cu", "saxpy", "f1")]) == ([False], 1)
    assert new(before, [issue("a.cu", "axpy", "f9")]) == ([False], 1)  # the kernel's name changed
    assert new(before, [issue("b.cu", "axpy", "f9")]) == ([True], 2)
    assert new(before, [issue("a.cu", "saxpy", "f9", "another")]) == ([True], 2)


def test_one_of_a_baseline_stands_for_one_alone() -> None:
    after = [issue("a.cu", "saxpy", "f1"), issue("b.cu", "saxpy", "f1")]
    assert new([known("b.cu", "saxpy", "f1")], after) == ([True, False], 0)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = Baseline(
        JUDGED_BY, (GEMM, replace(SAXPY, time_ns=None, verdict=None)), (known("a", "", "f"),)
    )
    path = tmp_path / "baseline.json"
    path.write_text(baseline_text(made), encoding="utf-8")
    held = read_baseline(path)
    assert held.judged_by == JUDGED_BY
    assert held.issues == made.issues
    assert held.kernels == tuple(replace(each, line=None, report_path="") for each in made.kernels)
    assert baseline_text(held) == path.read_text(encoding="utf-8")


def test_a_file_does_not_depend_on_the_order() -> None:
    issues = (known("a", "", "f"), known("b", "", "g"))
    forth = baseline_text(Baseline(JUDGED_BY, (GEMM, SAXPY), issues))
    assert forth == baseline_text(Baseline(JUDGED_BY, (SAXPY, GEMM), issues[::-1]))
    assert "[]" in baseline_text(Baseline(JUDGED_BY, (), ()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no baseline: not JSON; write it anew with --write-baseline"),
        ("[" * 100_000, "no baseline: not JSON; write it anew with --write-baseline"),
        ("[]", "no baseline; write it anew with --write-baseline"),
        ('{"roofline_baseline": 2}', "a baseline of version 2, not 1; write it anew"),
        ('{"roofline_baseline": 1}', "a damaged baseline (KeyError('gpu')); write it anew"),
        (
            '{"roofline_baseline": 1, "gpu": "", "clock": "", "rule": "", "kernels": [1]}',
            "a damaged baseline (TypeError(",
        ),
        *(
            (_with_time(number), f"a damaged baseline ({error}")
            for number, error in (
                ("1" + "0" * 309, "ValueError('a number that no double"),
                ("1e999", "ValueError('a number"),
                ("NaN", "ValueError('a number"),
                ('"5"', "TypeError('5')"),
                ("true", "TypeError(True)"),
            )
        ),
    ],
)
def test_what_is_no_baseline_is_named_with_the_remedy(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(BaselineError) as raised:
        read_baseline(path)
    assert str(raised.value).startswith(f"{path}: {message}")


def test_a_baseline_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"No such file .*; make it with --write-baseline"):
        read_baseline(tmp_path / "gone.json")


def test_figures_of_another_gpu_are_not_compared() -> None:
    result = CheckResult(Report(GPU, ()))
    other = Baseline(("A100", "boost", "compulsory"), (), ())
    with pytest.raises(BaselineError, match="are for A100, boost, compulsory, this run's for RTX"):
        held_to(result, other, "base.json", Path.cwd())


def test_the_summary_counts() -> None:
    result = held_to(
        CheckResult(Report(GPU, ())),
        Baseline(JUDGED_BY, (SAXPY, GEMM), (known("a", "", "f"),)),
        "base.json",
        Path.cwd(),
    )
    assert result.comparison is not None
    assert summary(result.comparison, 0) == (
        "since base.json: 0 kernels changed, 0 new, 2 gone, 0 as before; 0 new issues, 1 gone"
    )
