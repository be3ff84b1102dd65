"""Variants of a kernel side by side: counts made by hand, lines and findings that differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.compare.comparing import compare
from roofline_analysis.api.compare.differences import finding_changes, ratio
from roofline_analysis.api.compare.matching import Side
from roofline_analysis.api.compare.records import ComparedFinding, LineDifference
from roofline_analysis.api.kernel_choice import NoSuchKernelError
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.report.report import Level, Verdict
from roofline_analysis.rules.catalogue.arithmetic import rl201_double_literal as rl201
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings

HOST = """\
int main() {{
  const int n = {n};
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  {kernel}<<<n / 256, 256>>>(n, x, y);
}}
"""
SCALE = """\
__global__ void scale(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 3.0f * x[i];
}
"""
CUBE = """\
__global__ void scale(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v * v * v;
  }
}
"""
N = 1 << 20
CODE = 1e-3
"""The greatest share of the bytes that reading the kernel's code has, some hundred bytes."""


def side(label: str, source: str, kernel: str | None = None) -> Side:
    path = Path(f"/p/{label}.cu")
    analysis = ProgramAnalysis.load(
        [path],
        Settings(),
        reader=lambda p: source.encode() if p == path else None,
    )
    return Side(label, analysis, path, kernel)


def program(kernel: str, n: int = N, name: str = "scale") -> str:
    return kernel + HOST.format(n=n, kernel=name)


def test_the_amounts_of_each_variant() -> None:
    (found,) = compare([side("one", program(SCALE)), side("three", program(CUBE))]).kernels
    one, three = found.variants
    assert found.title == "scale"
    assert (one.grid, one.block) == ((4096, 1, 1), (256, 1, 1))
    # One multiplication an element, then two.
    assert one.operations[Precision.SP] == N
    assert three.operations[Precision.SP] == 2 * N
    # 4 bytes an element each way; a little code is read besides.
    for variant in found.variants:
        assert variant.dram_read_bytes == pytest.approx(4 * N, rel=CODE)
        assert variant.dram_write_bytes == 4 * N
        assert variant.verdict is Verdict.BANDWIDTH_BOUND
    assert one.intensities[Precision.SP] == pytest.approx(1 / 8, rel=CODE)
    assert three.intensities[Precision.SP] == pytest.approx(2 / 8, rel=CODE)
    (change,) = found.changes
    assert change.bytes_ratio == pytest.approx(1.0, rel=CODE)
    assert change.notes == ()


def test_the_amounts_are_those_of_the_report() -> None:
    """One way of counting: the variant says what the kernel's report says."""
    made = side("one", program(SCALE))
    (found,) = compare([made, side("three", program(CUBE))]).kernels
    prediction = made.analysis.judge_launch(
        made.analysis.functions[0], made.analysis.host.launches[0]
    ).prediction
    variant = found.variants[0]
    assert variant.time_ns == prediction.time_ns
    assert variant.confidence == prediction.confidence
    assert variant.operations == {each: prediction.operations(each) for each in Precision}
    assert {term.name for term in variant.time_terms} >= {"compute", "dram", "latency", "launch"}


def test_lines_that_differ_are_told_one_by_one() -> None:
    (found,) = compare([side("one", program(SCALE)), side("three", program(CUBE))]).kernels
    (change,) = found.changes
    told = {each.text: shape(each) for each in change.lines}
    assert told["y[i] = 3.0f * x[i];"] == ((4, N, 4 * N, 4 * N), None)
    assert told["float v = x[i];"] == (None, (4, 0, 4 * N, 0))
    assert told["y[i] = v * v * v;"] == (None, (5, 2 * N, 0, 4 * N))
    # The line of the index costs the same in both.
    assert not any("blockIdx" in each.text for each in change.lines)


def shape(line: LineDifference) -> tuple[object, object]:
    """Line, operations, bytes read and written of both sides."""
    one, other = (
        None
        if cost is None
        else (
            cost.line,
            cost.operations[Precision.SP],
            cost.dram_read_bytes,
            cost.dram_write_bytes,
        )
        for cost in (line.before, line.after)
    )
    return one, other


def test_the_same_line_with_other_amounts_is_a_pair() -> None:
    (found,) = compare([side("a", program(SCALE)), side("b", program(SCALE, n=2 * N))]).kernels
    (change,) = found.changes
    (line,) = (each for each in change.lines if each.text.startswith("y[i]"))
    assert shape(line) == ((4, N, 4 * N, 4 * N), (4, 2 * N, 8 * N, 8 * N))
    assert change.bytes_ratio == pytest.approx(2.0, rel=CODE)
    (note,) = change.notes
    assert note.startswith("n is 1048576 in a and 2097152 in b: ")


