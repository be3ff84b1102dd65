"""Programs made smaller while a disagreement is still there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_lsp.cli.main import main
from roofline_profiling.differential.compared import Compared
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.differential.reduction.reduce import ReductionTask, reduce_disagreement
from roofline_profiling.differential.reduction.search import Files, fewest, smallest
from roofline_profiling.differential.reduction.trial import Sought, Trials, direction_of
from roofline_profiling.differential.scratch import sources_copied
from roofline_profiling.errors import ProfilerError
from roofline_study.breakdown import Status

SOURCE = b"""\
#include <cstdio>
struct unused { int a; };
__device__ float half(float x) { return x / 2; }
__global__ void other(float *x) { x[0] = 1; }
__global__ void k(int n, float *x) {
    int i = threadIdx.x;
    float s = 0;
    for (int j = 0; j < 8; j++) {
        if (j < n) s += half(x[i]) * 3;
    }
    x[i] = s;
}
int main() {
    printf("start\\n");
    k<<<1, 32>>>(4, nullptr);
}
"""


def launch(predicted: float, emulated: float, **changes: object) -> Compared:
    made = Compared(
        program="p",
        kernel="void held::k<4>(int)",
        args="10 'a b'",
        grid=(1, 1, 1),
        block=(32, 1, 1),
        how="as given",
        sampled=False,
        code_lines=10,
        emulated={"sp_flops": 0, "dp_flops": 0, "int_ops": emulated, "dram_bytes": 100},
        predicted={"sp_flops": 0, "dp_flops": 0, "int_ops": predicted, "dram_bytes": 100},
        emulated_class="BB",
        predicted_class="BB",
        status=Status.RESOLVED.value,
        cause="INT up to 2x too many",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_fewest_items_of_which_something_holds() -> None:
    asked: list[list[int]] = []

    def holds(kept: object) -> bool:
        assert isinstance(kept, list)
        asked.append(kept)
        return {3, 17} <= set(kept)

    assert fewest(range(20), holds) == [3, 17]
    assert len(asked) < 40
    assert fewest([], holds) == []


def test_a_program_is_left_with_what_is_needed() -> None:
    tried: list[Files] = []

    def holds(files: Files) -> bool:
        tried.append(files)
        text = files["main.cu"]
        in_kernel = re.search(rb"void k\(int n, float \*x\) {[^}]*s \+= half\(x\[i\]\)", text)
        in_main = re.search(rb"int main\(\) {[^}]*k<<<", text)
        return None not in (in_kernel, in_main) and b"float half(float x)" in text

    found = smallest({"main.cu": SOURCE, "other.h": b"int unused;\n"}, holds)
    assert found["other.h"] == b""
    assert found["main.cu"].split(b"\n") == [
        b"__device__ float half(float x) {  }",
        b"__global__ void k(int n, float *x) {",
        b"    s += half(x[i]);",
        b"}",
        b"int main() {",
        b"    k<<<1, 32>>>(4, nullptr);",
        b"}",
        b"",
    ]
    assert len({tuple(files.values()) for files in tried}) == len(tried)


def test_a_text_that_is_read_worse_is_not_tried() -> None:
    def holds(files: Files) -> bool:
        assert files["a.cu"].count(b"{") == files["a.cu"].count(b"}")
        return b"wanted" in files["a.cu"]

    text = b"int f() {\nif (a) {\nwanted();\n}\n}\n"
    assert smallest({"a.cu": text}, holds) == {"a.cu": b"int f() {\nwanted();\n}\n"}


@pytest.mark.parametrize(
    ("predicted", "emulated", "direction"),
    [
        (130, 100, "too many"),
        (70, 100, "too few"),
        (0, 100, "none predicted"),
        (100, 0, "none emulated"),
    ],
)
def test_directions(predicted: float, emulated: float, direction: str) -> None:
    assert direction_of(launch(predicted, emulated), "int_ops") == direction


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (launch(130, 100), True),
        (launch(101, 100), False),
        (launch(70, 100), False),
        (launch(100, 0), False),
        (launch(130, 100, kernel="other(int)"), False),
        (launch(130, 100, sampled=True), False),
        (launch(130, 100, status=Status.TRIPS.value), False),
        (launch(130, 100, assumed=("not followed: function f",)), False),
    ],
)
def test_what_shows_a_disagreement(found: Compared, shown: bool) -> None:
    assert Sought("k", "int_ops", "too many").is_shown_by(found) is shown


def a_tree(tmp_path: Path) -> Path:
    (tmp_path / "tree" / "p").mkdir(parents=True)
    (tmp_path / "tree" / "p" / "main.cu").write_bytes(SOURCE)
    return tmp_path / "tree"


def test_the_smallest_program_so_far_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compiler, the emulator and the analysis are stood in for by what a text contains."""

    def launches(trials: Trials, files: Mapping[str, bytes]) -> list[Compared]:
        trials.tried += 1
        text = files["main.cu"]
        return [launch(130, 100)] if b"k<<<" in text and b"int main" in text else []

    monkeypatch.setattr(Trials, "launches", launches)
    tree = a_tree(tmp_path)
    plan = DifferentialPlan((tree,), tmp_path / "results", Settings())
    told: list[str] = []
    task = ReductionTask("p", "k<4>", None, tmp_path / "into", 1000)
    found = reduce_disagreement(task, plan, told.append)
    assert (found.lines_before, found.lines_after, found.ended) == (16, 3, True)
    assert found.sought == Sought("k", "int_ops", "too many")
    text = (tmp_path / "into" / "main.cu").read_text()
    assert text.split("\n") == ["int main() {", "    k<<<1, 32>>>(4, nullptr);", "}", ""]
    assert told[0] == "p: 16 lines"
    assert told[-1].endswith(f" tried: 3 lines, {len(text)} bytes")
    assert (tree / "p" / "main.cu").read_bytes() == SOURCE


