"""Programs built and emulated by the real compilers, where these are; counts computed by hand."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from roofline_hardware_db import find_gpu
from roofline_lsp.cli.main import main
from roofline_profiling.emulate.building import Around
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.run import emulate
from roofline_profiling.emulate.toolchain import (
    find_cuda_compiler,
    find_disassembler,
    find_host_compiler,
)
from roofline_profiling.errors import ProfilerError
from roofline_profiling.store import load
from roofline_profiling.store_path import store_path
from tests.profiling.conftest import SOURCE


def missing() -> str:
    """The tool that is not there; empty where all are."""
    if sys.platform != "linux":
        return "programs for Linux"
    try:
        find_cuda_compiler()
        find_disassembler()
        find_host_compiler()
    except ProfilerError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    if reason := missing():
        pytest.skip(reason)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program of two kernels, with a Makefile for another architecture and the static runtime."""
    (tmp_path / "main.cu").write_text(f"#include <cstdlib>\n{SOURCE}")
    (tmp_path / "Makefile").write_text(
        "run: main\n\t./main 20000\n"
        "main: main.o\n\tnvcc -arch=sm_90 -cudart static main.o -o main\n"
        "main.o: main.cu\n\tnvcc -gencode arch=compute_80,code=sm_80 -c main.cu\n"
    )
    (tmp_path / "roofline.toml").write_text("")
    return tmp_path


@pytest.mark.parametrize("command", [["./main.cu", "20000"], ["make", "-s", "run"]])
def test_both_interfaces(program: Path, command: list[str]) -> None:
    if command[0] == "make" and shutil.which("make") is None:
        pytest.skip("no make")
    with (program / "printed").open("wb") as output:
        around = Around(program, output=output.fileno())
        found = emulate(command, EmulationOptions(find_gpu("RTX 3080")), around)
    assert found.problems == ()
    saxpy, polynomial = found.measurements
    assert saxpy.kernel == "saxpy(int, float, float const*, float*)"
    # Within the array: 2 * y is an addition, then a multiply-add. 4 bytes each of x and y are read.
    assert saxpy.sp_flops == 20000 * 3
    assert (saxpy.grid, saxpy.block) == ((79, 1, 1), (256, 1, 1))
    # Besides, the launch itself (2,560 bytes) and its code, of 16 bytes an instruction.
    code_bytes = (saxpy.dram_read_bytes or 0) - 2 * 80000 - 2560
    assert 128 <= code_bytes <= 2048
    assert code_bytes % 128 == 0
    assert saxpy.memory["global_requests"] == 3 * 625
    assert saxpy.memory["global_sectors"] == 3 * 2500
    assert polynomial.sp_flops == 64 * 256 * 4096 * 2
    assert polynomial.dp_flops == 0
    assert any(each.line == 6 for each in saxpy.lines)


def test_the_command(
    program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program)
    assert main(["--profile", "--emulate", "--gpu", "A100", "--", "./main.cu", "20000"]) == 0
    out = capsys.readouterr().out
    assert "2 launches of 2 kernels: 2 of 2 classes right (100%)" in out
    assert "memory accesses" in out
    records = load(store_path(program)).records
    assert {(each.gpu, each.source, each.measurement.args) for each in records} == {
        (find_gpu("A100").name, "main.cu", ("20000",))
    }
