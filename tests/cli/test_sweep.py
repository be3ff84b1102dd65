"""``roofline-lsp sweep``: a table, CSV, JSON and drawings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

Run = Callable[..., Any]

STEPS = """\
#define STEPS 4
__global__ void work(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < STEPS; k++) v = v * v + 0.5f;
    x[i] = v;
}
void go(float *x) { work<<<4096, 256>>>(x); }
"""
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def folder(project: Path) -> Path:
    """A folder to work in, with a kernel whose class depends on a constant."""
    (project / "steps.cu").write_text(STEPS)
    return project


def test_a_table_and_where_the_class_changes(folder: Path, run: Run) -> None:
    ran = run("sweep", "steps.cu", "STEPS=64..512")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "work over STEPS  steps.cu:2"
    assert lines[1] == "  varied  in the place of '4' at steps.cu:1"
    rows = [line.split() for line in lines[4:9]]
    assert rows[0][:5] == ["STEPS", "class", "sure", "SP/B", "INT/B"]
    # 2 operations a step on 8 bytes, and the code, which is longest where all steps are copied.
    assert [row[0] for row in rows[1:]] == ["64", "128", "256", "512"]
    assert [row[1] for row in rows[1:]] == ["BB", "BB", "CB", "CB"]
    assert [row[3] for row in rows[1:]] == ["16", "32", "64", "128"]
    assert lines[-1] == "class: BB to STEPS = 128, CB from STEPS = 256"


def test_the_program_of_the_file_is_read(folder: Path, run: Run) -> None:
    """The host code stands in another file, as for ``--check``."""
    ran = run("sweep", "src/saxpy.cu:saxpy", "n=65536,131072")
    assert "  varied  in the place of 'atoi(argv[1])' at main.cu:4" in ran.out.splitlines()
    assert "(256, 1, 1)" in ran.out
    assert "(512, 1, 1)" in ran.out
    assert ran.out.endswith("class: BB for every n tried, 65536 to 131072\n")


def test_gpus(folder: Path, run: Run) -> None:
    ran = run("sweep", "steps.cu", "gpu=A100,RTX 3080", "-D", "X=1")
    lines = ran.out.splitlines()
    assert lines[0] == "work over GPUs  steps.cu:2"
    assert [line.split("  ")[1] for line in lines[4:6]] == [
        "A100 SXM4 40GB",
        "GeForce RTX 3080 10GB",
    ]
    assert lines[-1] == "class: BB on A100 SXM4 40GB, GeForce RTX 3080 10GB"


def test_values_without_a_launch_say_why(folder: Path, run: Run) -> None:
    lines = run("sweep", "steps.cu", "block=512,1024,2048").out.splitlines()
    assert [line.split()[0] for line in lines[6:9]] == ["512", "1024", "2048"]
    assert lines[8].split("  ", 2)[-1].endswith("-  a block has at most 1024 threads")
    assert lines[2] == "  note    the grid follows, so that there are 1048576 threads along x"


def test_csv(folder: Path, run: Run) -> None:
    out = run("sweep", "steps.cu", "STEPS=64,256", "--format", "csv").out
    first, second = csv.DictReader(io.StringIO(out))
    assert (first["name"], first["value"], first["class"]) == ("STEPS", "64", "BB")
    assert (second["value"], second["class"]) == ("256", "CB")
    assert float(first["sp_operations"]) == 2 * 64 * (1 << 20)
    assert float(first["dram_write_bytes"]) == 4 * (1 << 20)
    assert (first["dp_operations"], first["growth"]) == ("0", "")
    assert (first["grid"], first["block"], first["problem"]) == ("4096 1 1", "256 1 1", "")


def test_json_keeps_to_its_schema(folder: Path, run: Run) -> None:
    argv = ("sweep", "steps.cu", "STEPS=64..256", "gpu=A100,RTX 3080", "--format", "json")
    found = json.loads(run(*argv).out)
    schema = json.loads(run("schema", "sweep").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    assert [each["name"] for each in found["gpus"]] == ["A100 SXM4 40GB", "GeForce RTX 3080 10GB"]
    assert len(found["points"]) == 6
    (change,) = found["changes"]
    assert (change["gpu"], change["below"], change["value"]) == (
        "GeForce RTX 3080 10GB",
        128,
        256,
    )


def drawn(run: Run, *argv: str) -> ET.Element:
    assert run("sweep", *argv, "--plot", "out.svg").code == 0
    return ET.fromstring(Path("out.svg").read_text())


def texts(svg: ET.Element) -> list[str]:
    return [each.text or "" for each in svg.iter(f"{SVG}text")]


def test_a_drawing(folder: Path, run: Run) -> None:
    svg = drawn(run, "steps.cu", "STEPS=64..512")
    words = texts(svg)
    assert words[0] == "work over STEPS"
    assert {"64", "128", "256", "512", "STEPS", "time", "intensity over ridge"} <= set(words)
    assert {"compute-bound", "bandwidth-bound", "SP, ridge 39.2", "BB", "CB"} <= set(words)
    # Time, SP and INT, each of 4 points, and 2 in the legend.
    fills = [each.get("fill") for each in svg.iter(f"{SVG}circle")]
    assert len(fills) == 3 * 4 + 2
    assert fills.count("#ffffff") == 3 * 2 + 1
    lines = list(svg.iter(f"{SVG}polyline"))
    assert [len((each.get("points") or "").split()) for each in lines] == [4, 4, 4]
    # The time is the greater the more steps there are: further up is less.
    heights = [float(point.split(",")[1]) for point in (lines[0].get("points") or "").split()]
    assert heights == sorted(heights, reverse=True)


def test_a_drawing_of_several_gpus_has_a_curve_for_each(folder: Path, run: Run) -> None:
    svg = drawn(run, "steps.cu", "STEPS=64..512", "gpu=A100,RTX 3080")
    assert len(list(svg.iter(f"{SVG}polyline"))) == 2 * 2
    assert texts(svg).count("A100 SXM4 40GB") == 1
    assert "greatest intensity over ridge" in texts(svg)


def test_a_drawing_of_gpus_joins_nothing(folder: Path, run: Run) -> None:
    svg = drawn(run, "steps.cu", "gpu=A100,RTX 3080,H100,V100,RTX 4090")
    assert not list(svg.iter(f"{SVG}polyline"))
    assert "H100 SXM5" in texts(svg)


def test_a_drawing_without_any_launch_is_empty(folder: Path, run: Run) -> None:
    svg = drawn(run, "steps.cu", "block=2048,4096")
    assert not list(svg.iter(f"{SVG}circle"))


def test_names_of_strangers_are_escaped(folder: Path, run: Run) -> None:
    Path("steps.cu").rename("a&b<c>.cu")
    svg = drawn(run, "a&b<c>.cu", "STEPS=4,8")
    assert any("a&b<c>.cu:2" in text for text in texts(svg))


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["steps.cu", "STEP=1..4"], "no number 'STEP' to vary; did you mean 'STEPS'?"),
        (["steps.cu", "STEPS"], "'STEPS': NAME=LO..HI[:xK|:+K] or NAME=V,V,... is expected"),
        (["steps.cu", "STEPS=1..9999:+1"], "more values than the limit of 200"),
        (["steps.cu:wrok", "STEPS=1..4"], "did you mean 'work'?"),
        (["stps.cu", "STEPS=1..4"], "there is no such file"),
        (["steps.cu", "gpu=A1OO,H100"], "A1OO"),
        (["steps.cu", "STEPS=1..4", "--plot", "x.gif"], "a plot is an .svg, a .png or a .pdf file"),
    ],
)
def test_what_cannot_be_done_is_told(folder: Path, run: Run, argv: list[str], message: str) -> None:
    ran = run("sweep", *argv)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
