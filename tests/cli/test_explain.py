"""``roofline-lsp explain``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_lsp.cli.named_kernel import NamedKernelError, taken_apart

Run = Callable[..., Any]


def test_a_kernel_is_explained_with_its_whole_program(project: Path, run: Run) -> None:
    """The launch stands in another file, as for ``--check``."""
    ran = run("explain", "src/saxpy.cu:saxpy", "--args", "1000000", "--gpu", "A100")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("A100")
    assert lines[1] == "command line of the program: 1000000"
    assert lines[3] == "src/saxpy.cu:1  saxpy(int, float, const float *, float *)"
    assert "     n = 1000000  from the command line: argv[1] at main.cu:4" in lines


def test_the_class_is_that_of_the_check(project: Path, run: Run) -> None:
    found = json.loads(run("explain", "src/saxpy.cu", "--format", "json").out)
    checked = json.loads(run("--check", "src/saxpy.cu", "--format", "json").out)
    (kernel,) = checked["files"][0]["kernels"]
    facts, time = (found["kernels"][0]["explained"][key] for key in ("verdict", "time"))
    prediction = kernel["prediction"]
    assert facts["class"] == prediction["class"]
    assert facts["confidence"] == prediction["confidence"]
    assert facts["dram_read_bytes"] == prediction["dram_read_bytes"]
    assert time["time_ns"] == prediction["time_ns"]


def test_defines_and_settings_hold(project: Path, run: Run) -> None:
    Path("src/steps.cu").write_text(
        "__global__ void steps(float *x) {\n"
        "  for (int k = 0; k < STEPS; k++) x[k] = 1; }\n"
        "void go(float *x) { steps<<<1, 32>>>(x); }\n"
    )
    settings = Path("own.toml")
    settings.write_text('gpu = "H100"\n')
    argv = ("explain", "src/steps.cu:steps", "-D", "STEPS=77", "--config", "own.toml")
    found = json.loads(run(*argv, "--format", "json").out)
    assert found["kernels"][0]["explained"]["regions"][1]["walked_runs"] == 77
    assert found["gpu"]["name"].startswith("H100")


def test_output_goes_to_a_file(project: Path, run: Run) -> None:
    ran = run("explain", "src/saxpy.cu", "--output", "told.txt")
    assert (ran.code, ran.out) == (0, "")
    assert "saxpy(int, float" in Path("told.txt").read_text()


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("src/gone.cu", "src/gone.cu: there is no such file"),
        ("src", "src: is a folder; name the file that defines the kernel"),
        ("src/saxpy.cu:daxpy", "'daxpy' in its name; did you mean 'saxpy'?; the file has saxpy("),
        ("src/saxpy.cu:saxpy:99", "src/saxpy.cu:99: no access and no operation of a kernel is on"),
        ("src/main.cu", "no kernel is defined in this file"),
    ],
)
def test_what_cannot_be_explained_is_told_with_the_remedy(
    project: Path, run: Run, what: str, said: str
) -> None:
    ran = run("explain", what)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.startswith("roofline-lsp: ")


def test_a_launch_that_is_not_there_is_told(project: Path, run: Run) -> None:
    ran = run("explain", "src/saxpy.cu", "--launch", "2")
    assert ran.code == 2
    assert ran.err == "roofline-lsp: there is no launch 2 of 'saxpy'; there is 1 launch\n"
    assert run("explain", "src/saxpy.cu", "--launch", "0").code == 2


def test_file_kernel_and_line_are_told_apart(tmp_path: Path) -> None:
    file, odd = tmp_path / "a.cu", tmp_path / "b:c.cu"
    file.touch()
    odd.touch()
    assert taken_apart(str(file)) == (file, None, None)
    assert taken_apart(f"{file}:12") == (file, None, 12)
    assert taken_apart(f"{file}:ns::k") == (file, "ns::k", None)
    assert taken_apart(f"{file}:k:12") == (file, "k", 12)
    assert taken_apart(f"{file}:ns::k<int>(int):12") == (file, "ns::k<int>(int)", 12)
    assert taken_apart(f"{odd}:k") == (odd, "k", None)
    with pytest.raises(NamedKernelError, match="there is no such file"):
        taken_apart(f"{tmp_path / 'no.cu'}:k")


def test_both_schemas_are_printed(run: Run) -> None:
    report, explanation = (json.loads(run("schema", *each).out) for each in ((), ("explanation",)))
    assert report["$id"] == "urn:roofline-lsp:report:1"
    assert explanation["$id"] == "urn:roofline-lsp:explanation:1"


def test_the_example_of_contributing_is_what_the_program_prints(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```cuda\n(.*?)```", guide, re.DOTALL)
    (quoted,) = re.findall(r"```text\n(.*?)```", guide, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("weigh.cu").write_text(source)
    (command,) = re.findall(r"`roofline-lsp (explain weigh\.cu.*?)` says", guide)
    printed = run(*command.split()).out.splitlines()
    assert [line for line in quoted.splitlines() if line not in printed] == []
