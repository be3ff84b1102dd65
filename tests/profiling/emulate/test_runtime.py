"""The runtime library in CUDA's place: what programs get from it, and what reaches the executor."""

from __future__ import annotations

import os
import platform
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

import roofline_profiling
from roofline_profiling.emulate.toolchain import (
    CudaCompiler,
    find_cuda_compiler,
    find_host_compiler,
)
from roofline_profiling.errors import ProfilerError

HERE = Path(__file__).parent
NATIVE = Path(roofline_profiling.__file__).parent / "emulate" / "native"
FLAGS = ("-std=c++17", "-O1", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-psabi")
PARTS = (
    "configuration", "device_memory", "device_printf", "elf_file", "fatbinary", "module",
    "texture_table",
)  # fmt: skip
"""What the runtime library is made of besides ``runtime_*.cpp``."""

KERNEL_NAME = b".nv.info._Z6kernelPfi4Pairc"
"""In the section names of the program's machine code."""

SAID = {
    "malloc": "cudaSuccess",
    "copy.in": "cudaSuccess",
    "copy.out": "cudaSuccess",
    "copy.same": "1",
    "copy.beyond": "cudaErrorInvalidValue",
    "copy.last": "cudaErrorInvalidValue",
    "copy.cleared": "cudaSuccess",
    "copy.no_device": "cudaErrorInvalidValue",
    "set": "cudaSuccess",
    "set.words": "1",
    "pointer.device": "1",
    "pointer.host": "1",
    "free": "cudaSuccess",
    "free.again": "cudaErrorInvalidValue",
    "free.null": "cudaSuccess",
    "malloc.much": "cudaErrorMemoryAllocation",
    "malloc.null": "1",
    "memory.used": "1",
    "pitch": "512",
    "rows.in": "cudaSuccess",
    "rows.out": "cudaSuccess",
    "rows.same": "1",
    "rows.narrow": "cudaErrorInvalidPitchValue",
    "rows.set": "1",
    "cube.in": "cudaSuccess",
    "cube.out": "cudaSuccess",
    "cube.same": "1",
    "array": "cudaSuccess",
    "array.in": "cudaSuccess",
    "array.out": "cudaSuccess",
    "array.part": "1",
    "texture": "cudaSuccess",
    "texture.handle": "1",
    "texture.destroy": "cudaSuccess",
    "texture.again": "cudaErrorInvalidValue",
    "array.free": "cudaSuccess",
    "symbol.in": "cudaSuccess",
    "symbol.out": "cudaSuccess",
    "symbol.value": "67",
    "symbol.beyond": "cudaErrorInvalidValue",
    "symbol.size": "16",
    "symbol.initial": "41",
    "symbol.pointer": "2",
    "symbol.unknown": "cudaErrorInvalidSymbol",
    "launch": "cudaSuccess",
    "launch.bound": "cudaErrorInvalidValue",
    "launch.block": "cudaErrorInvalidConfiguration",
    "launch.grid": "cudaErrorInvalidConfiguration",
    "launch.shared": "cudaErrorInvalidValue",
    "attribute": "cudaSuccess",
    "launch.shared.set": "cudaSuccess",
    "attributes.shared": "512",
    "attributes.threads": "128",
    "attributes.version": "86",
    "occupancy": "12",  # 1536 threads, in blocks of 128
    "occupancy.shared": "2",  # 100 KiB, in blocks of 41
    "cooperative": "cudaSuccess",
    "cooperative.large": "cudaErrorCooperativeLaunchTooLarge",
    "thread.error": "cudaSuccess",
    "cooperative.last": "cudaErrorCooperativeLaunchTooLarge",
    "event.unrecorded": "cudaErrorInvalidResourceHandle",
    "event": "cudaSuccess",
    "event.time": "1",
    "host": "1",
    "capture.quiet": "1",
    "capture.end": "cudaSuccess",
    "capture.nodes": "3",
    "graph": "cudaSuccess",
    "graph.launch": "cudaSuccess",
    "graph.called": "21",
    "capture.unjoined": "cudaErrorStreamCaptureUnjoined",
    "stream.destroy": "cudaSuccess",
    "stream.again": "cudaErrorInvalidResourceHandle",
    "nodes.order": "42",
    "nodes.changed": "43",
    "device": "cudaSuccess",
    "device.sm": "86",
    "device.multiprocessors": "68",
    "device.optin": "101376",
    "device.name": "0",
    "device.last_field": "0",
    "device.clock": "1710000",
    "device.two": "cudaErrorInvalidDevice",
    "failed.sync": "cudaErrorIllegalAddress",
    "failed.malloc": "cudaErrorIllegalAddress",
    "failed.stays": "cudaErrorIllegalAddress",
    "failed.reset": "cudaSuccess",
    "failed.after": "cudaSuccess",
    "unsupported": "cudaErrorNotSupported",
}
"""What ``runtime_program.cu`` says, as it would on a device (but for ``unsupported``)."""


@dataclass(frozen=True)
class Outcome:
    """A run of the program."""

    said: dict[str, str]
    launches: list[list[str]]
    errors: str
    code: int


def started(
    command: list[str | Path], variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """A program that has ended."""
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def run(program: Path, folder: Path, library: Path, **settings: object) -> Outcome:
    """Run a program with the library and a configuration."""
    configuration = folder / "configuration"
    values = {"device_name": "test device"} | settings
    configuration.write_text("".join(f"{key}={value}\n" for key, value in values.items()))
    environment = {"LD_LIBRARY_PATH": str(library), "ROOFLINE_EMULATE": str(configuration)}
    done = started([program], environment)
    lines = done.stdout.splitlines()
    said = dict(line.split("=", 1) for line in lines if "=" in line)
    launches = [line.split()[1:] for line in lines if line.startswith("launch ")]
    return Outcome(said, launches, done.stderr, done.returncode)


def compile_all(sources: list[Path], folder: Path, *options: str) -> list[Path]:
    """Compile C++ files at once."""
    compiler = find_host_compiler()

    def one(source: Path) -> Path:
        made = folder / f"{source.stem}.o"
        words = [str(compiler), *FLAGS, f"-I{NATIVE}", *options, "-c", str(source)]
        subprocess.run([*words, "-o", str(made)], check=True, timeout=300)
        return made

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, sources))


