from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roofline_analysis.api import entry, what_if
from roofline_analysis.api.tasks import task_reports
from roofline_analysis.project.project import IndexLimits
from roofline_analysis.project.tasks import ProgramTask
from roofline_analysis.report.report import FileReport
from roofline_lsp.cli.paths import common_folder
from roofline_lsp.formats.json import schema_text
from tests.cli.conftest import HOST, SAXPY

FULL = ("--format", "full")


def test_a_file_is_reported_and_its_host_code_is_found_beside_it(
    run: Callable[..., Any], project: Path
) -> None:
    ran = run(*FULL, "--check", "src/saxpy.cu", "--args", "1000000", "--clock", "base")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("GeForce RTX 3080 10GB at 1440 MHz (base clock): 760.3 GB/s")
    assert lines[2].startswith("src/saxpy.cu:1  saxpy  BB  ")
    assert any("src/main.cu:8  grid (3907, 1, 1), block (256, 1, 1)" in line for line in lines)
    assert lines[-1] == "1 file, 1 kernel: 0 CB, 1 BB, 0 undecided; 0 problems"


def test_a_folder_is_reported_by_path_without_files_that_define_no_kernel(
    run: Callable[..., Any], project: Path
) -> None:
    (project / "src" / "util.cpp").write_text("int twice(int i) { return 2 * i; }\n")
    (project / "src" / "notes.txt").write_text("__global__\n")
    ran = run(*FULL, "--check", "src", "--args", "1000000")
    assert ran.code == 0
    assert "src/polynomial.cu:1  polynomial  CB" in ran.out
    assert "3 files, 2 kernels: 1 CB, 1 BB, 0 undecided; 0 problems" in ran.out


def test_json_conforms_to_the_schema_and_says_the_same(
    run: Callable[..., Any], project: Path
) -> None:
    ran = run("--check", "src/polynomial.cu", "src/saxpy.cu", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    content = json.loads(ran.out)
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(content)
    assert content["gpu"]["clock"] == "boost"
    assert [
        (file["path"], [kernel["prediction"]["class"] for kernel in file["kernels"]])
        for file in content["files"]
    ] == [("src/polynomial.cu", ["CB"]), ("src/saxpy.cu", ["BB"])]


def test_the_report_goes_to_a_file(run: Callable[..., Any], project: Path) -> None:
    ran = run("--check", "src/saxpy.cu", "--format", "json", "--output", "report.json")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    content = json.loads((project / "report.json").read_text(encoding="utf-8"))
    assert content["files"][0]["kernels"][0]["base_name"] == "saxpy"


def test_a_report_that_cannot_be_written_is_an_error(
    run: Callable[..., Any], project: Path
) -> None:
    ran = run("--check", "src/saxpy.cu", "--output", "gone/report.txt")
    message = "roofline-lsp: gone/report.txt: cannot be written: No such file or directory\n"
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_quiet_prints_errors_alone(run: Callable[..., Any], project: Path) -> None:
    ran = run("--check", "src/saxpy.cu", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    ran = run("--check", "src/saxpy.cu", "src/gone.cu", "--quiet")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "src/gone.cu: error: no such file or folder\n"


@pytest.mark.parametrize(
    ("file", "fail_on", "code"),
    [
        ("src/saxpy.cu", "bb", 1),
        ("src/saxpy.cu", "cb", 0),
        ("src/polynomial.cu", "cb", 1),
        ("src/polynomial.cu", "bb", 0),
    ],
)
def test_fail_on_a_class(
    run: Callable[..., Any], project: Path, file: str, fail_on: str, code: int
) -> None:
    assert run("--check", file, "--fail-on", fail_on).code == code


def test_what_cannot_be_read_is_told_and_the_rest_is_checked(
    run: Callable[..., Any], project: Path
) -> None:
    (project / "blob.cu").write_bytes(b"__global__\0\1\2")
    ran = run(*FULL, "--check", "blob.cu", "src/saxpi.cu", "src/saxpy.cu")
    assert ran.code == 1
    assert "src/saxpy.cu:1  saxpy  BB" in ran.out
    assert "blob.cu: error: binary data (a zero byte at offset 10), not read" in ran.out
    assert "src/saxpi.cu: error: no such file or folder; did you mean 'saxpy.cu'?" in ran.out
    assert ran.out.endswith("3 files, 1 kernel: 0 CB, 1 BB, 0 undecided; 2 problems\n")


def test_nothing_to_check_is_a_failure(run: Callable[..., Any], project: Path) -> None:
    (project / "host.cpp").write_text("int main() {}\n")
    ran = run("--check", "host.cpp")
    message = "roofline-lsp: nothing to check: no kernel in 1 file read\n"
    assert (ran.code, ran.out, ran.err) == (2, "", message)
    (project / "empty").mkdir()
    ran = run("--check", "empty", "nowhere.cu", "--format", "json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines() == [
        "empty: error: no GPU kernel in 0 source files",
        "nowhere.cu: error: no such file or folder",
        "roofline-lsp: nothing to check: no kernel in 0 files read",
    ]


def test_an_unknown_gpu_names_near_ones(run: Callable[..., Any], project: Path) -> None:
    ran = run("--check", "src/saxpy.cu", "--gpu", "RTX 3081")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith('roofline-lsp: unknown GPU "RTX 3081": the nearest names are ')
    assert "RTX 3080" in ran.err


@pytest.mark.parametrize("setting", ['gpu = "RTX 3081"', 'what-if = ["A100", "RTX 3081"]'])
def test_an_unknown_gpu_of_the_settings_is_told_with_its_file(
    run: Callable[..., Any], project: Path, setting: str
) -> None:
    (project / "roofline.toml").write_text(f"{setting}\n")
    ran = run("--check", "src/saxpy.cu")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f'roofline-lsp: {project}/roofline.toml: unknown GPU "RTX 3081": the')
    ran = run("--check", "src/saxpy.cu", "--gpu", "RTX 3082", "--what-if", "A100")
    assert ran.err.startswith('roofline-lsp: unknown GPU "RTX 3082": the')


def test_settings_come_from_the_file_above_and_options_go_before(
    run: Callable[..., Any], project: Path
) -> None:
    (project / "roofline.toml").write_text('gpu = "RTX A6000"\nclock = "base"\nargs = "1024"\n')
    ran = run(*FULL, "--check", "src/saxpy.cu")
    assert ran.code == 0
    assert "A6000" in ran.out.splitlines()[0]
    assert "(base clock)" in ran.out.splitlines()[0]
    assert "grid (4, 1, 1)" in ran.out
    ran = run(*FULL, "--check", "src/saxpy.cu", "--gpu", "RTX 3080", "--args", "512")
    assert "RTX 3080" in ran.out.splitlines()[0]
    assert "grid (2, 1, 1)" in ran.out


def test_wrong_settings_stop_the_run(run: Callable[..., Any], project: Path) -> None:
    (project / "roofline.toml").write_text('gpu = "A100"\nclock = boost\n')
    ran = run("--check", "src/saxpy.cu")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"roofline-lsp: {project}/roofline.toml:2:9: not valid TOML")
    (project / "other.toml").write_text("")
    assert run("--check", "src/saxpy.cu", "--config", "other.toml").code == 0
    ran = run("--check", "src/saxpy.cu", "--config", "othr.toml")
    assert ran.code == 2
    assert "did you mean 'other.toml'?" in ran.err


