"""What hovers and lenses say of a kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.report.report import (
    ArgumentUsed,
    BusUse,
    Effect,
    Finding,
    Fix,
    GpuUsed,
    KernelReport,
    LaunchReport,
    Level,
    Limiter,
    Prediction,
    PredictionSource,
    Related,
    Resource,
    TimeLimit,
    UnknownKind,
    UnknownUsed,
    Verdict,
)
from roofline_analysis.rules.finding_text import finding_message
from roofline_core.program.precision import Precision
from roofline_core.program.units import Dialect, Span
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.features.code_lens import lens_title
from roofline_lsp.server.text.facts import since_saved
from roofline_lsp.server.text.findings_text import findings_text, gain
from roofline_lsp.server.text.kernel_text import kernel_text
from roofline_lsp.server.text.line_text import line_text
from roofline_lsp.server.text.ridges import distance, gpu_name, sureness

MAIN = Path("/src/main.cu")
MARKDOWN, PLAIN = MarkupStyle(markdown=True), MarkupStyle(markdown=False)

WHOLE = """\
**Bandwidth-bound** on RTX 3080 (boost clock): INT 29× below its ridge, 93% sure
**Time is set by DRAM**: 12 MB at 760.3 GB/s, 17.5 µs of 18.2 µs

|      |  Amount | Intensity | Ridge |   Distance | Of peak |
| :--- | ------: | --------: | ----: | ---------: | ------: |
| INT  |   8 Mop |     0.667 |  19.6 |  29× below |      3% |
| SP   | 2 Mflop |     0.167 |  39.1 | 230× below |     <1% |
| DRAM |   12 MB |           |       |            |     87% |

DRAM 12 MB (8 MB read, 4 MB written) · about 18.2 µs · occupancy 100%

