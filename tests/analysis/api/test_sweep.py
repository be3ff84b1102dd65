"""A kernel over values of one number: counts made by hand, and where the class changes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.api.reloading import Reloadable
from roofline_analysis.api.sweep.records import Sweep
from roofline_analysis.api.sweep.source_numbers import numbers_in, with_value
from roofline_analysis.api.sweep.spec import MOST_POINTS, SweepError, swept
from roofline_analysis.api.sweep.sweeping import sweep
from roofline_analysis.project.project import ProjectIndex
from roofline_analysis.report.report import Verdict
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings

MAIN = Path("/p/main.cu")
CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND
SOURCE = """\
#include <cstdlib>
#include "steps.h"
__global__ void work(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < STEPS; k++) v = v * v + 0.5f;
  x[i] = v;
}
__global__ void fixed(float *x) {
  int i = blockIdx.x * 128 + threadIdx.x;
  x[i] = 2.0f * x[i];
}
int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1 << 20;  // n = 7
  int rows = atoi(argv[2]);
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  work<<<(n + 255) / 256, 256>>>(n, x);
  fixed<<<rows, 128>>>(x);
}
"""
HEADER = """\
#define STEPS 4
"""
CODE_BYTES = 4000
"""The most bytes that reading the kernel's code takes."""
CODE = 2e-3
"""The greatest share of the bytes of a million elements that this is."""


def program(source: str = SOURCE, **settings: Any) -> Reloadable:
    texts = {MAIN: source.encode(), MAIN.with_name("steps.h"): HEADER.encode()}
    project = ProjectIndex(None, files=(MAIN,), reader=texts.get)
    return Reloadable(MAIN, Settings(**settings), project, texts.get)


def over(*texts: str, kernel: str = "work", **settings: Any) -> Sweep:
    return sweep(program(**settings), [swept(text) for text in texts], kernel=kernel)


def sp(made: Sweep) -> list[float | None]:
    return [point.operations[Precision.SP] for point in made.points]


# -- a size


def test_all_that_rests_on_a_size_follows() -> None:
    """Grid, guard, allocation and argument are of the number in the text."""
    made = over("n=262144..1048576")
    assert [point.value for point in made.points] == [1 << 18, 1 << 19, 1 << 20]
    assert [point.grid for point in made.points] == [(1024, 1, 1), (2048, 1, 1), (4096, 1, 1)]
    # 4 steps of 2 operations, and 4 bytes each way, an element.
    assert sp(made) == [8 * (1 << 18), 8 * (1 << 19), 8 * (1 << 20)]
    for point in made.points:
        assert point.value is not None
        assert point.dram_read_bytes == pytest.approx(4 * point.value, abs=CODE_BYTES)
        assert point.dram_write_bytes == 4 * point.value
        assert point.intensities[Precision.SP] == pytest.approx(1.0, rel=4 * CODE)
        assert point.depends_on == ()
    assert (made.name, made.title, made.line) == ("n", "work", 3)
    assert made.how == "in the place of 'argc > 1 ? atoi(argv[1]) : 1 << 20' at main.cu:15"


def test_a_point_is_what_the_analysis_of_such_a_program_says() -> None:
    """One way of counting: no number differs from that of a program written so."""
    (point,) = over("n=65536").points
    text = SOURCE.replace("argc > 1 ? atoi(argv[1]) : 1 << 20", "65536")
    analysis = program(text).load()
    kernel = next(each for each in analysis.functions if each.name == "work")
    prediction = analysis.judge_launch(kernel, analysis.launches_of(kernel)[0]).prediction
    assert point.time_ns == prediction.time_ns
    assert point.confidence == prediction.confidence
    assert point.operations == {each: prediction.operations(each) for each in Precision}
    assert point.dram_read_bytes == prediction.dram_read_bytes


def test_growth_is_the_exponent_of_the_time() -> None:
    made = over("n=1048576..16777216:x4")
    first, second, third = made.points
    assert first.growth is None
    assert second.time_ns is not None
    assert first.time_ns is not None
    assert second.growth == pytest.approx(math.log(second.time_ns / first.time_ns, 4))
    # As long as DRAM decides, the time is in proportion to the size.
    assert third.growth == pytest.approx(1.0, abs=0.05)


def test_where_the_class_changes_is_told() -> None:
    """2 K operations on 8 bytes: the ridge of 39.15 is passed with K = 157."""
    made = over("STEPS=64..512")
    assert made.how == "in the place of '4' at steps.h:1"
    assert [point.verdict for point in made.points] == [BB, BB, CB, CB]
    assert [point.intensities[Precision.SP] for point in made.points] == [
        pytest.approx(steps / 4, rel=CODE) for steps in (64, 128, 256, 512)
    ]
    (change,) = made.changes
    assert (change.below, change.value, change.before, change.after) == (128, 256, BB, CB)
    exact = over("STEPS=155..158:+1")
    assert [point.verdict for point in exact.points] == [BB, BB, CB, CB]