def test_compile_commands_that_cannot_be_read_stop_the_run(
    run: Callable[..., Any], project: Path
) -> None:
    (project / "roofline.toml").write_text('compile-commands = "compile_commands.json"\n')
    (project / "compile_commands.json").write_text("{")
    for path in ("src/saxpy.cu", "src"):
        ran = run("--check", path)
        assert (ran.code, ran.out) == (2, "")
        assert "compile_commands.json" in ran.err
        assert "internal error" not in ran.err


def test_wrong_options_are_named(run: Callable[..., Any], project: Path) -> None:
    ran = run("--check", "src/saxpy.cu", "--define", "1N")
    assert ran.code == 2
    assert ran.err == (
        "roofline-lsp: command line: 'defines' must be a list of NAME or NAME=VALUE, "
        "not '1N' in it\n"
    )
    ran = run("--check", "src/saxpy.cu", "--clock", "bost")
    assert ran.code == 2
    assert "invalid choice: 'bost'" in ran.err
    ran = run("--check", "src/saxpy.cu", "--format", "xml")
    assert ran.code == 2
    assert "invalid choice: 'xml'" in ran.err


def test_defines_and_include_folders_are_used(run: Callable[..., Any], project: Path) -> None:
    (project / "inc").mkdir()
    (project / "inc" / "loops.h").write_text("#define LOOPS 4096\n")
    (project / "k.cu").write_text(
        '#include "loops.h"\n' + POLYNOMIAL_IF.replace("4096", "LOOPS"), encoding="utf-8"
    )
    ran = run(*FULL, "--check", "k.cu", "-D", "use_polynomial", "-I", "inc")
    assert ran.code == 0
    assert "k.cu:3  polynomial  CB" in ran.out
    assert run(*FULL, "--check", "k.cu", "-I", "inc").code == 2


POLYNOMIAL_IF = """\
#ifdef use_polynomial
__global__ void polynomial(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int k = 0; k < 4096; k++) value = value * value + 0.5f;
    x[i] = value;
}
#endif
"""


def test_excluded_files_are_left_out_of_folders(run: Callable[..., Any], project: Path) -> None:
    ran = run("--check", "src", "--exclude", "poly*")
    assert "polynomial" not in ran.out
    assert "src/saxpy.cu" in ran.out


