"""Numbers that a launch's path conditions decide: branches, early returns, checks, switches."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

KERNEL = """__global__ void k(const float *a, float *b, int c, int h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] * c * h; }
"""
LAUNCH = "k<<<(n + 255) / 256, 256>>>(a, b, c, h, n);"


def kernel_of(body: str, before: str = "") -> KernelReport:
    source = f"{before}{KERNEL}void f(const float *a, float *b, int c, int h, int n) {{ {body} }}"
    report = analyze(
        source.encode(), Path("/src/one.cu"), Settings(gpu="A100"), reader=lambda _: None
    )
    assert not [each for each in report.problems if "internal error" in each.message]
    (kernel,) = report.kernels
    return kernel


def sizes(body: str, before: str = "") -> list[dict[str, float | None]]:
    """What each launch takes for c, h and n."""
    return [
        {each.name: each.used for each in launch.arguments if each.name in "chn"}
        for launch in kernel_of(body, before).launches
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"if (n == 600) {LAUNCH}", {"n": 600}),
        (f"if (n <= 600) {LAUNCH}", {"n": 600}),
        (f"if (n < 600) {LAUNCH}", {"n": 599}),
        (f"if (600 >= n && c == 3) {LAUNCH}", {"n": 600, "c": 3}),
        (f"if (n > 5000) return; if (n < 4999) return; {LAUNCH}", {"n": 5000}),
        (f"if (c != 7) {{ throw 1; }} {LAUNCH}", {"c": 7}),
        (f"if (c == 1024) h = 2; else {LAUNCH}", {"c": 512}),
        (f"if (h == 2 || h == 4) {LAUNCH}", {"h": 4}),
        (f"if (!(h == 2 || h == 4)) return; {LAUNCH}", {"h": 4}),
        (f"if (c / h == 48) {LAUNCH}", {"c": 1024, "h": 21}),
        (f"if (c / h == 48 && h == 24) {LAUNCH}", {"c": 1152, "h": 24}),
        (f"if (c % 96 == 0) {LAUNCH}", {"c": 960}),
        (f"if (c % h != 0) return; if (h == 24) {LAUNCH}", {"c": 1008, "h": 24}),
        (f"if (c > 4096) {LAUNCH}", {"c": 8192}),
        (f"if (c % 64 == 0 && c < 1000) {LAUNCH}", {"c": 960}),
    ],
)
def test_a_launch_is_judged_with_numbers_by_which_it_is_reached(
    body: str, expected: dict[str, int]
) -> None:
    (found,) = sizes(body)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("between", [0, 5, 12, 100])
def test_of_two_numbers_alike_the_later_one_is_changed(between: int) -> None:
    many = "".join(f"int m{at} = read{at}() + 0;" for at in range(between))
    body = (
        f"int a0 = first() + 0; {many} int z0 = last() + 0; h = z0; c = a0; if (z0 != a0) {LAUNCH}"
    )
    assert sizes(body) == [{"c": 1024, "h": 512, "n": 1 << 20}]


def test_each_case_of_a_switch_has_its_own_number() -> None:
    found = sizes(
        f"switch (h) {{ case 12: {LAUNCH} break;\n case 24: {LAUNCH} break; default: break; }}"
    )
    assert [each["h"] for each in found] == [12, 24]


def test_both_branches_have_their_numbers() -> None:
    found = sizes(f"if (n <= 600) {LAUNCH} else\n {LAUNCH}")
    assert [each["n"] for each in found] == [600, 1 << 20]


def test_a_condition_holds_to_the_end_of_its_block_alone() -> None:
    (found,) = sizes(f"if (c > 2) {{ if (h != 3) return; c = 5; }} {LAUNCH}")
    assert found["h"] == 1024


@pytest.mark.parametrize(
    "check",
    [
        'TORCH_CHECK(c == 7, "c is ", c);',
        'CHECK(c == 7) << "no";',
        "CHECK_EQ(c, 7);",
        "ICHECK_EQ(7, c) << c;",
        'THArgCheck(c == 7, 2, "c");',
        'FAISS_THROW_IF_NOT_MSG(c == 7, "c");',
        'OP_REQUIRES(context, c == 7, errors::InvalidArgument("c"));',
        "CHECK_LE(c, 7); CHECK_GE(c, 7);",
        "if (c != 7) lib_abort(__FILE__, __LINE__);",
        'if (c != 7) LogFatal("c");',
    ],
)
def test_what_a_check_asks_for_is_true_of_the_launch_after_it(check: str) -> None:
    (found,) = sizes(f"{check} {LAUNCH}")
    assert found["c"] == 7


def test_a_status_of_a_call_is_no_condition() -> None:
    (found,) = sizes(f"CUDA_CHECK(cudaSetDevice(c)); CHECK(c); {LAUNCH}")
    assert found["c"] == 1024


def test_a_function_of_the_program_that_is_called_like_a_check_is_followed() -> None:
    before = "int check(bool wanted) { return wanted ? 1 : 0; }\n"
    (found,) = sizes(f"check(c == 7); {LAUNCH}", before)
    assert found["c"] == 1024


def test_the_reason_is_told_once() -> None:
    kernel = kernel_of(f"if (n <= 600 && n <= 500) {LAUNCH}")
    (unknown,) = [each for each in kernel.prediction.unknowns if each.name == "n"]
    assert (unknown.assumed, unknown.why) == (
        500,
        "no call of f() is followed; so that the launch is reached",
    )


def test_what_cannot_be_true_changes_nothing() -> None:
    (found,) = sizes(f"if (c * c == -1) {LAUNCH}")
    assert found["c"] == 1024