def test_a_macro_of_the_settings() -> None:
    source = SOURCE.replace('#include "steps.h"\n', "")
    made = sweep(program(source, defines=("STEPS=1",)), [swept("STEPS=1,3")], kernel="work")
    assert made.how == "a macro that the settings define"
    assert [count and count / (1 << 20) for count in sp(made)] == [2, 6]


# -- the command line


def test_a_word_of_the_command_line() -> None:
    made = over("argv[1]=4096,8192", args=("512", "9"))
    assert [point.grid for point in made.points] == [(16, 1, 1), (32, 1, 1)]
    second = over("argv[2]=16,32", args=("512",), kernel="fixed")
    assert [point.grid for point in second.points] == [(16, 1, 1), (32, 1, 1)]
    with pytest.raises(SweepError, match=r"argv\[2\] needs the words before it; give .* --args"):
        over("argv[2]=16", kernel="fixed")


def test_an_argument_that_nothing_gives_is_open() -> None:
    alone = """\
__global__ void sum(int m, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < m; k++) s += x[i * m + k];
  y[i] = s;
}
"""
    made = sweep(program(alone), [swept("m=8..32")])
    assert made.how == "an input that the program leaves open"
    # 1 M threads are taken; each adds m numbers.
    assert sp(made) == [m * (1 << 20) for m in (8, 16, 32)]


# -- the block


def test_the_grid_follows_the_block() -> None:
    made = over("block=64..512", args=("1048576",))
    assert made.name == "block.x"
    assert [(point.grid, point.block) for point in made.points] == [
        (((1 << 20) // size, 1, 1), (size, 1, 1)) for size in (64, 128, 256, 512)
    ]
    assert sp(made) == [8 * (1 << 20)] * 4
    assert made.notes == ("the grid follows, so that there are 1048576 threads along x",)


def test_a_block_that_is_too_large_has_no_launch() -> None:
    made = over("block.x=512..2048")
    assert [point.problem for point in made.points] == [
        None,
        None,
        "a block has at most 1024 threads",
    ]
    assert (made.points[2].time_ns, made.points[2].verdict) == (None, None)
    assert made.changes == ()


def test_a_block_that_the_code_has_cannot_be_varied() -> None:
    with pytest.raises(SweepError, match=r"'fixed' does not read blockDim\.x: its block is"):
        over("block=32..64", kernel="fixed")


# -- GPUs


def test_gpus_alone() -> None:
    made = over("gpu=RTX 3080,A100,A100 SXM4 40GB", "STEPS=100")
    assert [(p.gpu, p.value, p.verdict) for p in made.points] == [
        ("GeForce RTX 3080 10GB", 100, BB),  # 25 operations per byte, below 39.15
        ("A100 SXM4 40GB", 100, CB),  # and above 12.53
    ]
    assert made.changes == ()
    alone = over("gpu=A100,RTX 3080")
    assert [point.value for point in alone.points] == [None, None]
    assert (alone.name, alone.how) == ("gpu", "the launch as the program makes it")


def test_each_gpu_has_its_own_changes() -> None:
    made = over("STEPS=16..256:x4", "gpu=RTX 3080,A100")
    assert [(p.gpu, p.value) for p in made.points[:4]] == [
        ("GeForce RTX 3080 10GB", 16),
        ("GeForce RTX 3080 10GB", 64),
        ("GeForce RTX 3080 10GB", 256),
        ("A100 SXM4 40GB", 16),
    ]
    # 16 operations per byte with 64 steps.
    assert [(c.gpu, c.below, c.value) for c in made.changes] == [
        ("GeForce RTX 3080 10GB", 64, 256),
        ("A100 SXM4 40GB", 16, 64),
    ]


# -- what cannot be done


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["m=1..2"], r"no number 'm' to vary; it has n \(main.cu:15\), STEPS \(steps.h:1\), rows"),
        (["STEP=1..2"], r"no number 'STEP' to vary; did you mean 'STEPS'\?"),
        (["n=1..2", "STEPS=1..2"], "one number is varied at a time, and a list of GPUs besides"),
        (["n=1..100:+1", "gpu=A100,H100,V100"], "300 launches are more than the limit of 200"),
        (["argv[0]=1..2"], r"argv\[0\] is no word of a command line"),
    ],
)
def test_what_cannot_be_varied_is_told(texts: list[str], message: str) -> None:
    with pytest.raises(SweepError, match=message):
        over(*texts)


def test_a_kernel_has_to_be_named_among_several() -> None:
    with pytest.raises(
        SweepError, match=r"which of its 2 kernels is meant\? Name .* work\(.*, fix"
    ):
        sweep(program(), [swept("n=1..2")])


