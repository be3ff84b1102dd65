"""``roofline-lsp compare``: what is compared, as text, Markdown and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roofline_lsp.cli.compare import NotComparedError, Wanted, labelled, taken_apart

Run = Callable[..., Any]

ALL = """\
__global__ void once(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * 2.0f;
}
__global__ void twice(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * 2.0f + 1.0f;
}
void go(float *x) {
    once<<<4096, 256>>>(x);
    twice<<<4096, 256>>>(x);
}
"""


@pytest.fixture
def folder(project: Path) -> Path:
    """A folder to work in, with two kernels in a file."""
    (project / "all.cu").write_text(ALL)
    return project


def test_two_functions_of_a_file(folder: Path, run: Run) -> None:
    ran = run("compare", "all.cu:once", "all.cu:twice")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[2:5] == [
        "once",
        "                once          twice",
        "class           BB, 98% sure  BB, 98% sure",
    ]
    # A thread multiplies, or multiplies and adds; all else is the same.
    assert "SP operations   1.05 M        2.1 M (2x)" in lines
    assert "DRAM written    4.19 MB       4.19 MB" in lines
    assert "twice beside once: the same time, the same DRAM bytes" in lines
    assert [" ".join(line.split()) for line in lines[-2:]] == [
        "- 3 SP 1.05 M, INT 2.1 M, read 4.19 MB, written 4.19 MB x[i] = x[i] * 2.0f;",
        "+ 7 SP 2.1 M, INT 2.1 M, read 4.19 MB, written 4.19 MB x[i] = x[i] * 2.0f + 1.0f;",
    ]


def test_the_program_of_each_file_is_read(folder: Path, run: Run) -> None:
    """The launch of saxpy stands in another file, as for ``--check``."""
    argv = ("compare", "src/saxpy.cu", "src/polynomial.cu", "--args", "1048576")
    found = json.loads(run(*argv, "--format", "json").out)
    saxpy, polynomial = found["kernels"][0]["variants"]
    assert Path(saxpy["launch_path"]).name == "main.cu"
    assert saxpy["numbers"][0] == {"name": "n", "value": 1048576, "assumed": False}
    assert polynomial["launch_path"] is None
    assert (saxpy["class"], polynomial["class"]) == ("BB", "CB")


def test_json_keeps_to_its_schema(folder: Path, run: Run) -> None:
    found = json.loads(run("compare", "all.cu", "all.cu", "--format", "json").out)
    schema = json.loads(run("schema", "comparison").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    assert [each["title"] for each in found["kernels"]] == ["once", "twice"]
    assert found["gpu"]["name"] == "GeForce RTX 3080 10GB"


def test_markdown_escapes_what_strangers_wrote(folder: Path, run: Run) -> None:
    text = ALL.replace("+ 1.0f;", "+ 1.0f; // `|` <b> [x](http://y)")
    Path("all.cu").write_text(text)
    found = run("compare", "all.cu:once", "all.cu:twice", "--format", "markdown").out
    assert "## once" in found
    assert "| SP operations | " in " ".join(found.split())
    code = "`` x[i] = x[i] * 2.0f + 1.0f; // `\\|` <b> [x](http://y) ``"
    assert code in found


def test_output_goes_to_a_file(folder: Path, run: Run) -> None:
    ran = run("compare", "all.cu:once", "all.cu:twice", "--output", "told.txt")
    assert (ran.code, ran.out) == (0, "")
    assert "twice beside once" in Path("told.txt").read_text()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["all.cu:once"], "1 given: from 2 to 8 variants are compared"),
        (["all.cu"] * 9, "9 given: from 2 to 8 variants are compared"),
        (["all.cu:once", "al.cu"], "al.cu: there is no such file; did you mean 'all.cu'?"),
        (["all.cu:once", "src"], "src: is a folder; name the file that defines the kernel"),
        (["all.cu:once", "all.cu:twize"], "in its name; did you mean 'twice'?; the file has once("),
        (["all.cu:once", "all.cu:e"], "'e' fits 2 kernels; give more of the name of one"),
        (["all.cu:once", "src/saxpy.cu", "--gpu", "A1OO"], "A1OO"),
        (["--", "all.cu", "-x.cu"], "'-x.cu' begins like an option; write ./-x.cu"),
    ],
)
def test_what_cannot_be_compared_is_told(
    folder: Path, run: Run, argv: list[str], message: str
) -> None:
    ran = run("compare", *argv)
    assert ran.code == 2
    assert message in ran.err


def test_a_file_that_is_broken_is_told_and_fails(folder: Path, run: Run) -> None:
    Path("all.cu").write_text(ALL + "__global__ void bad(int n) { if (n\n")
    ran = run("compare", "all.cu:once", "all.cu:twice")
    assert ran.code == 1
    assert "all.cu:13: " in ran.out


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("all.cu", ("all.cu", None, None, None)),
        ("all.cu:once", ("all.cu", None, "once", None)),
        ("all.cu:ns::once", ("all.cu", None, "ns::once", None)),
        ("all.cu:7", ("all.cu", None, None, 7)),
        ("all.cu@HEAD~1", ("all.cu", "HEAD~1", None, None)),
        ("all.cu@v1.0:once", ("all.cu", "v1.0", "once", None)),
        ("all.cu@HEAD@{1}:3", ("all.cu", "HEAD@{1}", None, 3)),
        ("gone.cu@HEAD", ("gone.cu", "HEAD", None, None)),
        ("a@b.cu:once", ("a@b.cu", None, "once", None)),
        ("a@b.cu@HEAD", ("a@b.cu", "HEAD", None, None)),
        ("a:b.cu:once", ("a:b.cu", None, "once", None)),
    ],
)
def test_variants_are_taken_apart(
    folder: Path, text: str, wanted: tuple[str, str | None, str | None, int | None]
) -> None:
    for name in ("a@b.cu", "a:b.cu"):
        Path(name).write_text(ALL)
    found = taken_apart(text)
    assert (str(found.path), found.revision, found.kernel, found.line) == wanted


def test_a_folder_that_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(NotComparedError, match=r"^no/such\.cu@HEAD: there is no such file"):
        taken_apart("no/such.cu@HEAD")


def wanted(path: str, revision: str | None = None, kernel: str | None = None) -> Wanted:
    return Wanted("", Path(path), revision, kernel)


@pytest.mark.parametrize(
    ("variants", "labels"),
    [
        ([wanted("d/a.cu"), wanted("e/b.cu")], ["a.cu", "b.cu"]),
        ([wanted("d/a.cu"), wanted("e/a.cu")], ["d/a.cu", "e/a.cu"]),
        ([wanted("a.cu"), wanted("a.cu", "v1")], ["a.cu", "a.cu@v1"]),
        ([wanted("a.cu", kernel="f"), wanted("a.cu", kernel="g")], ["f", "g"]),
        ([wanted("a.cu", kernel="f"), wanted("b.cu")], ["a.cu:f", "b.cu"]),
        ([wanted("a.cu"), wanted("a.cu"), wanted("a.cu")], ["a.cu", "a.cu (2)", "a.cu (3)"]),
        ([Wanted("", Path("a.cu"), None, None, 3), wanted("a.cu", "v1")], ["a.cu:3", "a.cu@v1"]),
    ],
)
def test_labels_are_as_short_as_tells_them_apart(variants: list[Wanted], labels: list[str]) -> None:
    assert [each.label for each in labelled(variants)] == labels
