"""An emulation whose compilers and executor are played: a program writes the records itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roofline_hardware_db import find_gpu
from roofline_profiling.emulate import run as running
from roofline_profiling.emulate.building import Around
from roofline_profiling.emulate.native_build import Executor
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.toolchain import CudaCompiler
from tests.profiling.emulate.launch_records import Json, write_code

_PROGRAM = """\
#!/bin/sh
output=$(sed -n 's/^output=//p' "$ROOFLINE_EMULATE")
cp "$ROOFLINE_EMULATE" {folder}/configuration
echo "$LD_LIBRARY_PATH" > {folder}/library_path
echo "ran $@"
cat {folder}/records >> "$output"
{ending}
"""
_NVCC = """\
#!/bin/sh
echo "nvcc $@" >> {folder}/compiled
case "$*" in *wrong.cu*) echo "wrong.cu(1): error" >&2; exit 1;; esac
while [ "$1" != "-o" ]; do shift; done
cp {folder}/app "$2"
"""


@pytest.fixture
def around(tmp_path: Path) -> Iterator[Around]:
    """Programs run in the test's folder and print into a file."""
    with (tmp_path / "printed").open("wb") as output:
        yield Around(tmp_path, output=output.fileno())


@pytest.fixture
def options() -> EmulationOptions:
    return EmulationOptions(find_gpu("RTX 3080"), launches=None)


Play = Callable[..., str]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Makes a program that leaves these records and then does ``ending``; returns its path."""
    nvcc = tmp_path / "toolkit" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(_NVCC.format(folder=tmp_path))
    nvcc.chmod(0o755)
    compiler = CudaCompiler(nvcc, (13, 0), (75, 80, 86, 90), tmp_path, None)
    monkeypatch.setattr(running, "find_cuda_compiler", lambda given: compiler)
    monkeypatch.setattr(running, "find_disassembler", lambda: Path("/nvdisasm"))
    monkeypatch.setattr(running, "find_host_compiler", lambda: Path("/g++"))
    monkeypatch.setattr(running, "build_executor", lambda *_: Executor(tmp_path / "executor"))
    code = write_code(tmp_path)

    def play(*launches: Json, ending: str = "") -> str:
        lines = [json.dumps({**each, "code": str(code)}) + "\n" for each in launches]
        (tmp_path / "records").write_text("".join(lines))
        path = tmp_path / "app"
        path.write_text(_PROGRAM.format(folder=tmp_path, ending=ending))
        path.chmod(0o755)
        return "./app"

    return play