def test_a_crash_of_the_analyser_costs_one_file(
    run: Callable[..., Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = task_reports

    def crashing(task: ProgramTask, *rest: Any) -> tuple[FileReport, ...]:
        if any(path.name == "saxpy.cu" for path in task.members):
            raise RecursionError("too deep")
        return real(task, *rest)

    monkeypatch.setattr("roofline_lsp.batch.workers.task_reports", crashing)
    ran = run(*FULL, "--check", "src")
    assert ran.code == 1
    assert "src/polynomial.cu:1  polynomial  CB" in ran.out
    message = "src/saxpy.cu: error: internal error, please report it: RecursionError: too deep ("
    assert message in ran.out
    ran = run(*FULL, "--check", "src/saxpy.cu")
    assert ran.code == 2
    assert message in ran.err


def test_settings_are_searched_from_the_folder_above_all_paths(project: Path) -> None:
    (project / "src" / "deep").mkdir()
    assert common_folder(["src/saxpy.cu"]) == project / "src"
    assert common_folder(["src/saxpy.cu", "src/deep"]) == project / "src"
    assert common_folder(["src/gone/*.cu", "elsewhere.cu"]) == project


def test_further_reports_of_one_run(run: Callable[..., Any], project: Path) -> None:
    further = ("--also", "json=a.json", "--also", "csv=b.csv")
    ran = run("--check", "src/saxpy.cu", "--format", "concise", *further)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("src/saxpy.cu:1: saxpy: BB ")
    content = json.loads((project / "a.json").read_text(encoding="utf-8"))
    assert content["files"][0]["kernels"][0]["base_name"] == "saxpy"
    assert (
        (project / "b.csv")
        .read_text(encoding="utf-8")
        .splitlines()[1]
        .startswith("src/saxpy.cu,1,")
    )
    for wrong, message in (
        ("jsn=a", "there is no format 'jsn'; did you mean 'json'?"),
        ("json", "'json' names no file; write json=FILE"),
    ):
        ran = run("--check", "src/saxpy.cu", "--also", wrong)
        assert ran.code == 2
        assert message in ran.err


def test_a_note_is_no_problem(run: Callable[..., Any], project: Path) -> None:
    (project / "one").mkdir()
    main = HOST.replace("__global__ void saxpy(int n, float a, const float *x, float *y);\n", "")
    (project / "one" / "saxpy.cu").write_text(SAXPY + main)
    (project / "one" / "Makefile").write_text("run: saxpy\n\t./saxpy 65536\n")
    note = (
        "one/saxpy.cu:1: note: args from Makefile's run: 65536; to judge by them: --args 65536,"
        ' or args = "65536" in the settings'
    )
    lines = run("check", "--format", "concise", "one").out.splitlines()
    assert lines[1:] == [note, "1 file, 1 kernel: 0 CB, 1 BB, 0 undecided; 0 problems, 1 note"]
    assert note in run(*FULL, "--check", "one").out.splitlines()
    lines = run("check", "--format", "concise", "one", "--args", "65536").out.splitlines()
    assert lines[1:] == ["1 file, 1 kernel: 0 CB, 1 BB, 0 undecided; 0 problems"]


@pytest.mark.parametrize(
    ("formats", "looked"),
    [
        (("--format", "text"), False),
        (("--format", "sarif"), False),
        (("--format", "full"), True),
        (("--format", "json"), True),
        (("--format", "text", "--also", "ndjson=report.ndjson"), True),
    ],
)
def test_sizes_are_looked_for_where_a_format_tells_them(
    run: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    formats: tuple[str, ...],
    looked: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "__global__ void k(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] = n; }"
    Path("k.cu").write_text(text)
    asked: list[object] = []
    found = what_if.class_by_size

    def noted(*given: Any) -> Any:
        asked.append(given)
        return found(*given)

    monkeypatch.setattr(entry, "class_by_size", noted)
    run("--check", "k.cu", "--gpu", "A100", "--no-cache", "--jobs", "1", *formats)
    assert bool(asked) is looked


def test_checkouts_that_are_checked_together_are_judged_as_each_alone(
    run: Callable[..., Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits on a scan hold for each of them: here one file more than each has."""
    monkeypatch.setattr("roofline_analysis.project.project.IndexLimits", lambda: IndexLimits(4))
    kernel = "__global__ void scale(real *x) { x[threadIdx.x] *= 2; }\n"
    host = """#include "real.h"
    __global__ void scale(real *x);
    int main() { real *x; cudaMalloc(&x, SIZE * sizeof(real)); scale<<<1, SIZE>>>(x); }
    """
    for name, block in (("one", 64), ("two", 256)):
        for file, text in (
            ("kernels/scale.cu", kernel),
            ("app/real.h", f"typedef {'float' if block == 64 else 'double'} real;\n"),
            ("app/main.cu", host.replace("SIZE", str(block))),
        ):
            path = project / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (project / name / ".git").mkdir()
    for mark in (project / ".git", project / "roofline.toml"):
        assert not mark.exists()
    kernels = ["one/kernels/scale.cu", "two/kernels/scale.cu"]

    def launched(*paths: str) -> list[Any]:
        files = json.loads(run("--check", *paths, "--format", "json").out)["files"]
        return [kernel["launches"] for file in files for kernel in file["kernels"]]

    together = launched(*kernels)
    assert together == [each for path in kernels for each in launched(path)]
    assert [[launch["block"] for launch in each] for each in together] == [
        [[64, 1, 1]],
        [[256, 1, 1]],
    ]
