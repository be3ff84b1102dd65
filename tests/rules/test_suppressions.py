"""Comments and settings that switch rules off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport
from roofline_analysis.rules import RULES, Selection, UnknownRuleError
from roofline_analysis.rules.source_text import applied
from roofline_core.settings import Settings

Analyse = Callable[..., FileReport]

BAD = RULES["RL201"].bad
LINE = "    if (i > 0 && i < n - 1)"


def codes(report: FileReport) -> list[str]:
    return [finding.code for finding in report.all_findings()]


@pytest.mark.parametrize(
    "comment",
    [
        "// roofline: ignore[RL201]\n",
        "// roofline: ignore[RL201] the constants are exact\n",
        "// roofline: ignore[RL104, RL201]\n",
        "// roofline: ignore[double-literal]\n",
        "// roofline: ignore\n",
        "/* roofline: ignore[RL201] */\n",
        "//roofline:ignore[RL201]\n",
        "// roofline: ignore[RL201]\n\n    // another comment\n",
    ],
)
def test_a_comment_above_switches_a_finding_off(comment: str, analyse: Analyse) -> None:
    report = analyse(BAD.replace(LINE, f"    {comment}{LINE}"))
    assert codes(report) == []
    assert report.kernels[0].findings == ()


def test_a_comment_on_the_line_switches_it_off(analyse: Analyse) -> None:
    text = BAD.replace("x[i + 1];", "x[i + 1];  // roofline: ignore[RL201] exact")
    assert codes(analyse(text)) == []


def test_a_comment_elsewhere_does_not(analyse: Analyse) -> None:
    report = analyse("// roofline: ignore[RL201]\n" + BAD)
    assert codes(report) == ["RL100", "RL201"]
    (idle,) = report.findings
    assert (idle.code, idle.span.line) == ("RL100", 1)
    assert idle.message == "nothing here is switched off by ignore[RL201]"


def test_a_text_is_no_comment(analyse: Analyse) -> None:
    text = BAD.replace(
        "int main() {", 'const char *s = "// roofline: ignore[RL201]";\nint main() {'
    )
    assert codes(analyse(text)) == ["RL201"]


def test_a_misspelt_code_is_told(analyse: Analyse) -> None:
    report = analyse(BAD.replace(LINE, f"    // roofline: ignore[RL999]\n{LINE}"))
    assert [finding.message for finding in report.findings] == ["there is no rule RL999"]
    assert codes(report) == ["RL100", "RL201"]


def test_nothing_is_told_of_a_rule_that_is_off(analyse: Analyse) -> None:
    text = BAD.replace(LINE, f"    // roofline: ignore[RL201]\n{LINE}")
    assert codes(analyse(text, ignore=("RL201",))) == []


def test_the_fix_takes_the_comment_away_and_nothing_else(analyse: Analyse) -> None:
    good = RULES["RL100"].good
    for comment, place in ((" // roofline: ignore[RL1]", "x[i];"), ("\n// roofline: ignore", "}")):
        text = good.replace(place, place + comment, 1)
        (finding,) = analyse(text).all_findings()
        assert finding.fix is not None
        assert applied(text.encode(), finding.fix.edits).decode() == good


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({}, ["RL201"]),
        ({"select": ("RL2",)}, ["RL201"]),
        ({"select": ("RL1",)}, []),
        ({"select": ("double-literal",)}, ["RL201"]),
        ({"ignore": ("RL2",)}, []),
        ({"ignore": ("ALL",)}, []),
        ({"select": ("ALL",), "ignore": ("double-literal",)}, []),
        ({"per_file_ignores": (("*.cu", ("RL201",)),)}, []),
        ({"per_file_ignores": (("nowhere/*", ("ALL",)),)}, []),
        ({"per_file_ignores": (("other/*.cu", ("ALL",)),)}, ["RL201"]),
        ({"per_file_ignores": (("*.cu", ("RL104",)),)}, ["RL201"]),
    ],
)
def test_settings_choose_the_rules(
    given: dict[str, object], left: list[str], analyse: Analyse
) -> None:
    assert codes(analyse(BAD, **given)) == left


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"select": ("RL9",)}, "'select': there is no rule 'RL9'"),
        ({"ignore": ("dubble-literal",)}, "did you mean 'double-literal'?"),
        ({"per_file_ignores": (("a.cu", ("X",)),)}, "'per-file-ignores: a.cu': there is no rule"),
    ],
)
def test_a_rule_that_is_none_is_told(given: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownRuleError) as error:
        Selection.of(Settings(**given))  # type: ignore[arg-type]
    assert message in str(error.value)


def test_a_kernel_in_two_launches_is_told_once(analyse: Analyse) -> None:
    twice = BAD.replace("    smooth<<<", "    smooth<<<n / 256, 256>>>(n, y, x);\n    smooth<<<")
    assert codes(analyse(twice, Path("/nowhere/twice.cu"))) == ["RL201"]


def test_broken_code_has_findings_still(analyse: Analyse) -> None:
    report = analyse(BAD + "\n__global__ void torn(int *x { x[ = 3;\n")
    assert "RL201" in codes(report)
