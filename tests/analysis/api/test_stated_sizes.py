"""Sizes that comments state: read, put into launches, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import AnalysisCache, analyze
from roofline_analysis.api.formula import ContractError
from roofline_analysis.api.stated_sizes import Sizes, read_sizes
from roofline_analysis.report.report import FileReport, KernelReport
from roofline_core.settings import Settings

MAIN = Path("/src/saxpy.cu")
KERNEL = """\
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
HOST = """\
#include <cstdlib>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x, *y;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
}
"""
THERE = "there are n, a, x, y, argv[1], grid, block, argv"
LAUNCH = "    saxpy<<<"


def report(text: str, cache: AnalysisCache | None = None) -> FileReport:
    return analyze(text.encode(), MAIN, Settings(), reader=lambda _: None, cache=cache)


def judged(text: str) -> KernelReport:
    found = report(text)
    assert [each.message for each in found.problems] == []
    (kernel,) = found.kernels
    return kernel


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("n = 4096", Sizes((("n", 4096.0),))),
        ("n=64Ki, m = 2*3", Sizes((("n", 65536.0), ("m", 6.0)))),
        ("argv[1] = 12M", Sizes((("argv[1]", 12e6),))),
        ("grid = (256, 2, 1), block = 128", Sizes((), (256, 2, 1), (128, 1, 1))),
        ('argv = "64 -x", n = 1', Sizes((("n", 1.0),), argv=("64", "-x"))),
        ("argv = (64, 3)", Sizes((), argv=("64", "3"))),
    ],
)
def test_sizes_are_read(text: str, sizes: Sizes) -> None:
    assert read_sizes(text) == sizes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n = ", "'' ends where a number or a name belongs"),
        ("n", "'assume' wants NAME=NUMBER, with commas between, not 'n'"),
        ("n = m", "'n' wants a number, not 'm'"),
        ("grdi = (1, 2)", "'grdi' wants one number, not '(1, 2)'; did you mean 'grid'?"),
        ("grid = (1, 2, 3, 4)", "'grid' wants one to three whole numbers: grid = (256, 1, 1)"),
        ("block = 0", "'block' wants one to three whole numbers: block = (256, 1, 1)"),
        ("n = 1 / 0", "'1 / 0' is no number"),
    ],
)
def test_what_is_not_understood_says_why(text: str, said: str) -> None:
    with pytest.raises(ContractError) as error:
        read_sizes(text)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("stated", "blocks", "n"),
    [
        ("n = 65536", 256, 65536),
        ("assume n = 65536", 256, 65536),
        ("argv[1] = 65536", 256, 65536),
        ("argv = (65536)", 256, 65536),
        ("grid = (128, 1, 1)", 128, 32768),
    ],
)
@pytest.mark.parametrize("at_launch", [False, True])
def test_what_is_open_is_solved_for_what_is_stated(
    stated: str, blocks: int, n: int, *, at_launch: bool
) -> None:
    comment = f"// roofline: {stated}\n"
    text = KERNEL + HOST.replace(LAUNCH, f"    {comment}{LAUNCH}")
    kernel = judged(text if at_launch else comment + KERNEL + HOST)
    (launch,) = kernel.launches
    assert launch.grid == (blocks, 1, 1)
    assert (launch.arguments[0].used, launch.arguments[0].assumed) == (n, ())
    assert launch.arguments[2].buffer_bytes == 4 * n
    assert kernel.prediction.time_depends_on == ()
    assert kernel.prediction.known_time_ns is not None
    line = text.count("\n", 0, text.index(comment)) + 1 if at_launch else 1
    name = launch.grid_origin if "grid" in stated else launch.arguments[0].origin
    if not stated.startswith("argv"):
        assert name == f"stated at saxpy.cu:{line}"


def test_without_a_statement_the_size_is_assumed() -> None:
    assert judged(KERNEL + HOST).prediction.time_depends_on == ("argv[1]",)


def test_a_default_of_the_program_gives_way() -> None:
    host = HOST.replace("atoi(argv[1])", "argc > 1 ? atoi(argv[1]) : 1 << 20")
    kernel = judged("// roofline: n = 65536\n" + KERNEL + host)
    assert kernel.launches[0].grid == (256, 1, 1)
    assert kernel.launches[0].arguments[0].used == 65536