def test_what_does_not_disagree_is_not_reduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trials, "launches", lambda *_: [launch(100, 100)])
    plan = DifferentialPlan((a_tree(tmp_path),), tmp_path / "results", Settings())
    task = ReductionTask("p", None, None, tmp_path / "into", 1000)
    with pytest.raises(ProfilerError, match="no launch disagrees so, among 1 that were counted"):
        reduce_disagreement(task, plan, lambda _: None)
    with pytest.raises(ProfilerError, match="q: no programs of this name"):
        reduce_disagreement(replace(task, program="q"), plan, lambda _: None)


def test_the_command_says_what_came_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def launches(trials: Trials, files: Mapping[str, bytes]) -> list[Compared]:
        trials.tried += 1
        return [launch(130, 100)] if b"k<<<" in files["main.cu"] else []

    monkeypatch.setattr(Trials, "launches", launches)
    tree, into = a_tree(tmp_path), tmp_path / "into"
    words = ["study", "reduce-disagreement", str(tree), "--program", "p", "--into", str(into)]
    assert main([*words, "--quantity", "int", "--kernel", "k<4>", "--gpu", "RTX 3080"]) == 0
    head, before, after, tried, place = capfd.readouterr().out.splitlines()
    assert head == "k: int_ops too many, nothing assumed"
    assert before == "  before: 130 predicted, 100 emulated (1.3x), 16 lines"
    assert after == "  after:  130 predicted, 100 emulated (1.3x), 3 lines"
    assert tried.endswith(" smaller programs were tried")
    assert place == f"  {into}"
    text = (into / "main.cu").read_text()
    assert text.split("\n") == ["int main() {", "    k<<<1, 32>>>(4, nullptr);", "}", ""]


def test_the_copied_tree_has_sources_and_links(tmp_path: Path) -> None:
    tree = a_tree(tmp_path)
    (tree / "shared").mkdir()
    (tree / "shared" / "factor.h").write_text("#define FACTOR 3\n")
    (tree / "shared" / "input.txt").write_text("1 2 3\n")
    program = TreeProgram("p", tree, tree / "p", (tree / "p" / "main.cu",))
    with sources_copied(program) as copy:
        assert (copy.folder / "main.cu").read_bytes() == SOURCE
        assert not (copy.tree / "shared" / "factor.h").is_symlink()
        assert (copy.tree / "shared" / "input.txt").is_symlink()
        (copy.folder / "main.cu").write_text("changed")
    assert (tree / "p" / "main.cu").read_bytes() == SOURCE
