"""``--fix`` and ``--diff``, the places that reports underline, and kernels in other files."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.report.report import Edit, FileReport, Finding, Fix, Level
from roofline_core.program.units import Span
from roofline_lsp.cli.fixing import difference, fixed
from roofline_lsp.formats.snippets import snippet
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.source_lines import SourceLines

Run = Callable[..., Any]
KERNEL = """\
__global__ void smooth(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        out[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
    }
}
"""
HOST = """\
int main() {
    float *in, *out;
    cudaMalloc(&in, 16777216 * 4);
    cudaMalloc(&out, 16777216 * 4);
    smooth<<<65536, 256>>>(in, out, 16777216);
}
"""
DIFF = """\
--- a/smooth.cu
+++ b/smooth.cu
@@ -1,7 +1,7 @@
 __global__ void smooth(const float *in, float *out, int n) {
     int i = blockIdx.x * blockDim.x + threadIdx.x;
     if (i > 0 && i < n - 1) {
-        out[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
+        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
     }
 }
 int main() {
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smooth.cu").write_text(KERNEL + HOST)
    return tmp_path


def test_what_may_change_the_last_bits_is_left_unless_it_is_asked_for(
    folder: Path, run: Run
) -> None:
    ran = run("check", "smooth.cu", "--diff")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == (
        "roofline-lsp: would fix 0 findings in 0 files\n"
        "roofline-lsp: 1 fix left after which results may differ in their last bits:"
        " --inexact-fixes\n"
    )


def test_a_difference_changes_nothing_and_fails(folder: Path, run: Run) -> None:
    ran = run("check", "smooth.cu", "--diff", "--inexact-fixes")
    assert (ran.code, ran.out) == (1, DIFF)
    assert ran.err == "roofline-lsp: would fix 1 finding in 1 file\n"
    assert (folder / "smooth.cu").read_text() == KERNEL + HOST
    assert run("check", "smooth.cu", "--diff", "--inexact-fixes", "--exit-zero").code == 0


def test_fixes_are_made_and_what_is_there_now_is_reported(folder: Path, run: Run) -> None:
    (folder / "smooth.cu").chmod(0o640)
    ran = run("check", "smooth.cu", "--fix", "--inexact-fixes")
    assert ran.code == 0
    assert ran.err == "roofline-lsp: fixed 1 finding in 1 file\n"
    assert "1 file, 1 kernel: 0 CB, 1 BB, 0 undecided; 0 problems" in ran.out
    text = (folder / "smooth.cu").read_text()
    assert text == (KERNEL + HOST).replace("5 *", "5f *")
    assert (folder / "smooth.cu").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in folder.iterdir()] == ["smooth.cu"]


def test_rules_that_are_off_fix_nothing(folder: Path, run: Run) -> None:
    ran = run("check", "smooth.cu", "--fix", "--inexact-fixes", "--ignore", "RL201")
    assert ran.err == "roofline-lsp: fixed 0 findings in 0 files\n"
    assert (folder / "smooth.cu").read_text() == KERNEL + HOST


def test_standard_input_is_no_file_to_fix(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    stdin = io.TextIOWrapper(io.BytesIO((KERNEL + HOST).encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    ran = run("check", "-", "--stdin-filename", "smooth.cu", "--fix")
    assert (ran.code, ran.err) == (
        2,
        "roofline-lsp: --fix and --diff are for files; standard input is none\n",
    )


def finding(path: Path, *spans: tuple[int, int, int], exact: bool = True) -> Finding:
    edits = tuple(Edit(path, Span(line, a, line, b), "X") for line, a, b in spans)
    where = Span(*spans[0][:2], spans[0][0], spans[0][2])
    return Finding("RL1", "one", Level.HINT, "x", path, where, fix=Fix("mend", edits, exact))


@pytest.mark.parametrize(
    ("first", "second", "text", "overlapping"),
    [
        ([(1, 0, 2)], [(1, 2, 4)], "XX\nabcd\n", 0),
        ([(1, 0, 3)], [(1, 2, 4)], "Xd\nabcd\n", 1),
        ([(1, 0, 2)], [(1, 0, 2)], "Xcd\nabcd\n", 0),
        ([(1, 1, 1)], [(1, 1, 1), (2, 0, 4)], "aXbcd\nX\n", 0),
        ([(1, 0, 4)], [(1, 1, 1), (2, 0, 4)], "X\nabcd\n", 1),
    ],
)
def test_edits_that_meet_are_not_both_made(
    tmp_path: Path,
    first: list[tuple[int, int, int]],
    second: list[tuple[int, int, int]],
    text: str,
    overlapping: int,
) -> None:
    path = tmp_path / "a.cu"
    path.write_text("abcd\nabcd\n")
    report = FileReport(path, (), findings=(finding(path, *first), finding(path, *second)))
    found = fixed([report], inexact=False)
    assert found.texts == ((path, b"abcd\nabcd\n", text.encode()),)
    assert found.overlapping == overlapping


def test_edits_of_files_that_were_not_checked_are_left(tmp_path: Path) -> None:
    other = tmp_path / "b.cu"
    other.write_text("abcd\n")
    report = FileReport(tmp_path / "a.cu", (), findings=(finding(other, (1, 0, 1)),))
    assert fixed([report], inexact=True).texts == ()


def test_git_applies_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(b"one\ntwo")
    found = fixed([FileReport(path, (), findings=(finding(path, (2, 0, 3)),))], inexact=False)
    text = difference(found).replace(tmp_path.as_posix().lstrip("/") + "/", "")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply"], cwd=tmp_path, input=text.encode(), check=True)
    assert path.read_bytes() == b"one\nX"


# ---- Places, and kernels in other files


@pytest.mark.parametrize(
    ("line", "span", "shown"),
    [
        (b"    y = x + 1;", (1, 8, 1, 13), ["    1 | y = x + 1;", "      |     ^^^^^"]),
        ("\tä = x;".encode(), (1, 6, 1, 7), ["    1 | ä = x;", "      |     ^"]),
        (b"a\tb", (1, 2, 1, 3), ["    1 | a    b", "      |      ^"]),
        (b"for (;;) {", (1, 0, 3, 1), ["    1 | for (;;) {", "      | ^^^^^^^^^^"]),
        (b"short", (1, 20, 1, 30), []),
    ],
)
def test_a_place_is_underlined(
    line: bytes, span: tuple[int, int, int, int], shown: list[str]
) -> None:
    sources = SourceLines(lambda _: line + b"\n\n}\n")
    found = list(snippet(sources, Path("a.cu"), Span(*span), ColourStyle()))
    assert found == shown


def test_the_full_report_shows_the_place_of_a_finding(folder: Path, run: Run) -> None:
    out = run("check", "smooth.cu", "--format", "full").out
    at = out.index("RL201 double-literal")
    assert out[at:].split("\n")[1:3] == [
        "                 4 | out[i] = 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];",
        "                   | " + "^" * 59,
    ]


def test_kernels_of_a_header_are_named_where_a_file_has_none(folder: Path, run: Run) -> None:
    (folder / "k.cuh").write_text(KERNEL)
    (folder / "main.cu").write_text(f'#include "k.cuh"\n{HOST}')
    (folder / "smooth.cu").unlink()
    ran = run("check", "main.cu")
    assert ran.code == 2
    assert ran.err == (
        "roofline-lsp: nothing to check: no kernel in 1 file read; 'main.cu' launches smooth"
        " (k.cuh:1); check it there: roofline-lsp check k.cuh\n"
    )
    assert run("check", "k.cuh").code == 0


def test_kernels_of_a_header_are_named_where_nothing_launches_them(folder: Path, run: Run) -> None:
    (folder / "k.cuh").write_text(KERNEL)
    (folder / "all.cuh").write_text('#include "k.cuh"\n')
    (folder / "main.cu").write_text('#include "all.cuh"\nvoid prepare();\n')
    (folder / "smooth.cu").unlink()
    ran = run("check", "main.cu")
    assert ran.code == 2
    assert ran.err == (
        "roofline-lsp: nothing to check: no kernel in 1 file read; 'main.cu' includes smooth"
        " (k.cuh:1); check it there: roofline-lsp check k.cuh\n"
    )