@pytest.fixture(scope="module")
def cuda() -> CudaCompiler:
    """The CUDA compiler, where there is one that makes code for sm_86."""
    try:
        found = find_cuda_compiler()
        find_host_compiler()
    except ProfilerError as error:
        pytest.skip(str(error))
    if 86 not in found.architectures or platform.machine() != "x86_64":
        pytest.skip("the program is for sm_86 and x86-64")
    return found


@pytest.fixture(scope="module")
def library(cuda: CudaCompiler, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runtime library, on an executor that only says what it is asked."""
    folder = tmp_path_factory.mktemp("library")
    name = f"libcudart.so.{cuda.release[0]}"
    sources = [*NATIVE.glob("runtime_*.cpp"), HERE / "runtime_executor.cpp"]
    sources += [NATIVE / f"{part}.cpp" for part in (*PARTS, "graph")]
    objects = compile_all(sources, folder, f"-isystem{cuda.headers}")
    words = [find_host_compiler(), "-shared", "-pthread", f"-Wl,-soname,{name}", "-Wl,-Bsymbolic"]
    words += [f"-Wl,--version-script,{NATIVE / name}.map", "-Wl,-z,defs", *objects, "-ldl"]
    subprocess.run([*map(str, words), "-o", folder / name], check=True, timeout=300)
    return folder


def build(cuda: CudaCompiler, source: Path, folder: Path, *options: str) -> Path:
    """A program with the shared runtime library."""
    program = folder / "program"
    words = [cuda.nvcc, "-cudart=shared", *(options or ("-arch=sm_86",)), source, "-o", program]
    if cuda.libraries is not None:
        words.append(f"-L{cuda.libraries}")
    subprocess.run(list(map(str, words)), check=True, timeout=300)
    return program


@pytest.fixture(scope="module")
def outcome(cuda: CudaCompiler, library: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What the program that tries the interface says."""
    folder = tmp_path_factory.mktemp("program")
    return run(build(cuda, HERE / "runtime_program.cu", folder), folder, library)


def test_parts_that_need_no_cuda(tmp_path: Path) -> None:
    """Memory, printf, decompression and malformed files."""
    try:
        compiler = find_host_compiler()
    except ProfilerError as error:
        pytest.skip(str(error))
    sources = [HERE / "runtime_units.cpp", *(NATIVE / f"{part}.cpp" for part in PARTS)]
    program = tmp_path / "units"
    words = [str(compiler), *map(str, compile_all(sources, tmp_path)), "-ldl", "-pthread"]
    subprocess.run([*words, "-o", str(program)], check=True, timeout=300)
    for arguments, settings in (
        ([], "memory_bytes=1073741824\ndevice_name=a device\n"),
        (["large"], "memory_bytes=8796093022208\n"),
    ):
        (tmp_path / "settings").write_text(settings)
        done = started([program, *arguments], {"ROOFLINE_EMULATE": str(tmp_path / "settings")})
        assert done.returncode == 0, done.stdout + done.stderr
        assert " passed, 0 failed" in done.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [("cores=3", "unknown setting: cores"), ("major=x", "major=x"), ("word", "'='")],
)
def test_a_wrong_configuration_ends_the_program(tmp_path: Path, line: str, said: str) -> None:
    """And is named."""
    try:
        compiler = find_host_compiler()
    except ProfilerError as error:
        pytest.skip(str(error))
    source = tmp_path / "program.cpp"
    source.write_text(
        '#include "executor.h"\nint main() { return int(emu::configuration().major) - 8; }\n'
    )
    program = tmp_path / "program"
    objects = compile_all([source, NATIVE / "configuration.cpp"], tmp_path)
    subprocess.run([compiler, *objects, "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0
    (tmp_path / "settings").write_text(f"# a comment\nminor=6\n{line}\n")
    done = started([program], {"ROOFLINE_EMULATE": str(tmp_path / "settings")})
    assert done.returncode == 2
    assert said in done.stderr


def test_what_programs_get(outcome: Outcome) -> None:
    """Errors, copies, attributes, streams and graphs."""
    assert outcome.said == SAID
    assert outcome.code == 0


def test_what_is_missing_is_named(outcome: Outcome) -> None:
    """As is what went wrong in a kernel."""
    assert outcome.errors.splitlines() == [
        "roofline-lsp: _Z6kernelPfi4Pairc: a store beyond memory",
        "roofline-lsp: not supported: cudaIpcGetMemHandle",
    ]


def test_launches_reach_the_executor(outcome: Outcome) -> None:
    """With their shape and arguments; those that are refused do not."""
    shapes = [launch[:5] for launch in outcome.launches]
    assert shapes == [
        ["_Z6kernelPfi4Pairc", "2,3,1", "32,2,1", "0", "0"],
        ["_Z5largePi", "1,1,1", "32,1,1", "65536", "0"],
        ["_Z7boundedILi128EEvPi", "4,1,1", "128,1,1", "0", "1"],
        ["_Z7boundedILi32EEvPi", "1,1,1", "32,1,1", "0", "0"],
        ["_Z7boundedILi32EEvPi", "1,1,1", "32,1,1", "0", "0"],
        ["_Z6kernelPfi4Pairc", "666,1,1", "1,1,1", "0", "0"],
    ]
    pointer, number, pair, last = outcome.launches[0][5:]
    assert len(pointer) == 16
    assert (number, pair[:18], last) == ("07000000", "000000000000f83f78", "79")


@pytest.mark.parametrize("how", ["none", "speed", "default"])
def test_compressed_machine_code(
    cuda: CudaCompiler, library: Path, tmp_path: Path, how: str
) -> None:
    """LZ4 by the library itself, zstd by the machine's libzstd; or the remedy is named."""
    if cuda.release < (12, 8):
        pytest.skip("this nvcc has one way of compressing")
    options = ["-arch=sm_86", f"-compress-mode={how}"]
    if how != "none":
        options.append("-Xfatbin=-compress-all")
    program = build(cuda, HERE / "runtime_program.cu", tmp_path, *options)
    assert (KERNEL_NAME in program.read_bytes()) == (how == "none"), "not compressed as asked"
    done = run(program, tmp_path, library)
    if "libzstd.so.1 is not on this machine" not in done.errors:
        assert done.said == SAID


def test_code_for_another_architecture(cuda: CudaCompiler, library: Path, tmp_path: Path) -> None:
    """A lower minor number runs; PTX and other major numbers do not, and are named."""
    source = tmp_path / "one.cu"
    source.write_text(
        "#include <cstdio>\n__global__ void one() {}\n"
        "int main() { cudaFuncAttributes a = {}; cudaError_t e = cudaFuncGetAttributes(&a, one);\n"
        '  std::printf("version=%d\\nerror=%s\\n", a.ptxVersion, cudaGetErrorName(e)); }\n'
    )
    codes = ("compute_80,code=sm_80", "compute_90,code=[sm_90,compute_90]")
    program = build(cuda, source, tmp_path, *(f"-gencode=arch={code}" for code in codes))
    assert run(program, tmp_path, library).said == {"version": "80", "error": "cudaSuccess"}
    assert run(program, tmp_path, library, major=9, minor=0).said["version"] == "90"
    other = run(program, tmp_path, library, major=8, minor=9)
    assert other.said["version"] == "80"
    none = run(program, tmp_path, library, major=7, minor=5)
    assert none.said["error"] == "cudaErrorNoKernelImageForDevice"
    assert "no machine code for sm_75; it has" in none.errors
    assert "-gencode arch=compute_75,code=sm_75" in none.errors
