"""CUDA and OpenCL programs of a test, compiled and run by the executor."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from roofline_hardware_db import find_gpu
from roofline_profiling.emulate.building import write_compilers
from roofline_profiling.emulate.configuration import (
    VARIABLE,
    EmulationLimits,
    configuration_text,
)
from roofline_profiling.emulate.machine import machine_of
from roofline_profiling.emulate.native_build import build_executor
from roofline_profiling.emulate.records import (
    NONE,
    LaunchRecord,
    SiteCount,
    read_code,
    read_records,
)
from roofline_profiling.emulate.run import OPENCL_COMPILER, TRANSLATOR, opencl_tools
from roofline_profiling.emulate.toolchain import (
    CudaCompiler,
    find_cuda_compiler,
    find_disassembler,
    find_host_compiler,
    find_opencl_compiler,
    find_opencl_headers,
)
from roofline_profiling.errors import ProfilerError

_NAMED = re.compile(r"// @(\w+)")
_LIMIT_S = 300


@dataclass(frozen=True)
class Ran:
    """A program's end."""

    printed: str
    code: int
    launches: tuple[LaunchRecord, ...]

    def of(self, kernel: str) -> list[LaunchRecord]:
        """The launches of a kernel, by a part of its mangled name."""
        return [each for each in self.launches if kernel in each.kernel]


class Bench:
    """A compiler and an executor."""

    def __init__(self, folder: Path) -> None:
        try:
            self._compiler: CudaCompiler = find_cuda_compiler()
            disassembler, host = find_disassembler(), find_host_compiler()
        except ProfilerError as error:
            pytest.skip(str(error))
        if 86 not in self._compiler.architectures:
            pytest.skip("the CUDA compiler makes no code for sm_86")
        self._folder = folder
        executor = build_executor(host, self._compiler.headers, self._compiler.release)
        self.libraries = executor.folder
        held = folder / "tools"
        held.mkdir()
        executor.kernels.mkdir(exist_ok=True)
        self._output, configuration = folder / "launches.jsonl", folder / "configuration"
        text = configuration_text(
            machine_of(find_gpu("RTX 3080")), EmulationLimits(caches=False), output=self._output,
            translator=shlex.join(TRANSLATOR), cache=executor.kernels,
            opencl_compiler=shlex.join(OPENCL_COMPILER),
        )  # fmt: skip
        configuration.write_text(text)
        self._environment = {
            **os.environ,
            **write_compilers(held, self._compiler, 86, executor),
            **opencl_tools(self._compiler, 86),
            VARIABLE: str(configuration),
            "ROOFLINE_NVDISASM": str(disassembler),
            "ROOFLINE_CXX": str(host),
            "LD_LIBRARY_PATH": str(executor.folder),
        }

    def compiled(self, name: str, *words: str | Path, foreign: bool = False) -> Path:
        """An executable of sources and options; ``foreign``: of what the compiler makes itself."""
        made = self._folder / name
        nvcc = self._compiler.nvcc if foreign else self._environment["CUDACXX"]
        command = [str(nvcc), "-O3", "-w", *map(str, words), "-o", str(made)]
        environment = dict(os.environ) if foreign else self._environment
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=_LIMIT_S
        )
        assert done.returncode == 0, done.stderr
        return made

    def host(self, name: str, source: Path) -> Path:
        """An executable of a host program in C++ that uses OpenCL."""
        if find_opencl_headers(self._compiler.headers) is None:
            pytest.skip("there are no headers of OpenCL (CL/cl.h)")
        if find_opencl_compiler() is None:
            pytest.skip("there is no Clang that compiles OpenCL C")
        made = self._folder / name
        command = ["g++", "-O1", "-w", str(source), "-o", str(made), "-lOpenCL"]
        done = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=False,
            timeout=_LIMIT_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return made

    def run(self, program: Path, *args: str, folder: Path | None = None) -> Ran:
        """Run a program to its end."""
        self._output.unlink(missing_ok=True)
        done = subprocess.run(
            [str(program), *args],
            env=self._environment, capture_output=True, text=True, check=False, timeout=_LIMIT_S,
            cwd=folder,
        )  # fmt: skip
        printed = done.stdout + done.stderr
        return Ran(printed, done.returncode, read_records(self._output).launches)


def lines_of(source: Path) -> Mapping[int, str]:
    """The names that a source's comments give to its lines."""
    found = ((n, _NAMED.search(line)) for n, line in enumerate(source.read_text().splitlines(), 1))
    return {n: name[1] for n, name in found if name is not None}


def thread_instructions(launches: Sequence[LaunchRecord]) -> Counter[str]:
    """Executions by threads, by the opcode without modifiers."""
    found: Counter[str] = Counter()
    for launch in launches:
        for ins in read_code(launch.code).instructions:
            if ins.predicated == NONE:
                count = launch.block_counts[ins.block].threads
            else:
                count = launch.predicated[ins.predicated]
            found[ins.opcode.split(".", 1)[0]] += count
    return found


def memory_instructions(launch: LaunchRecord, source: Path) -> dict[str, list[SiteCount]]:
    """What each memory instruction asked, by the names of lines and the opcodes."""
    names = lines_of(source)
    found: dict[str, list[SiteCount]] = {}
    for ins in read_code(launch.code).instructions:
        here = ins.file is not None and ins.file.endswith(source.name)
        name = names.get(ins.line or 0)
        if ins.site == NONE or not here or name is None:
            continue
        key = f"{name} {ins.opcode.split('.', 1)[0]}"
        found.setdefault(key, []).append(launch.sites[ins.site])
    return found


def sites_of(launch: LaunchRecord, opcode: str) -> list[SiteCount]:
    """What the memory instructions asked whose opcodes begin so, in the code's order."""
    code = read_code(launch.code).instructions
    return [launch.sites[ins.site] for ins in code if ins.opcode.startswith(opcode)]