def test_a_kernel_without_a_launch_has_the_one_that_is_stated() -> None:
    kernel = judged("// roofline: n = 4096, grid = 16, block = (256, 1, 1)\n" + KERNEL)
    (launch,) = kernel.launches
    assert (launch.line, launch.grid, launch.block) == (1, (16, 1, 1), (256, 1, 1))
    assert launch.arguments[0].used == 4096
    assert kernel.prediction.time_depends_on == ()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "// roofline: m = 4\n" + KERNEL + HOST,
            1,
            f"'m' is no number of 'saxpy' or its launches; {THERE}",
        ),
        (
            "// roofline: argv[2] = 4\n" + KERNEL + HOST,
            1,
            "'argv[2]' is no number of 'saxpy' or its launches; did you mean 'argv[1]'?",
        ),
        (
            "// roofline: n = 4096\n" + KERNEL + HOST.replace("atoi(argv[1])", "1024"),
            1,
            "n = 4096 is not used: the launch at line 12 gives 1024",
        ),
        (
            KERNEL + "// roofline: n = 4\nint other;\n" + HOST,
            5,
            "stands at no kernel and at no launch; put it on the line above one",
        ),
        ("// roofline: n = x\n" + KERNEL + HOST, 1, "n = x: 'n' wants a number, not 'x'"),
    ],
)
def test_what_is_wrong_is_told_at_the_comment(text: str, line: int, said: str) -> None:
    assert [(each.line, each.message) for each in report(text).problems] == [(line, said)]


def test_numbers_of_budgets_are_no_strangers() -> None:
    stated = "// roofline: assume cells = 4096; budget dram_bytes <= 12*cells\n"
    assert report(stated + KERNEL + HOST).problems == ()


def test_an_edited_comment_is_seen_between_edits() -> None:
    cache = AnalysisCache()
    for n in (65536, 131072, 65536):
        (kernel,) = report(f"// roofline: n = {n}\n" + KERNEL + HOST, cache).kernels
        assert kernel.launches[0].grid == (n // 256, 1, 1)
    (kernel,) = report("// nothing here: n = 1\n" + KERNEL + HOST, cache).kernels
    assert kernel.launches[0].grid == (None, 1, 1)


# ---- In the settings


def by_settings(*kernels: tuple[str, str], text: str = KERNEL + HOST) -> FileReport:
    settings = Settings(kernels=kernels)
    return analyze(text.encode(), MAIN, settings, reader=lambda _: None)


@pytest.mark.parametrize("pattern", ["saxpy", "sax*", "*"])
@pytest.mark.parametrize(
    ("stated", "blocks", "n"),
    [
        ("n = 64Ki", 256, 65536),
        ("argv[1] = 65536", 256, 65536),
        ("grid = (128, 1, 1)", 128, 32768),
    ],
)
def test_settings_state_what_comments_state(pattern: str, stated: str, blocks: int, n: int) -> None:
    found = by_settings((pattern, stated))
    assert found.problems == ()
    (launch,) = found.kernels[0].launches
    assert launch.grid == (blocks, 1, 1)
    assert launch.arguments[0].used == n
    assert found.kernels[0].prediction.time_depends_on == ()


def test_settings_say_where_a_number_is_from() -> None:
    found = by_settings(("sax*", "grid = (128, 1, 1)"))
    assert found.kernels[0].launches[0].grid_origin == 'stated in the settings for "sax*"'


def test_settings_go_before_comments_and_the_first_pattern_before_the_second() -> None:
    text = f"// roofline: n = 256\n{KERNEL}{HOST}"
    found = by_settings(("saxpy", "n = 1024"), ("*", "n = 512"), text=text)
    assert found.kernels[0].launches[0].arguments[0].used == 1024


def test_a_kernel_that_nothing_launches_has_the_launch_of_the_settings() -> None:
    found = by_settings(("saxpy", "n = 1024, grid = (4, 1, 1), block = (256, 1, 1)"), text=KERNEL)
    (launch,) = found.kernels[0].launches
    assert (launch.grid, launch.block, launch.line) == ((4, 1, 1), (256, 1, 1), 1)


def test_what_contracts_assume_is_taken_too() -> None:
    settings = Settings(contracts=(("saxpy", ("expect BB", "assume n = 2048")),))
    found = analyze((KERNEL + HOST).encode(), MAIN, settings, reader=lambda _: None)
    assert found.kernels[0].launches[0].arguments[0].used == 2048


@pytest.mark.parametrize(
    ("pattern", "stated", "said"),
    [
        ("saxpy", "m = 1", f"'m' is no number of 'saxpy' or its launches; {THERE}"),
        (
            "sax*",
            "blok = 1",
            "'blok' is no number of 'saxpy' or its launches; did you mean 'block'?",
        ),
        ("saxpy", "a = 3", "a = 3 is not used: the launch at line 11 gives 2.0"),
        ("saxpy", "n = 6x", "n = 6x: "),
    ],
)
def test_what_is_wrong_in_the_settings_stands_at_the_kernel(
    pattern: str, stated: str, said: str
) -> None:
    (problem,) = by_settings((pattern, stated)).problems
    assert problem.message.startswith(f'kernels."{pattern}" of the settings: {said}')
    assert (problem.path, problem.line) == (MAIN, 1)


def test_a_pattern_of_other_kernels_says_nothing() -> None:
    assert by_settings(("gemm", "m = 1")).problems == ()


def test_the_command_line_may_differ_by_program() -> None:
    settings = Settings(args=("512",), per_program_args=(("saxpy.cu", ("1024",)),))
    found = analyze((KERNEL + HOST).encode(), MAIN, settings, reader=lambda _: None)
    assert found.kernels[0].launches[0].arguments[0].used == 1024
