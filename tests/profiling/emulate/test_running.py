"""A command emulated, where the compilers and the executor are played by scripts."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_hardware_db import find_gpu
from roofline_profiling import process
from roofline_profiling.emulate import native_build, toolchain
from roofline_profiling.emulate.building import Around
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.run import emulate
from roofline_profiling.errors import ProfilerError
from tests.profiling.emulate.conftest import Play
from tests.profiling.emulate.launch_records import launch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts")

NOWHERE = Path("code.json")
CLANG = """\
#!/bin/sh
case "$1" in -print-resource-dir) echo {resources}; exit;; esac
echo "clang $@" >> {folder}/compiled
while [ "$1" != "-o" ]; do shift; done
cp {folder}/app "$2"
"""
OTHER = "_Z10polynomialiPf"


def test_a_command(app: Play, around: Around, options: EmulationOptions, tmp_path: Path) -> None:
    shown: list[list[str]] = []
    seen: list[tuple[int, str]] = []
    command = [app(launch(NOWHERE), launch(NOWHERE, kernel=OTHER, launch=1)), "1000"]
    found = emulate(
        command,
        options,
        replace(around, show=lambda words: shown.append(list(words))),
        progress=lambda number, name: seen.append((number, name)),
    )
    assert (found.problems, found.notes, found.interrupted) == ((), (), False)
    assert [each.origin for each in found.measurements] == [
        "emulated, launch 1",
        "emulated, launch 2",
    ]
    assert found.measurements[0].args is None  # a script's words may be anything
    assert seen == [(1, "saxpy"), (2, "polynomial")]
    assert shown == [command]
    assert (tmp_path / "printed").read_text() == "ran 1000\n"
    assert (tmp_path / "library_path").read_text().startswith(str(tmp_path / "executor"))
    configuration = (tmp_path / "configuration").read_text().splitlines()
    assert {"major=8", "minor=6", "caches=1", "launches_per_kernel=0"} <= set(configuration)


def test_a_source_is_compiled_first(
    app: Play, around: Around, options: EmulationOptions, tmp_path: Path
) -> None:
    app(launch(NOWHERE))
    for name in ("saxpy.cu", "more.cpp"):
        (tmp_path / name).write_text("")
    found = emulate(
        ["saxpy.cu", "more.cpp", "1000", "x.cu"], replace(options, build_flags=("-DN=2",)), around
    )
    assert found.measurements[0].args == ("1000", "x.cu")
    assert (tmp_path / "printed").read_text() == "ran 1000 x.cu\n"
    (compiled,) = (tmp_path / "compiled").read_text().splitlines()
    assert compiled.startswith("nvcc -O3 -DN=2 saxpy.cu more.cpp -o /")
    assert "-gencode=arch=compute_86,code=sm_86 -cudart=shared" in compiled


def test_a_source_with_target_regions(
    app: Play,
    around: Around,
    options: EmulationOptions,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app(launch(NOWHERE))
    (tmp_path / "saxpy.cpp").write_text("#pragma omp target teams\n{}\n")
    clang = write_openmp_compiler(tmp_path)
    monkeypatch.setenv("PATH", str(clang.parent), prepend=os.pathsep)
    found = emulate(["saxpy.cpp", "1000"], options, around)
    assert found.measurements[0].args == ("1000",)
    assert (tmp_path / "printed").read_text() == "ran 1000\n"
    calls = (tmp_path / "compiled").read_text().splitlines()
    (compiled,) = [call for call in calls if call != "clang --print-targets"]
    assert compiled.startswith("clang --driver-mode=g++ -O3 saxpy.cpp -o /")
    assert "-fopenmp --offload-arch=sm_86 --cuda-path=/" in compiled


def test_the_newest_clang_with_the_library_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_openmp_compiler(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'llvm' / 'bin'}{os.pathsep}/usr/bin")
    found = toolchain.find_openmp_compiler(86)
    assert found is not None
    assert (found.clang.name, found.libraries) == ("clang-19", tmp_path / "llvm" / "lib")
    assert toolchain.find_openmp_compiler(90) is None


def write_openmp_compiler(folder: Path) -> Path:
    """Two Clangs, of which the newer has OpenMP's library for sm_86."""
    root = folder / "llvm"
    (root / "lib").mkdir(parents=True)
    (root / "bin").mkdir()
    (root / "lib" / "libomptarget-nvptx-sm_86.bc").write_text("")
    for number, resources in ((17, "none/lib/clang/17"), (19, f"{root}/lib/clang/19")):
        clang = root / "bin" / f"clang-{number}"
        clang.write_text(CLANG.format(folder=folder, resources=resources))
        clang.chmod(0o755)
    return clang


def test_a_source_that_does_not_compile(
    app: Play, around: Around, options: EmulationOptions, tmp_path: Path
) -> None:
    app()
    (tmp_path / "wrong.cu").write_text("")
    with pytest.raises(ProfilerError, match=r"wrong\.cu: compiling failed; .*--build-flags"):
        emulate(["wrong.cu"], options, around)


def test_an_architecture_that_the_compiler_does_not_know(
    app: Play, around: Around, tmp_path: Path
) -> None:
    found = emulate([app(launch(NOWHERE))], EmulationOptions(find_gpu("V100 SXM2 16GB")), around)
    (note,) = found.notes
    assert note.startswith(
        "compiled for sm_75: the compiler (release 13.0) makes no code for sm_70"
    )
    assert {"major=7", "minor=5"} <= set((tmp_path / "configuration").read_text().splitlines())