def test_a_name_in_several_places_takes_a_line() -> None:
    source = SOURCE.replace("  float *x;", "  { const int n = 5; }\n  float *x;")
    with pytest.raises(
        SweepError, match=r"in several places; say which: n@main\.cu:15 .*n@main\.cu:17 \(5\)"
    ):
        sweep(program(source), [swept("n=1..2")], kernel="work")
    for name in ("n@15", "n@main.cu:15"):
        made = sweep(program(source), [swept(f"{name}=256,512")], kernel="work")
        assert [point.grid for point in made.points] == [(1, 1, 1), (2, 1, 1)]
    with pytest.raises(SweepError, match="no number 'n@16' to vary"):
        sweep(program(source), [swept("n@16=256")], kernel="work")


def test_a_value_without_the_launch_is_a_problem_of_its_own() -> None:
    source = SOURCE.replace("argc > 1 ? atoi(argv[1]) : 1 << 20", "500")
    source = source.replace("  work<<<", "  if (n <= 100) return 1;\n  work<<<")
    made = sweep(program(source), [swept("n=64,128")], kernel="work")
    assert [point.problem for point in made.points] == [
        "with this value the program does not reach the launch",
        None,
    ]


# -- values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("n=256..1024", (256, 512, 1024)),
        ("n=256..1000", (256, 512)),
        ("n=1..100:x10", (1, 10, 100)),
        ("n=2..20:x1.5", (2, 3, 5, 7, 10, 15)),
        ("n=1..4:x1.1", (1, 2, 3, 4)),
        ("n=10..20:+5", (10, 15, 20)),
        ("n = 7", (7,)),
        ("n=9,3,9", (3, 9)),
    ],
)
def test_ranges(text: str, values: tuple[int, ...]) -> None:
    found = swept(text)
    assert (found.name, found.values) == ("n", values)


@pytest.mark.parametrize(
    "text",
    [
        *("n", "n=", "=3", "n=a", "n=1..", "n=4..1", "n=0..4", "n=1;2", "n=-4..4", "gpu=,"),
        *("n=1..8:x1", "n=1..8:x0.5", "n=1..8:+0", "n=1099511627776"),
    ],
)
def test_texts_that_are_no_values(text: str) -> None:
    with pytest.raises(SweepError, match=r"^'"):
        swept(text)


def test_sweeps_that_are_too_long_name_the_limit() -> None:
    message = f"more values than the limit of {MOST_POINTS}; take larger steps"
    with pytest.raises(SweepError, match=message):
        swept("n=1..100000:+1")
    with pytest.raises(SweepError, match=message):
        swept("n=1..1000000000:x1.001")
    assert swept(f"n=1..{MOST_POINTS}:+1").count == MOST_POINTS


# -- names in a text


def test_the_numbers_that_a_text_names() -> None:
    text = """\
#define N 1024 // elements
  #  define WIDE (1 << 20)u
#define F(x) x
#define NAME other
#define HALF 0.5
// const int hidden = 3;
const char *s = "int quoted = 4;";
constexpr int TILE = 16, SIDE = TILE / 4, DEEP = 8;
static const size_t bytes = 4 * 1024 * sizeof(float);
unsigned long long big = 5'000;
for (int k = 0; k < 3; k++) { int inner = 7; }
int m = atoi(argv[2]), z = f(1, 2);
x = 12;
"""
    found = {each.name: (each.value, each.line) for each in numbers_in(MAIN, text)}
    assert found == {
        "N": ("1024", 1),
        "WIDE": ("(1 << 20)u", 2),
        "TILE": ("16", 8),
        "DEEP": ("8", 8),
        "inner": ("7", 11),
        "m": ("atoi(argv[2])", 12),
    }


@pytest.mark.parametrize(
    "text",
    [
        "#define A " + "1" * 5000 + "x\n",
        "#define A " + "0x1 " * 2000 + "!\n",
        "#define A 1" + " " * 100_000 + "x\n",
        "/* " * 50_000,
        "\n" * 200_000 + "x",
        "int a = " + "(" * 50_000,
        "const " * 20_000,
    ],
)
def test_no_text_holds_it_up(text: str) -> None:
    after = "\n*/\nint b = 2;\n"
    assert [each.name for each in numbers_in(MAIN, text + after)] == ["b"]


def test_another_number_leaves_lines_where_they_are() -> None:
    text = "int a =\n  1 +\n  2;\nint b = 3;\n"
    (a, b) = numbers_in(MAIN, text)
    assert with_value(text, a, 64) == "int a =\n  64\n;\nint b = 3;\n"
    assert with_value(text, b, 5) == "int a =\n  1 +\n  2;\nint b = 5;\n"
    assert (a.line, b.line) == (2, 4)
