"""A program run without a GPU, and what its kernels executed, complete or partial."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_hardware_db.model import Gpu
from roofline_profiling.emulate.building import (
    Around,
    ProgramRun,
    built,
    is_executable,
    sources_of,
    write_compilers,
)
from roofline_profiling.emulate.configuration import VARIABLE, configuration_text
from roofline_profiling.emulate.machine import Machine, machine_of
from roofline_profiling.emulate.native_build import build_executor
from roofline_profiling.emulate.opencl.tools import ARCHITECTURE, CLANG, CUDA
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.outcome import outcome
from roofline_profiling.emulate.records import read_records
from roofline_profiling.emulate.toolchain import (
    CudaCompiler,
    find_cuda_compiler,
    find_disassembler,
    find_host_compiler,
    find_opencl_compiler,
)
from roofline_profiling.errors import ProfilerError
from roofline_profiling.process import run
from roofline_profiling.profile import Profiled, Progress

TRANSLATOR: Final = (sys.executable, "-P", "-m", "roofline_profiling.emulate.translate")
"""``-P``: modules in the folder that the program runs in must not shadow Python's."""
OPENCL_COMPILER: Final = (sys.executable, "-P", "-m", "roofline_profiling.emulate.opencl.compile")
_KERNEL: Final = re.compile(rb'"kernel"\s*:\s*"([^"\\]*)"')


def emulate(
    command: Sequence[str],
    options: EmulationOptions,
    around: Around,
    *,
    progress: Progress = lambda _, __: None,
    keep_records: Path | None = None,
) -> Profiled:
    """Run a program, or a command that builds and runs one, and count what its kernels execute.

    A command that begins with CUDA sources is compiled first, and run with the rest of its words.
    ``progress`` is told the number and name of each kernel that has run; ``keep_records`` is where
    the executor's own records are copied. Raises ProfilerError where nothing could be counted.
    """
    if options.kernel is not None:
        _check_expression(options.kernel)
    with tempfile.TemporaryDirectory(prefix="roofline-") as name:
        held = Path(name)
        output = held / "launches.jsonl"
        sources = sources_of(command, around.folder)
        ready, notes = _prepared(held, output, options, around)
        program = _program(command, sources, options, ready, held)
        ready.show(program.command)
        ended = run(
            program.command,
            limit_s=options.limit_s,
            folder=ready.folder,
            watch=_RecordWatch(output, progress).look,
            output=ready.output,
            environment=ready.environment,
        )
        if keep_records is not None and output.exists():
            shutil.copy(output, keep_records)
        found = outcome(read_records(output), program, ended, options, ready)
        return replace(found, notes=(*notes, *found.notes))


def _check_expression(text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise ProfilerError(f"--kernel '{text}': not a regular expression: {error}") from None


def _prepared(
    held: Path, output: Path, options: EmulationOptions, around: Around
) -> tuple[Around, list[str]]:
    """The environment in which programs are emulated, and what is to be said of it."""
    machine = machine_of(options.gpu)
    disassembler, host_compiler = find_disassembler(), find_host_compiler()
    compiler = find_cuda_compiler(options.nvcc)
    executor = build_executor(host_compiler, compiler.headers, compiler.release, around.tell)
    machine, notes = _compiled_for(machine, compiler, options.gpu)
    environment = {**os.environ, **write_compilers(held, compiler, _number(machine), executor)}
    configuration = held / "configuration"
    configuration.write_text(
        configuration_text(
            machine,
            options.limits,
            output=output,
            translator=shlex.join(TRANSLATOR),
            opencl_compiler=shlex.join(OPENCL_COMPILER),
            cache=_made(executor.kernels),
        ),
        encoding="utf-8",
    )
    environment |= {
        VARIABLE: str(configuration),
        "ROOFLINE_NVDISASM": str(disassembler),
        "ROOFLINE_CXX": str(host_compiler),
        **opencl_tools(compiler, _number(machine)),
    }
    others = environment.get("LD_LIBRARY_PATH")
    folders = (str(executor.folder), *((others,) if others else ()))
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(folders)
    return replace(around, environment=environment), notes


def opencl_tools(compiler: CudaCompiler, architecture: int) -> dict[str, str]:
    """What programs of OpenCL C are compiled with, where they are; told when one is built."""
    clang = find_opencl_compiler()
    return {
        CLANG: "" if clang is None else str(clang),
        CUDA: str(compiler.headers.parent),
        ARCHITECTURE: str(architecture),
    }


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProfilerError(f"{folder}: cannot be made: {error.strerror}") from None
    return folder


def _compiled_for(machine: Machine, compiler: CudaCompiler, gpu: Gpu) -> tuple[Machine, list[str]]:
    """The machine by the architecture that its code is compiled for."""
    wanted = _number(machine)
    nearest = compiler.nearest(wanted)
    if nearest == wanted:
        return machine, []
    release = ".".join(map(str, compiler.release))
    note = (
        f"compiled for sm_{nearest}: the compiler (release {release}) makes no code for sm_{wanted}"
        f" of the {gpu.name}"
    )
    return replace(machine, major=nearest // 10, minor=nearest % 10), [note]


def _number(machine: Machine) -> int:
    return machine.major * 10 + machine.minor


def _program(
    command: Sequence[str],
    sources: Sequence[str],
    options: EmulationOptions,
    around: Around,
    held: Path,
) -> ProgramRun:
    """What is run; sources are compiled."""
    if not sources:
        path = around.folder / command[0]
        own = tuple(command[1:]) if is_executable(path) else None
        return ProgramRun(tuple(command), own)
    made = held / Path(sources[0]).stem
    built(sources, options.build_flags, made, around, limit_s=options.limit_s)
    args = tuple(command[len(sources) :])
    return ProgramRun((str(made), *args), args, Path(sources[0]).name)


class _RecordWatch:
    """Follows the executor's records for the kernels that have run."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._path = path
        self._progress = progress
        self._at = 0
        self._count = 0

    def look(self) -> None:
        """Report the launches that ended since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                text = file.read()
        except OSError:
            return
        whole = text[: text.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.splitlines():
            self._count += 1
            if (found := _KERNEL.search(line)) is not None:
                name = parse_profiled_name(found[1].decode("utf-8", "replace")).base_name
                self._progress(self._count, name)