def test_kernels_by_name(app: Play, around: Around, options: EmulationOptions) -> None:
    command = [app(launch(NOWHERE), launch(NOWHERE, kernel=OTHER))]
    found = emulate(command, replace(options, kernel="^poly"), around)
    assert [each.kernel for each in found.measurements] == ["polynomial(int, float*)"]
    with pytest.raises(ProfilerError, match="no kernel's name matches 'nope'"):
        emulate(command, replace(options, kernel="nope"), around)
    with pytest.raises(ProfilerError, match="not a regular expression"):
        emulate(command, replace(options, kernel="("), around)


def test_a_launch_that_fails_costs_itself_alone(
    app: Play, around: Around, options: EmulationOptions
) -> None:
    wrong = launch(NOWHERE, launch=1, error="saxpy.cu:5: reads beyond its memory")
    found = emulate([app(launch(NOWHERE), wrong, ending="exit 1")], options, around)
    assert len(found.measurements) == 1
    name = "saxpy(int, float, float const*, float*)"
    assert found.problems == (
        f"./app: launch 2, {name}: saxpy.cu:5: reads beyond its memory",
        "./app: the program ended with 1; launches before that are kept",
    )


def test_a_crash_keeps_what_was_counted(
    app: Play, around: Around, options: EmulationOptions
) -> None:
    found = emulate([app(launch(NOWHERE), ending="kill -SEGV $$")], options, around)
    assert len(found.measurements) == 1
    assert found.problems == (
        "./app: the program ended by signal 11; launches before that are kept",
    )


def test_a_sample_of_blocks_is_told(app: Play, around: Around, options: EmulationOptions) -> None:
    found = emulate([app(launch(NOWHERE, grid=[8, 1, 1]))], replace(options, blocks=4), around)
    assert found.notes[0].startswith("of 1 launches a sample of the blocks ran")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {**(process.run.__kwdefaults__ or {}), "grace_s": 0.5}
    monkeypatch.setattr(process.run, "__kwdefaults__", held)


@pytest.mark.usefixtures("impatient")
def test_time_is_up(app: Play, around: Around, options: EmulationOptions) -> None:
    command = [app(launch(NOWHERE), ending="sleep 60")]
    found = emulate(command, replace(options, limit_s=1.0), around)
    assert len(found.measurements) == 1
    assert "stopped after 1 s; what was counted by then is kept" in found.problems[0]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C works: a process started in the background inherits that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible", "impatient")
def test_ctrl_c_keeps_what_was_counted(
    app: Play, around: Around, options: EmulationOptions
) -> None:
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    found = emulate([app(launch(NOWHERE), ending="sleep 60")], options, around)
    assert found.interrupted
    assert len(found.measurements) == 1
    assert found.problems == ("./app: interrupted; what was counted by then is kept",)


def test_nothing_was_launched(
    app: Play, around: Around, options: EmulationOptions, tmp_path: Path
) -> None:
    with pytest.raises(ProfilerError, match=r"no launch was seen.*roofline-lsp\[emulate\]"):
        emulate([app()], options, around)
    static = tmp_path / "static"
    static.write_bytes(b"\x7fELF" + b"\0" * 60 + b".nv_fatbin\0")
    static.chmod(0o755)
    with pytest.raises(ProfilerError, match=r"^static: has CUDA's runtime library in it"):
        emulate([app()], options, around)
    static.write_bytes(static.read_bytes() + b"libcudart.so.13\0")
    with pytest.raises(ProfilerError, match="no launch was seen"):
        emulate([app()], options, around)


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(toolchain, "_USUAL", str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(ProfilerError, match=r"\(nvcc\): pip install 'roofline-lsp\[emulate\]'"):
        toolchain.find_cuda_compiler()
    with pytest.raises(ProfilerError, match=r"\(nvdisasm\): pip install"):
        toolchain.find_disassembler()
    with pytest.raises(ProfilerError, match=r"\(g\+\+\).*apt install g\+\+"):
        toolchain.find_host_compiler()
    with pytest.raises(ProfilerError, match="'/lost/nvcc' is no program"):
        toolchain.find_cuda_compiler("/lost/nvcc")


def test_tools_in_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "nvidia" / "cu13" / "bin" / "nvdisasm"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(toolchain, "_USUAL", "/lost")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert toolchain.find_disassembler() == path


def test_a_compiler_that_refuses_the_executor(tmp_path: Path) -> None:
    compiler = tmp_path / "g++"
    compiler.write_text('#!/bin/sh\necho "no such option" >&2\nexit 1\n')
    compiler.chmod(0o755)
    with pytest.raises(ProfilerError, match="cannot compile the executor:\nno such option"):
        native_build.build_executor(compiler, tmp_path, (13, 0), cache=tmp_path / "cache")
    for release in ((9, 2), (12, 0), (14, 0)):
        said = rf"CUDA {release[0]}\.{release[1]} is not known to the executor, only 12\.2 to 13"
        with pytest.raises(ProfilerError, match=said):
            native_build.build_executor(compiler, tmp_path, release, cache=tmp_path / "cache")