Launched at [main.cu:12](file:///src/main.cu#L12): 3907 blocks of 256 threads

**What counts most**
- line 5: single-precision operations, 2 M
- line 5: DRAM bytes read of `x`, 4 MB
- util.cuh:7: loop trips"""

WHOLE_PLAIN = """\
Bandwidth-bound on RTX 3080 (boost clock): INT 29× below its ridge, 93% sure
Time is set by DRAM: 12 MB at 760.3 GB/s, 17.5 µs of 18.2 µs

       Amount  Intensity  Ridge    Distance  Of peak
INT     8 Mop      0.667   19.6   29× below       3%
SP    2 Mflop      0.167   39.1  230× below      <1%
DRAM    12 MB                                    87%

DRAM 12 MB (8 MB read, 4 MB written) · about 18.2 µs · occupancy 100%

Launched at main.cu:12: 3907 blocks of 256 threads

What counts most
- line 5: single-precision operations, 2 M
- line 5: DRAM bytes read of 'x', 4 MB
- util.cuh:7: loop trips"""


def with_prediction(kernel: KernelReport, **changes: Any) -> KernelReport:
    """The kernel with its prediction changed, at its launches too."""
    prediction: Prediction = replace(kernel.prediction, **changes)
    launches = tuple(replace(launch, prediction=prediction) for launch in kernel.launches)
    return replace(kernel, prediction=prediction, launches=launches)


def with_launch(kernel: KernelReport, **changes: Any) -> KernelReport:
    """The kernel with its one launch changed."""
    launch: LaunchReport = replace(kernel.launches[0], **changes)
    return replace(kernel, launches=(launch,))


def lines_of(kernel: KernelReport, gpu: GpuUsed) -> list[str]:
    return kernel_text(kernel, gpu, PLAIN).splitlines()


def test_all_of_it(saxpy: KernelReport, gpu: GpuUsed) -> None:
    ends = WHOLE.replace("93% sure\n", "93% sure  \n")  # a line's end that Markdown keeps
    assert kernel_text(saxpy, gpu, MARKDOWN) == ends
    assert kernel_text(saxpy, gpu, PLAIN) == WHOLE_PLAIN


def test_a_compute_bound_kernel(saxpy: KernelReport, gpu: GpuUsed) -> None:
    kernel = with_prediction(
        saxpy,
        verdict=Verdict.COMPUTE_BOUND,
        limiting=Limiter.INT,
        time_limit=TimeLimit(Resource.INT, 16_500.0, 4e8, "operations", 24.2e12),
        int_ops=400e6,
        confidence=0.998,
    )
    assert lines_of(kernel, gpu)[:2] == [
        "Compute-bound on RTX 3080 (boost clock): INT 1.7× above its ridge, 99% sure",
        "Time is set by INT arithmetic: 400 M thread instructions at 24.2 T/s, 16.5 µs of 18.2 µs",
    ]
    assert lens_title(kernel, gpu) == (
        "Compute-bound, 99% sure | INT 33.3 op/B (ridge 19.6) | 18.2 µs on RTX 3080:"
        " INT arithmetic, 400 M thread instructions"
    )


def test_a_kernel_that_the_bus_limits(saxpy: KernelReport, gpu: GpuUsed) -> None:
    use = BusUse(8e6, 4e6, "PCIe 4.0 x16", 25.2, 3e5, True, Verdict.COMPUTE_BOUND, 0.9, None)
    kernel = with_prediction(saxpy, limiting=Limiter.BUS, bus=use)
    assert lines_of(kernel, gpu)[0] == (
        "Bandwidth-bound on RTX 3080 (boost clock): limited by the bus: 12 MB over PCIe 4.0 x16 at"
        " 25.2 GB/s (8 MB read, 4 MB written), 93% sure"
    )
    assert (
        lens_title(kernel, gpu)
        == "Bandwidth-bound, 93% sure | 12 MB over the bus | 18.2 µs on RTX 3080"
    )
    limit = TimeLimit(Resource.BUS, 3e5, 12e6, "bytes", 25.2e9)
    kernel = with_prediction(saxpy, bus=replace(use, limits=False), time_limit=limit)
    assert lines_of(kernel, gpu)[1] == (
        "Time is set by the bus: 12 MB over PCIe 4.0 x16 at 25.2 GB/s, 300 µs"
    )


@pytest.mark.parametrize(
    ("limit", "said", "row"),
    [
        (
            TimeLimit(Resource.LATENCY, 9_000.0, 15_390.0, "clocks", 1.71e9),
            "Time is set by latency (idle SMs): 15.4 k clocks in sequence, 9 µs of 18.2 µs",
            None,
        ),
        (
            TimeLimit(Resource.DP, 2e6, 4e9, "operations", 2e12),
            "Time is set by DP arithmetic: 4 G thread instructions at 2 T/s, 2 ms",
            None,
        ),
        (
            TimeLimit(Resource.L1, 16_416.0, 19.4e9, "bytes", 7.46e12),
            "Time is set by L1/shared memory: 19.4 GB at 7.46 TB/s, 16.4 µs of 18.2 µs",
            ["L1/shared", "memory", "19.4", "GB", "90%"],
        ),
        (
            TimeLimit(Resource.ISSUE, 9_120.0, 4e6, "instructions", 2e12),
            "Time is set by instruction issue: 4 M warp instructions at 2 T/s, 9.12 µs of 18.2 µs",
            ["instruction", "issue", "4", "M", "warp", "instructions", "50%"],
        ),
        (
            TimeLimit(Resource.LAUNCH, 2e3, None, "", None),
            "Time is set by the launch itself: 2 µs of 18.2 µs",
            None,
        ),
    ],
)
@pytest.mark.parametrize("verdict", list(Verdict))
def test_class_and_time_are_two_facts(
    saxpy: KernelReport,
    gpu: GpuUsed,
    verdict: Verdict,
    limit: TimeLimit,
    said: str,
    row: list[str] | None,
) -> None:
    kernel = with_prediction(saxpy, verdict=verdict, time_limit=limit, regime="idle SMs")
    lines = lines_of(kernel, gpu)
    name = {"CB": "Compute-bound", "BB": "Bandwidth-bound"}[verdict.value]
    assert lines[:3] == [
        f"{name} on RTX 3080 (boost clock): INT 29× below its ridge, 93% sure",
        said,
        "",
    ]
    assert lines[7].split() == (row or [])
    assert "limit" not in "\n".join(lines)


def test_a_verdict_on_an_invented_launch_says_so_first(saxpy: KernelReport, gpu: GpuUsed) -> None:
    alone = with_prediction(replace(saxpy, launches=()), time_depends_on=("the launch",))
    first, second, *_ = lines_of(alone, gpu)
    assert first == (
        "Bandwidth-bound on RTX 3080 (boost clock), for an invented launch:"
        " INT 29× below its ridge, 93% sure"
    )
    assert second == "Time is set by DRAM: 12 MB at 760.3 GB/s"
    assert lens_title(alone, gpu) == (
        "Bandwidth-bound, 93% sure, for an invented launch | INT 0.667 op/B (ridge 19.6)"
        " | on RTX 3080"
    )
    sizes = with_prediction(saxpy, time_depends_on=("argv[1]", "n", "m"))
    assert lines_of(sizes, gpu)[0] == (
        "Bandwidth-bound on RTX 3080 (boost clock), for assumed argv[1], n and 1 more:"
        " INT 29× below its ridge, 93% sure"
    )
    measured = with_prediction(replace(saxpy, launches=()), source=PredictionSource.MEASURED)
    assert lines_of(measured, gpu)[0] == (
        "Bandwidth-bound on RTX 3080 (boost clock): INT 29× below its ridge, measured"
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"time_ns": 1.09e6}, {"time_ns": 0.99e6}, "1.09 ms -> 990 µs since saved"),
        ({"time_ns": 1.0e6}, {"time_ns": 1.004e6}, None),
        (
            {"time_ns": 1.0e6, "verdict": Verdict.COMPUTE_BOUND},
            {"time_ns": 2.0e6},
            "Compute-bound -> Bandwidth-bound, 1 ms -> 2 ms since saved",
        ),
        (
            {"time_ns": 3e6, "time_depends_on": ("n",)},
            {"time_ns": 2e6, "time_depends_on": ("n",)},
            "1.5× as fast at the sizes assumed since saved",
        ),
        ({"time_ns": 3e6}, {"time_ns": 2e6, "time_depends_on": ("n",)}, None),
        ({"time_ns": None}, {"time_ns": 2e6}, None),
    ],
)
def test_what_an_edit_did(
    saxpy: KernelReport,
    gpu: GpuUsed,
    before: dict[str, Any],
    after: dict[str, Any],
    said: str | None,
) -> None:
    saved, now = with_prediction(saxpy, **before), with_prediction(saxpy, **after)
    assert since_saved(saved, now) == said
    lines = kernel_text(now, gpu, PLAIN, saved=saved).splitlines()
    assert lines[2] == (said or "")
    assert since_saved(None, now) is None


def test_findings_stand_first_with_their_gain(saxpy: KernelReport, gpu: GpuUsed) -> None:
    def finding(code: str, line: int, old: float, new: float, **more: Any) -> Finding:
        effect = Effect(0.0, {}, {}, old, new, Verdict.BANDWIDTH_BOUND, Verdict.BANDWIDTH_BOUND)
        message = finding_message(f"'x' is {code}.", effect)
        at = Span(line, 4, line, 9)
        return Finding(code, "a-rule", Level.HINT, message, MAIN, at, effect, **more)

    unknown = UnknownUsed("n", "why", 4.0, kind=UnknownKind.HOST)
    small = finding("RL205", 5, 117.0, 100.0, related=(Related(MAIN, 7, "here too"),))
    large = finding("RL104", 4, 190.0, 100.0, fix=Fix("Swap the roles of x and y", ()))
    none = finding("RL300", 6, 100.0, 100.0)
    assert none.effect is not None
    assumed = replace(small, effect=replace(none.effect, time_ns=150.0, assumed=(unknown,)))
    text = kernel_text(replace(saxpy, findings=(none, small, large)), gpu, MARKDOWN)
    assert text.split("\n\n")[1] == (
        "- **1.9× as fast**: `x` is RL104 (line 4, RL104); fix: Swap the roles of x and y\n"
        "- **1.17× as fast**: `x` is RL205 (lines 5, 7, RL205)\n"
        "- `x` is RL300 (line 6, RL300)"
    )
    assert lens_title(replace(saxpy, findings=(none, small, large)), gpu).endswith(
        " | 18.2 µs on RTX 3080: DRAM, 12 MB | 3 findings, the best 1.9×"
    )
    assert lens_title(replace(saxpy, findings=(large,)), gpu).endswith(" | 1 finding, 1.9×")
    assert lens_title(replace(saxpy, findings=(none, none)), gpu).endswith(" | 2 findings")
    assert small.message == (
        "1.17x as fast (117 ns -> 100 ns): 'x' is RL205. By the model: stays BB"
    )
    assert none.message == ("'x' is RL300. By the model: stays BB; 100 ns -> 100 ns (1.00x)")
    assert gain(assumed) == "1.5× as fast at the sizes assumed"
    many = findings_text([small] * 7, PLAIN)
    assert many is not None
    assert many.splitlines()[-1] == "- and 2 more"


def test_the_other_rule_is_told_where_it_differs(saxpy: KernelReport, gpu: GpuUsed) -> None:
    kernel = with_prediction(saxpy, kept_bytes=4e6, study_verdict=Verdict.COMPUTE_BOUND)
    told = "CB by the study's rule: 4 MB of what is written are still in L2 when the kernel ends"
    assert told in lines_of(kernel, gpu)
    assert told not in lines_of(with_prediction(saxpy, kept_bytes=4e6), gpu)
    by_study = replace(gpu, rule="study")
    assert lines_of(saxpy, by_study)[0].startswith(
        "Bandwidth-bound on RTX 3080 (boost clock, the study's rule): "
    )


def test_nothing_known(saxpy: KernelReport, gpu: GpuUsed) -> None:
    kernel = with_prediction(
        saxpy,
        verdict=None,
        limiting=None,
        sp_flops=None,
        int_ops=None,
        dram_read_bytes=None,
        time_ns=None,
        occupancy=None,
        evidence=(),
    )
    assert lines_of(replace(kernel, launches=()), gpu) == [
        "Undecided on RTX 3080 (boost clock): too little is known of this kernel",
        "",
        "DRAM traffic unknown",
        "",
        "No launch found; taken as ? blocks of ? threads",
    ]
    assert lens_title(kernel, gpu) == "Undecided | RTX 3080"


def test_a_precision_without_a_ridge(saxpy: KernelReport, gpu: GpuUsed) -> None:
    kernel = with_prediction(saxpy, tensor_flops=5e9, int_ops=0.0, sp_flops=0.0)
    text = lines_of(kernel, gpu)
    assert text[0] == "Bandwidth-bound on RTX 3080 (boost clock): 93% sure"
    assert text[4].split() == ["Tensor", "5", "Gflop", "417", "unknown"]
    assert lens_title(kernel, gpu) == "Bandwidth-bound, 93% sure | 18.2 µs on RTX 3080: DRAM, 12 MB"


def test_bytes_unknown(saxpy: KernelReport, gpu: GpuUsed) -> None:
    text = kernel_text(with_prediction(saxpy, dram_write_bytes=None), gpu, PLAIN)
    assert "DRAM traffic unknown · about 18.2 µs" in text
    assert text.splitlines()[4].split() == ["SP", "2", "Mflop", "unknown", "39.1", "<1%"]


@pytest.mark.parametrize(
    ("read", "written", "kept", "said"),
    [
        (8e6, 4e6, 0.0, "DRAM 12 MB (8 MB read, 4 MB written)"),
        (8e6, 0.6, 0.6, "DRAM 8 MB read"),
        (0.0, 4e6, 0.0, "DRAM 4 MB written"),
        (0.0, 0.0, 0.0, "DRAM 0 B"),
        (
            8e6,
            4e6,
            1e6,
            "DRAM 12 MB (8 MB read, 4 MB written, 1 MB of it after the kernel ends)",
        ),
        (0.0, 4e6, 1e6, "DRAM 4 MB written, 1 MB of it after the kernel ends"),
    ],
)
def test_the_traffic(
    saxpy: KernelReport, gpu: GpuUsed, read: float, written: float, kept: float, said: str
) -> None:
    kernel = with_prediction(saxpy, dram_read_bytes=read, dram_write_bytes=written, kept_bytes=kept)
    assert f"\n{said} · about" in kernel_text(kernel, gpu, PLAIN)


def test_code_and_arguments_are_told_where_they_are_much_of_the_traffic(
    saxpy: KernelReport, gpu: GpuUsed
) -> None:
    line = replace(saxpy.prediction.ledger[0], dram_read_bytes=1000.0)
    for read, said in ((46_000.0, " read, 45 kB of it code and arguments,"), (1100.0, " read,")):
        kernel = with_prediction(
            saxpy, ledger=(line,), dram_read_bytes=read, dram_write_bytes=960.0
        )
        assert said in kernel_text(kernel, gpu, PLAIN)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"grid": (64, 64, 1), "block": (16, 16, 1)}, "64×64 blocks of 16×16 threads"),
        ({"grid": (1, 1, 1)}, "1 block of 256 threads"),
        ({"grid": None}, "? blocks of 256 threads"),
        ({"block": (1, 1, 1)}, "3907 blocks of 1 thread"),
        ({"grid": (None, 2, 1)}, "?×2 blocks of 256 threads"),
        ({"shared_bytes": 6144}, "3907 blocks of 256 threads, 6 KiB shared memory each"),
        ({"shared_bytes": None}, "3907 blocks of 256 threads"),
        ({"certain": False}, "3907 blocks of 256 threads (if it is reached)"),
        ({"template_args": ("float", "4")}, "3907 blocks of 256 threads, `<float, 4>`"),
    ],
)
def test_the_launch(saxpy: KernelReport, gpu: GpuUsed, changes: dict[str, Any], said: str) -> None:
    text = kernel_text(with_launch(saxpy, **changes), gpu, MARKDOWN)
    line = next(line for line in text.splitlines() if line.startswith("Launched"))
    assert line.endswith(f": {said}")


def test_the_values_of_a_launch_and_where_they_came_from(saxpy: KernelReport, gpu: GpuUsed) -> None:
    unknown = UnknownUsed("argv[2]", "the command line is not known", 1024.0, MAIN, 7)
    read = UnknownUsed("iters", "it is read from file 'in.txt' at run time", 16.0, MAIN, 8)
    kernel = with_launch(
        with_prediction(saxpy, unknowns=(unknown, read)),
        grid_origin="argv[1] at main.cu:6",
        block_origin="main.cu:12",  # written in the launch itself
        arguments=(
            ArgumentUsed("n", "1000000", "argv[1] at main.cu:6", used=1e6),
            ArgumentUsed("a", "0.5", "main.cu:12", used=0.5),
            ArgumentUsed("m", "unknown", "argv[2]", used=2048.0, assumed=(unknown,)),
            ArgumentUsed("iters", "unknown", None, used=16.0, assumed=(read,)),
            ArgumentUsed("p", "nullptr", None),
            ArgumentUsed("x", "device buffer", None, buffer_bytes=4e6),
            ArgumentUsed("y", "device buffer", None, buffer_bytes=8192.0, assumed=(unknown,)),
        ),
    )
    text = kernel_text(kernel, gpu, MARKDOWN)
    assert (
        "3907 blocks of 256 threads\n"
        "- blocks ← argv[1] at main.cu:6\n"
        "- `n` = 1000000 ← argv[1] at main.cu:6\n"
        "- `a` = 0.5\n"
        "- `m` = 2048, **assumed**: `argv[2]`: the command line is not known (main.cu:7)\n"
        "- `iters` = 16, **assumed**: it is read from file `in.txt` at run time (main.cu:8)\n"
        "- in memory: `x` 4 MB, `y` ≈8.19 kB\n"
        "\n"
        "**What counts most**" in text
    )
    plain = kernel_text(kernel, gpu, PLAIN)
    assert "- m = 2048, assumed: 'argv[2]': the command line is not known (main.cu:7)\n" in plain


def test_dimensions_that_were_assumed_say_why(saxpy: KernelReport, gpu: GpuUsed) -> None:
    unknown = UnknownUsed("argv[1]", "the command line is not known", 1024.0)
    kernel = with_launch(
        with_prediction(saxpy, grid=(8, 1, 1), unknowns=(unknown,)),
        grid=(None, 1, 1),
        grid_origin="argv[1] at main.cu:6",
        grid_assumed=(unknown, unknown),
    )
    text = kernel_text(kernel, gpu, PLAIN)
    assert (
        "≈8 blocks of 256 threads\n"
        "- blocks, assumed: 'argv[1]': the command line is not known\n"
        "\nWhat counts most" in text
    )


def test_long_lists_of_values_are_cut(saxpy: KernelReport, gpu: GpuUsed) -> None:
    numbers = [ArgumentUsed(f"n{i}", "1", None, used=1.0) for i in range(10)]
    held = [ArgumentUsed(f"x{i}", "", None, buffer_bytes=8.0) for i in range(7)]
    lines = lines_of(with_launch(saxpy, arguments=(*numbers, *held)), gpu)
    assert lines[11:20] == [*(f"- n{i} = 1" for i in range(8)), "- and 2 more"]
    assert lines[20].startswith("- in memory: x0 8 B, x1 8 B, ")
    assert lines[20].endswith("x5 8 B, 1 more")


def test_a_branch_is_told_by_how_often_it_is_taken(saxpy: KernelReport, gpu: GpuUsed) -> None:
    branch = UnknownUsed("branch at line 8", "why", 0.25, kind=UnknownKind.BRANCH)
    text = kernel_text(with_prediction(saxpy, unknowns=(branch, branch)), gpu, PLAIN)
    assert text.count("- branch at line 8, taken 25% of the time: why\n") == 1


@pytest.mark.parametrize(
    ("dialect", "said"),
    [
        (Dialect.CUDA, "3907 blocks of 256 threads, 6 KiB shared memory each"),
        (Dialect.HIP, "3907 blocks of 256 threads, 6 KiB shared memory each"),
        (Dialect.OPENMP, "3907 teams of 256 threads, 6 KiB shared memory each"),
        (Dialect.OPENCL, "3907 work-groups of 256 work-items, 6 KiB local memory each"),
    ],
)
def test_each_language_has_its_words(
    saxpy: KernelReport, gpu: GpuUsed, dialect: Dialect, said: str
) -> None:
    launch = replace(saxpy.launches[0], shared_bytes=6144)
    kernel = replace(saxpy, dialect=dialect, launches=(launch,))
    assert f": {said}\n" in kernel_text(kernel, gpu, MarkupStyle(markdown=False))


@pytest.mark.parametrize(
    ("grid", "used", "said"),
    [
        (None, (4096, 1, 1), "≈4096 blocks"),
        (None, (64, 32, 1), "≈64×≈32 blocks"),
        ((None, 2, 1), (16, 2, 1), "≈16×2 blocks"),
        ((None, 1, 1), (16, 1, 1), "≈16 blocks"),
        ((8, None, None), (8, 1, 1), "8 blocks"),
        (None, (1, 1, 1), "≈1 block"),
        ((8, None, 1), None, "8×? blocks"),
        ((None, None, None), None, "? blocks"),
    ],
)
def test_what_was_assumed_of_a_launch(
    saxpy: KernelReport, gpu: GpuUsed, grid: Any, used: Any, said: str
) -> None:
    kernel = with_launch(with_prediction(saxpy, grid=used), grid=grid)
    assert f": {said} of 256 threads" in kernel_text(kernel, gpu, PLAIN)


def test_what_was_assumed_without_a_launch(saxpy: KernelReport, gpu: GpuUsed) -> None:
    kernel = with_prediction(replace(saxpy, launches=()), grid=(4096, 1, 1), block=(256, 1, 1))
    text = kernel_text(kernel, gpu, PLAIN)
    assert "No launch found; taken as ≈4096 blocks of ≈256 threads\n" in text


def test_other_launches(saxpy: KernelReport, gpu: GpuUsed) -> None:
    first = saxpy.launches[0]
    compute = replace(first.prediction, verdict=Verdict.COMPUTE_BOUND)
    kernel = replace(
        saxpy,
        launches=(
            first,
            replace(first, line=20),
            replace(first, line=30, prediction=compute),
            *(replace(first, line=line, prediction=compute) for line in (40, 50, 60, 70)),
        ),
    )
    line = lines_of(kernel, gpu)[10]
    assert line == (
        "Launched at main.cu:12: 3907 blocks of 256 threads. Other launches: CB at main.cu:30, "
        "CB at main.cu:40, CB at main.cu:50, 2 more that differ, 1 more of the same class"
    )
    shown = kernel_text(kernel, gpu, PLAIN, kernel.launches[2])
    assert shown.startswith("Compute-bound on")
    assert "Launched at main.cu:30" in shown


def test_unknowns(saxpy: KernelReport, gpu: GpuUsed) -> None:
    unknowns = (
        UnknownUsed("n", "read from argv[1]", 1048576.0),
        UnknownUsed("trips of the loop at line 12", "depends on 'stop'", None),
        *(UnknownUsed(f"u{number}", "why", 1.0) for number in range(4)),
    )
    text = kernel_text(with_prediction(saxpy, unknowns=unknowns), gpu, MARKDOWN)
    assert (
        "**Not known from the source**\n"
        "- `n`, taken as 1.05 M: read from argv[1]\n"
        "- trips of the loop at line 12: depends on `stop`\n"
        "- `u0`, taken as 1: why\n"
        "- `u1`, taken as 1: why\n"
        "- and 2 more" in text
    )


def test_a_line(saxpy: KernelReport, gpu: GpuUsed) -> None:
    index, update = saxpy.prediction.ledger
    assert line_text([(saxpy, [update])], gpu, MARKDOWN) == (
        "**100% of the DRAM traffic** of `saxpy`: 12 MB\n"
        "\n"
        "| This line      |  Amount | Share |\n"
        "| :------------- | ------: | ----: |\n"
        "| DRAM traffic   |   12 MB |  100% |\n"
        "| INT operations |   4 Mop |   50% |\n"
        "| SP operations  | 2 Mflop |  100% |\n"
        "\n"
        "Runs 1 M times · branch: taken by 99.9% of threads"
    )
    assert line_text([(saxpy, [index])], gpu, PLAIN) == (
        "50% of the INT operations of saxpy: 4 Mop\n\nRuns 1 M times"
    )


def test_a_line_of_a_compute_bound_kernel_names_operations_first(
    saxpy: KernelReport, gpu: GpuUsed
) -> None:
    kernel = with_prediction(saxpy, verdict=Verdict.COMPUTE_BOUND)
    text = line_text([(kernel, kernel.prediction.ledger[1:])], gpu, PLAIN)
    assert text is not None
    assert text.startswith("50% of the INT operations of saxpy: 4 Mop\n")
    assert text.index("INT operations  ") < text.index("DRAM traffic")


def test_a_line_is_introduced_by_what_it_does(saxpy: KernelReport, gpu: GpuUsed) -> None:
    line = replace(saxpy.prediction.ledger[0], dram_read_bytes=100.0)
    text = line_text([(saxpy, [line])], gpu, MARKDOWN)
    assert text is not None
    assert text.startswith("**50% of the INT operations** of `saxpy`: 4 Mop\n")
    assert "| DRAM traffic   | 100 B read |   <1% |" in text


def test_a_line_that_only_has_a_note(saxpy: KernelReport, gpu: GpuUsed) -> None:
    index = saxpy.prediction.ledger[0]
    noted = replace(index, int_ops=0.0, executions=0.0, notes=("loop: 4 trips", "loop: 4 trips"))
    assert line_text([(saxpy, [noted])], gpu, PLAIN) == (
        "No operations and no DRAM traffic of saxpy\n\nloop: 4 trips"
    )


def test_notes_of_a_loops_copies_are_one_note(saxpy: KernelReport, gpu: GpuUsed) -> None:
    branches = tuple(f"branch: taken by {each}% of threads" for each in ("93.8", "6.2", "50.0"))
    loops = ("loop: 2 trips, unrolled", "loop: 14 trips, unrolled", "loop: 3 trips, unrolled")
    other = ("loop: 100 M trips", "loop: 16,384 trips", "branch: taken by no thread")
    index = saxpy.prediction.ledger[0]
    noted = replace(index, int_ops=0.0, executions=0.0, notes=(*branches, *loops, *other))
    assert line_text([(saxpy, [noted])], gpu, PLAIN) == (
        "No operations and no DRAM traffic of saxpy\n\n"
        "branch: taken by 6.2% to 93.8% of threads · loop: 2 to 14 trips, unrolled"
        " · loop: 16,384 to 100 M trips · branch: taken by no thread"
    )


def test_a_line_without_a_share_says_nothing(saxpy: KernelReport, gpu: GpuUsed) -> None:
    idle = replace(saxpy.prediction.ledger[0], int_ops=0.0)
    assert line_text([(saxpy, [idle])], gpu, PLAIN) is None
    assert line_text([], gpu, PLAIN) is None


def test_a_line_of_two_kernels(saxpy: KernelReport, gpu: GpuUsed) -> None:
    other = replace(saxpy, base_name="daxpy")
    line = saxpy.prediction.ledger[:1]
    text = line_text([(saxpy, line), (other, line)], gpu, PLAIN)
    assert text is not None
    assert [row for row in text.splitlines() if "of the INT" in row] == [
        "50% of the INT operations of saxpy: 4 Mop",
        "50% of the INT operations of daxpy: 4 Mop",
    ]


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "at the ridge"), (1.4, "1.4× above"), (0.5, "2× below"), (0.001, "1,000× below")],
)
def test_distance(ratio: float, text: str) -> None:
    assert distance(ratio) == text


@pytest.mark.parametrize(
    ("confidence", "text"),
    [
        (1.0, "almost certainly, 99%"),
        (0.9, "very likely, 90%"),
        (0.75, "likely, 75%"),
        (0.6, "probably, 60%"),
        (0.52, "a toss-up, 52%"),
    ],
)
def test_sureness(confidence: float, text: str) -> None:
    assert sureness(confidence) == text


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("NVIDIA GeForce RTX 3080", "RTX 3080"),
        ("GeForce RTX 4090", "RTX 4090"),
        ("Instinct MI300X", "MI300X"),
        ("Tesla V100 SXM2 32GB", "Tesla V100 SXM2 32GB"),
    ],
)
def test_gpus_are_called_what_people_call_them(gpu: GpuUsed, full: str, short: str) -> None:
    assert gpu_name(replace(gpu, name=full)) == short


def test_a_launch_of_a_document_that_is_no_file_has_no_link(
    saxpy: KernelReport, gpu: GpuUsed
) -> None:
    kernel = with_launch(saxpy, path=Path("untitled/new.cu"))
    assert "Launched at new.cu:12: " in kernel_text(kernel, gpu, MARKDOWN)


def test_a_precision_is_left_out_without_operations(saxpy: KernelReport, gpu: GpuUsed) -> None:
    assert saxpy.prediction.operations(Precision.DP) == 0.0
    assert "DP" not in kernel_text(saxpy, gpu, PLAIN)
