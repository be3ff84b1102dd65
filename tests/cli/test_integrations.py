"""What CI and pre-commit are given: the example is sound, and no input reaches a shell as code."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "integrations" / "example"

Run = Callable[..., Any]


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    return tmp_path / "example"


def test_the_example_keeps_its_contracts_and_its_baseline(run: Run, example: Path) -> None:
    ran = run("--check", "src", "--baseline", "roofline-baseline.json", "--format", "concise")
    assert (ran.code, ran.err) == (0, "")
    assert "0 kernels changed, 0 new, 0 gone, 1 as before" in ran.out
    assert ran.out.endswith("5 of 5 contracts kept\n")


def test_the_examples_baseline_is_what_the_check_writes(run: Run, example: Path) -> None:
    assert run("--check", "src", "--write-baseline", "new.json").code == 0
    written = (example / "new.json").read_text(encoding="utf-8")
    assert written == (EXAMPLE / "roofline-baseline.json").read_text(encoding="utf-8")


def test_the_examples_change_for_the_worse_is_caught(run: Run, example: Path) -> None:
    source = example / "src" / "axpy.cu"
    source.write_text(re.sub(r"\bfloat\b", "double", source.read_text()))
    ran = run("--check", "src", "--baseline", "roofline-baseline.json", "--quiet")
    assert ran.code == 1
    assert "contract budget: budget dram_bytes <= 12.1*n" in ran.err
    assert "(--fail-on slower)" in ran.err


def test_inputs_reach_the_shell_by_the_environment_alone() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    scripts = re.findall(r"^ {6}run: (?:\|\n((?: {8}.*\n)+)|(.*))", text, re.MULTILINE)
    assert len(scripts) == 2
    assert not [script for pair in scripts for script in pair if "${{" in script]


def test_options_that_are_named_there_are_options(run: Run) -> None:
    told = run("--help").out
    files = (".pre-commit-hooks.yaml", "action.yml", "integrations/gitlab.yml")
    for file in (*files, "integrations/example/.pre-commit-config.yaml"):
        text = (ROOT / file).read_text(encoding="utf-8")
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) - {"--quiet", "--no-cache-dir"}
        assert named
        assert [option for option in named if option not in told] == []
