"""Rules on the command line: listed, explained, chosen, and in the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.rules import RULES
from roofline_lsp.formats.rules import index_page, rule_page

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., Any]
BAD = RULES["RL201"].bad


@pytest.fixture
def source(project: Path) -> Path:
    """A file with one finding."""
    path = project / "smooth.cu"
    path.write_text(BAD)
    return path


def test_the_rules_are_listed(run: Run) -> None:
    ran = run("rules")
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[0].split() == ["code", "name", "level", "fix", "what", "it", "finds"]
    assert [line.split()[0] for line in lines[1:]] == list(RULES)


@pytest.mark.parametrize(
    "argv", [("--explain", "RL201"), ("rules", "rl201"), ("rules", "double-literal")]
)
def test_a_rule_is_explained(run: Run, argv: tuple[str, ...]) -> None:
    ran = run(*argv)
    assert ran.code == 0
    assert ran.out == rule_page(RULES["RL201"])
    assert ran.out.startswith("# RL201: double-literal\n")


def test_a_rule_that_is_none_is_told(run: Run) -> None:
    ran = run("--explain", "dubble-literal")
    assert ran.code == 2
    assert ran.err == (
        "roofline-lsp: there is no rule 'dubble-literal'; did you mean 'double-literal'?\n"
    )
    ran = run("--check", ".", "--select", "RL9", "--jobs", "1")
    assert ran.code == 2
    assert ran.err.startswith("roofline-lsp: 'select': there is no rule 'RL9'")


def test_the_text_report_has_findings(run: Run, source: Path) -> None:
    ran = run("--format", "full", "--check", source)
    assert ran.code == 0
    (line,) = [line for line in ran.out.splitlines() if "RL201" in line]
    assert line.split()[:4] == ["finding", f"{source}:3", "RL201", "double-literal:"]
    assert line.endswith("fix: Make the literals single precision")
    assert ran.out.rstrip().endswith("; 1 finding, 0 problems")


def test_json_has_effect_and_edits(run: Run, source: Path) -> None:
    ran = run("--check", source, "--format", "json")
    (finding,) = json.loads(ran.out)["files"][0]["kernels"][0]["findings"]
    assert (finding["code"], finding["rule"]) == ("RL201", "double-literal")
    assert (finding["effect"]["class"], finding["effect"]["new_class"]) == ("CB", "BB")
    assert finding["effect"]["saved_operations"]["dp"] > 0
    assert finding["effect"]["new_time_ns"] < finding["effect"]["time_ns"]
    assert [edit["text"] for edit in finding["edits"]] == ["f", "f", "f"]
    assert finding["related"][-1]["line"] == 11


@pytest.mark.parametrize(
    "argv",
    [
        ("--ignore", "RL201"),
        ("--ignore", "RL1,double-literal"),
        ("--ignore", "RL1", "--ignore", "RL2"),
        ("--ignore", "ALL"),
        ("--select", "RL1"),
    ],
)
def test_options_choose(run: Run, source: Path, argv: tuple[str, ...]) -> None:
    ran = run("--check", source, *argv)
    assert ran.code == 0
    assert "RL201" not in ran.out


def test_the_settings_file_ignores_by_file(run: Run, project: Path, source: Path) -> None:
    (project / "roofline.toml").write_text('[per-file-ignores]\n"smooth.cu" = ["RL2"]\n')
    assert "RL201" not in run("--check", source).out
    (project / "roofline.toml").write_text('[per-file-ignores]\n"other.cu" = ["RL2"]\n')
    assert "RL201" in run("--check", source).out


def test_the_statistics_have_the_stage(run: Run, source: Path) -> None:
    assert any(
        line.startswith("rules ")
        for line in run("--check", source, "--statistics").err.splitlines()
    )


def test_the_pages_are_those_of_the_catalogue() -> None:
    folder = ROOT / "docs" / "rules"
    present = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    wanted = {f"{rule.code}.md": rule_page(rule) for rule in RULES.values()}
    assert present == {**wanted, "README.md": index_page(RULES.values())}