def test_a_variant_beside_itself_differs_in_nothing() -> None:
    (found,) = compare([side("a", program(SCALE)), side("a", program(SCALE))]).kernels
    (change,) = found.changes
    assert (change.time_ratio, change.bytes_ratio) == (1.0, 1.0)
    assert (change.lines, change.findings_gone, change.findings_new) == ((), (), ())


def test_findings_that_are_gone_and_new() -> None:
    before, after = side("before", rl201.BAD), side("after", rl201.GOOD)
    (forward,) = compare([before, after]).kernels[0].changes
    assert [(each.code, each.line) for each in forward.findings_gone] == [("RL201", 3)]
    assert forward.findings_new == ()
    (back,) = compare([after, before]).kernels[0].changes
    assert [(each.code, each.line) for each in back.findings_new] == [("RL201", 3)]
    assert back.findings_gone == ()


def test_a_finding_on_the_same_text_stays() -> None:
    """Of two findings of a rule the one whose line went is gone, wherever the other moved."""

    def finding(line: int) -> ComparedFinding:
        return ComparedFinding("RL101", "strided", Level.WARNING, "m", Path("/p/a.cu"), line)

    ours, theirs = {1: "a = x;", 2: "b = y;"}, {9: "b  =  y;"}
    gone, new = finding_changes(
        [finding(1), finding(2)],
        [finding(9)],
        lambda _, line: ours[line],
        lambda _, line: theirs[line],
    )
    assert [each.line for each in gone] == [1]
    assert new == ()


TWO = (
    SCALE
    + SCALE.replace("scale", "shift").replace("3.0f *", "3.0f +")
    + HOST.format(n=N, kernel="scale")
)


def test_kernels_of_the_same_names_are_paired() -> None:
    found = compare([side("a", TWO), side("b", TWO)])
    assert [each.title for each in found.kernels] == ["scale", "shift"]
    assert found.alone == ()


def test_kernels_that_one_side_lacks_stand_alone() -> None:
    more = TWO + SCALE.replace("scale", "extra")
    found = compare([side("a", TWO), side("b", more)])
    assert [each.title for each in found.kernels] == ["scale", "shift"]
    assert [(each.label, each.line) for each in found.alone] == [("b", 18)]


def test_a_named_kernel_is_held_against_its_namesake() -> None:
    found = compare([side("a", TWO, "shift"), side("b", TWO)])
    assert [[v.title for v in each.variants] for each in found.kernels] == [["shift", "shift"]]


def test_the_only_kernel_is_compared_whatever_its_name() -> None:
    other = program(CUBE.replace("scale", "cube"), name="cube")
    (found,) = compare([side("a", program(SCALE)), side("b", other)]).kernels
    assert [each.title for each in found.variants] == ["scale", "cube"]


def test_overloads_are_paired_by_signature_alone() -> None:
    both = SCALE + SCALE.replace("float *x", "double *x") + HOST.format(n=N, kernel="scale")
    found = compare([side("a", both), side("b", TWO)])
    assert [each.variants[1].line for each in found.kernels] == [1]
    assert [(each.label, each.line) for each in found.alone] == [("a", 6), ("b", 6)]


def test_kernels_that_cannot_be_told_are_listed() -> None:
    lone = program(CUBE.replace("scale", "cube"), name="cube")
    message = (
        r"^b: which of its 2 kernels is meant\? None is the only one called 'cube'; name it with"
        r" FILE:KERNEL: scale\(.*\) at line 1, shift\(.*\) at line 6$"
    )
    with pytest.raises(NoSuchKernelError, match=message):
        compare([side("a", lone), side("b", TWO)])
    other = TWO.replace("scale", "up").replace("shift", "down")
    with pytest.raises(NoSuchKernelError, match="no kernel has the same name on all sides"):
        compare([side("a", TWO), side("b", other)])


def test_the_nearest_name_is_told() -> None:
    with pytest.raises(NoSuchKernelError, match=r"no kernel has 'scael' in its name; did you mean"):
        compare([side("a", TWO, "scael"), side("b", TWO)])


def test_what_is_assumed_is_noted_once() -> None:
    open_size = (
        program(SCALE)
        .replace(f"= {N}", "= atoi(argv[1])")
        .replace("main()", "main(int argc, char **argv)")
    )
    (change,) = compare([side("a", open_size), side("b", open_size)]).kernels[0].changes
    (note,) = change.notes
    assert note == (
        "amounts and times rest on assumed sizes: argv[1]; --args gives the program its command"
        " line"
    )


def test_a_kernel_without_launch_says_so() -> None:
    (change,) = compare([side("a", SCALE), side("b", program(SCALE))]).kernels[0].changes
    assert "no launch of scale was found in a: its dimensions are assumed" in change.notes


def test_values_that_are_not_known_have_no_ratio() -> None:
    assert ratio(2.0, None) is None
    assert ratio(None, 2.0) is None
    assert ratio(2.0, 0.0) is None
    assert ratio(3.0, 2.0) == 1.5
