"""``roofline-lsp init``, profiles that its file may have, and command lines that are offered."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_core.settings import load, setting_names
from roofline_lsp.cli.init import CI_FILES
from roofline_lsp.cli.main import parser

Run = Callable[..., Any]
PROGRAM = """\
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
#include <cstdlib>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    return 0;
}
"""
MAKEFILE = "run: saxpy\n\t./saxpy 65536\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saxpy.cu").write_text(PROGRAM)
    return tmp_path


def test_a_file_is_written_that_sets_nothing(folder: Path, run: Run) -> None:
    ran = run("init")
    assert (ran.code, ran.out) == (0, "wrote roofline.toml\nnext: roofline-lsp check .\n")
    assert load(folder / "roofline.toml").values == {}


def test_every_setting_is_in_it_and_valid_without_the_sign(folder: Path, run: Run) -> None:
    run("init", "--gpu", "A100")
    text = (folder / "roofline.toml").read_text()
    (folder / "roofline.toml").write_text(re.sub(r"^#(?! )", "", text, flags=re.MULTILINE))
    values = tomllib.loads((folder / "roofline.toml").read_text())
    assert set(values) == set(setting_names("kebab"))
    assert values["gpu"] == "A100"
    assert load(folder / "roofline.toml").values["gpu"] == "A100"


def test_command_lines_of_makefiles_are_in_it(folder: Path, run: Run) -> None:
    (folder / "Makefile").write_text(MAKEFILE)
    assert '#"saxpy.cu" = "65536"  # from Makefile\'s run\n' in run("init", "--print").out
    assert not (folder / "roofline.toml").exists()


def test_what_is_there_is_not_overwritten(folder: Path, run: Run) -> None:
    (folder / "roofline.toml").write_text("gpu = 'A100'\n")
    for given in ([], ["--gpu", "H100", "--ci", "gitlab"]):
        ran = run("init", *given)
        assert ran.code == 2
        assert ran.err.startswith("roofline-lsp: roofline.toml: is there already, and nothing was")
    assert (folder / "roofline.toml").read_text() == "gpu = 'A100'\n"
    assert not (folder / ".gitlab-ci.yml").exists()


def test_files_for_ci_can_be_added_later(folder: Path, run: Run) -> None:
    (folder / "roofline.toml").write_text("gpu = 'A100'\n")
    ran = run("init", "--ci", "gitlab")
    assert ran.out.splitlines() == [
        "roofline.toml stays as it is",
        "wrote .gitlab-ci.yml",
        "next: roofline-lsp check .",
    ]
    assert (folder / "roofline.toml").read_text() == "gpu = 'A100'\n"
    again = run("init", "--ci", "gitlab")
    assert again.code == 2
    assert again.err.startswith("roofline-lsp: .gitlab-ci.yml: is there already")


@pytest.mark.parametrize("service", CI_FILES)
def test_files_for_ci(folder: Path, run: Run, service: str) -> None:
    assert run("init", "--ci", service).code == 0
    name, text = CI_FILES[service]
    assert (folder / name).read_text() == text
    command = re.search(r"roofline-lsp (check .*)", text)
    assert command is not None
    after = text[command.start(1) :].split("\n")
    more = [line for line in after[1:] if line.lstrip().startswith("--")]
    lines = [after[0], *more]
    given = re.sub(r'"\$\w+"', "HEAD", " ".join(lines)).split()
    options = parser().parse_args(["--check", *given[1:]])
    assert options.check == ["."]
    assert options.baseline_commit == "HEAD" or options.changed_since == "HEAD"


def test_an_unknown_gpu_is_told_with_the_nearest(folder: Path, run: Run) -> None:
    ran = run("init", "--gpu", "A10O")
    assert ran.code == 2
    assert "A100" in ran.err
    assert not (folder / "roofline.toml").exists()


# ---- What it writes, used


def test_a_profile_is_chosen_and_the_report_says_so(folder: Path, run: Run) -> None:
    (folder / "roofline.toml").write_text('[profiles.big]\nargs = "100000000"\n')
    plain = json.loads(run("check", ".", "--format", "json", "--no-cache").out)
    assert plain["settings_profile"] is None
    big = json.loads(
        run("check", ".", "--format", "json", "--no-cache", "--settings-profile", "big").out
    )
    assert big["settings_profile"] == "big"
    (kernel,) = big["files"][0]["kernels"]
    assert kernel["launches"][0]["grid"] == [390625, 1, 1]
    text = run("check", ".", "--settings-profile", "big").out
    assert text.split("\n\n")[-1].startswith(
        "1 file, 1 kernel: 0 CB, 1 BB, 0 undecided; 0 problems, settings profile big\n"
    )
    ran = run("check", ".", "--settings-profile", "bgi")
    assert ran.code == 2
    assert ran.err == (
        "roofline-lsp: command line: there is no settings profile 'bgi'; did you mean 'big'?\n"
    )


def test_a_command_line_of_the_makefile_is_offered_and_not_taken(folder: Path, run: Run) -> None:
    (folder / "Makefile").write_text(MAKEFILE)
    report = json.loads(run("check", ".", "--format", "json").out)["files"][0]
    (problem,) = report["problems"]
    assert (problem["severity"], problem["line"]) == ("note", 1)
    assert problem["message"] == (
        'args from Makefile\'s run: 65536; to judge by them: --args 65536, or args = "65536" in'
        " the settings"
    )
    assert report["kernels"][0]["prediction"]["time_depends_on"] == ["argv[1]"]
    told = json.loads(run("check", ".", "--format", "json", "--args", "65536").out)["files"][0]
    assert told["problems"] == []
    (folder / "Makefile").write_text(MAKEFILE.replace("65536", "128"))
    again = json.loads(run("check", ".", "--format", "json").out)["files"][0]
    assert again["problems"][0]["message"].startswith("args from Makefile's run: 128;")
