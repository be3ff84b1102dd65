"""Of the functions that no main calls, those are executed that lead to the kernels asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api import ProgramAnalysis, ProgramPlace
from roofline_core.settings import merge

LAUNCHER = """
template <typename Kernel, typename... Args>
void start(Kernel kernel, int blocks, Args... args) { kernel<<<blocks, 128>>>(args...); }
template <typename Kernel, typename... Args>
void start_all(Kernel kernel, Args... args) { start(kernel, 40, args...); }
"""
A = """
#include "launcher.h"
__global__ void scale(float *x) { x[blockIdx.x * 128 + threadIdx.x] *= 2.0f; }
void scaled(float *x) { start_all(scale, x); }
"""
B = """
#include "launcher.h"
__global__ void shift(float *x) { x[blockIdx.x * 128 + threadIdx.x] += 1.0f; }
void scaled(float *x);
void shifted(float *x) { start_all(shift, x); }
void both(float *x) { scaled(x); shifted(x); }
void other(float *x) { shift<<<7, 32>>>(x); }
"""
PAIR = {"launcher.h": LAUNCHER, "a.cu": A, "b.cu": B}


def launched(folder: Path, files: dict[str, str], *members: str) -> dict[str, list[str]]:
    """By kernel, the blocks of its launches, where only members are asked for."""
    for name, text in files.items():
        (folder / name).write_text(text)
    units = [folder / name for name in files if not name.endswith(".h")]
    asked = frozenset(folder / name for name in members) if members else None
    settings = replace(merge(), gpu="RTX 3080")
    program = ProgramAnalysis.load(units, settings, place=ProgramPlace(root=folder, members=asked))
    found: dict[str, list[str]] = {}
    for launch in program.host.launches:
        assert launch.grid is not None
        found.setdefault(launch.kernel.name, []).append(str(launch.grid[0]))
    return found


def test_launches_of_other_files_are_left_out(tmp_path: Path) -> None:
    whole = launched(tmp_path, PAIR)
    assert whole == {"scale": ["40"], "shift": ["40", "7"]}
    assert launched(tmp_path, PAIR, "b.cu") == {"scale": ["40"], "shift": ["40", "7"]}
    assert launched(tmp_path, PAIR, "a.cu")["scale"] == ["40"]
    assert "7" not in launched(tmp_path, PAIR, "a.cu").get("shift", [])


def test_what_main_reaches_stays(tmp_path: Path) -> None:
    main = "void other(float *x); int main() { float *p; cudaMalloc(&p, 4096); other(p); }"
    files = {**PAIR, "main.cu": main}
    assert launched(tmp_path, files, "a.cu") == {"scale": ["40"], "shift": ["7", "40"]}


@pytest.mark.parametrize(
    "extra",
    [
        'void *found(void *m) { void *f; cuModuleGetFunction(&f, m, "late"); return f; }',
        "void (*table[])(float *) = {late};",
        (
            "__global__ void first(float *x) { late<<<3, 32>>>(x); }\n"
            "void begin(float *x) { first<<<1, 32>>>(x); }"
        ),
    ],
    ids=["by its name", "in a table", "by the device"],
)
def test_ways_to_a_kernel(tmp_path: Path, extra: str) -> None:
    kernel = "__global__ void late(float *x) { x[threadIdx.x] = 0; }\n"
    host = (
        f"__global__ void late(float *x);\n{extra}\nvoid direct(float *x) {{ late<<<5, 64>>>(x); }}"
    )
    files = {"a.cu": kernel, "b.cu": host}
    assert launched(tmp_path, files, "a.cu") == launched(tmp_path, files)


def test_a_kernel_that_no_host_code_names_has_all_executed(tmp_path: Path) -> None:
    kernel = "__global__ void unseen(float *x) { x[threadIdx.x] = 0; }\n"
    files = {**PAIR, "u.cu": kernel}
    assert launched(tmp_path, files, "u.cu") == launched(tmp_path, files)


def test_work_on_other_files_takes_none_of_the_asked_ones(tmp_path: Path) -> None:
    """The one function that launches the kernel is long; 40 in another file may lead to it."""
    long = "__global__ void late(float *x) {}\n" + (
        "void begin(float *x, int n) {" + " n++;" * 1_500 + " late<<<n, 64>>>(x); }\n"
    )
    busy = "__global__ void shift(float *x) {}\nvoid begin(float *x, int n);\n" + "".join(
        f"void f{i}(float *x, int n) {{{' n++;' * 700} shift<<<{i}, 32>>>(x); begin(x, n); }}\n"
        for i in range(40)
    )
    files = {"a.cu": long, "b.cu": busy}
    assert "late" not in launched(tmp_path, files)
    assert launched(tmp_path, files, "a.cu")["late"] == ["n + 1500"]
