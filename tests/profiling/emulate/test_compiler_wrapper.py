"""What programs are compiled with for an emulation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roofline_profiling.emulate.compiler_wrapper import (
    OffloadTools,
    clang_arguments,
    hipcc_arguments,
    nvcc_arguments,
    offload_arguments,
    offloads,
    write_wrapper,
)

ADDED = [
    "-gencode=arch=compute_86,code=sm_86", "-cudart=shared", "-Xfatbin", "-compress=false",
    "-Xlinker", "-z,lazy",
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("-O3 -c a.cu", "-O3 -c a.cu"),
        ("-arch=sm_60 -c a.cu", "-c a.cu"),
        ("-arch sm_60 -code sm_60,compute_60 a.cu", "a.cu"),
        ("--gpu-architecture=native --gpu-code=sm_90 a.cu", "a.cu"),
        ("-gencode arch=compute_60,code=sm_60 -gencode=arch=compute_70,code=sm_70 a.cu", "a.cu"),
        ("--generate-code arch=compute_60,code=sm_60 a.cu", "a.cu"),
        ("-cudart static a.o -o a", "a.o -o a"),
        ("--cudart=none a.o", "a.o"),
        ("-Xfatbin -compress-all a.cu", "a.cu"),
        ("-Xfatbin=-compress-all,-g a.cu", "-Xfatbin -g a.cu"),
        ("--compress-mode=size a.cu", "a.cu"),
        ("-Xcompiler -march=native a.cu", "-Xcompiler -march=native a.cu"),
    ],
)
def test_nvcc(given: str, kept: str) -> None:
    assert nvcc_arguments(given.split(), 86) == [*kept.split(), *ADDED, "-lineinfo"]


def test_lines_are_asked_for_once() -> None:
    for word in ("-lineinfo", "--generate-line-info", "-G"):
        assert nvcc_arguments([word, "a.cu"], 86) == [word, "a.cu", *ADDED]


def test_libraries_that_the_compiler_misses_are_added() -> None:
    assert nvcc_arguments(["a.o"], 86, ["/x/lib"])[-1] == "-L/x/lib"


def test_questions_are_passed_on() -> None:
    assert nvcc_arguments(["--version"], 86) == ["--version"]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("-O2 a.cpp -o a", "-O2 a.cpp -o a"),
        ("a.o -lcudart_static -o a", "a.o -lcudart -o a"),
        ("-x cuda a.cpp", "-x cuda a.cpp -gline-tables-only --cuda-gpu-arch=sm_86"),
        (
            "a.cu --cuda-gpu-arch=sm_60 --offload-arch=sm_70 -g",
            "a.cu -g --cuda-gpu-arch=sm_86",
        ),
        ("-E -x c++ a.cu", "-E -x c++ a.cu"),
    ],
)
def test_clang(given: str, made: str) -> None:
    assert clang_arguments(given.split(), 86) == made.split()


TOOLS = OffloadTools("/llvm/bin/clang", "/llvm/lib", "/held/cuda")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("-O3 -fopenmp --offload-arch=native a.cpp -o a", "-O3 a.cpp -o a"),
        (
            "-fopenmp -fopenmp-targets=nvptx64 -Xopenmp-target=nvptx64 -march=sm_70 -DN=2 a.o",
            "-DN=2 a.o",
        ),
        ("-fopenmp --offload-arch=gfx90a -Xopenmp-target -march=gfx90a -c a.cpp", "-c a.cpp"),
    ],
)
def test_target_regions(given: str, kept: str) -> None:
    assert offloads(given.split())
    assert offload_arguments(given.split(), 86, TOOLS) == [
        *kept.split(), "-gline-tables-only", "-fopenmp", "--offload-arch=sm_86",
        "--cuda-path=/held/cuda", "--libomptarget-nvptx-bc-path=/llvm/lib", "-L/llvm/lib",
        "-Wl,-rpath,/llvm/lib",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "given", ["-fopenmp a.cpp", "--offload-arch=sm_80 a.cu", "-O3 a.cpp", "-fopenmp-simd a.cpp"]
)
def test_what_has_no_target_regions(given: str) -> None:
    assert not offloads(given.split())


@pytest.mark.skipif(sys.platform == "win32", reason="the wrapper is a script")
def test_target_regions_without_their_compiler_name_it(tmp_path: Path) -> None:
    wrapper = write_wrapper(tmp_path, "clang++", Path("/bin/false"), 86)
    done = subprocess.run(
        [wrapper, "-fopenmp", "--offload-arch=native", "a.cpp"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no Clang that compiles target regions" in done.stderr
    assert "apt install clang-19" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the wrapper is a script")
def test_a_wrapper_takes_the_clang_of_target_regions(tmp_path: Path) -> None:
    real = tmp_path / "clang-19"
    real.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    real.chmod(0o755)
    tools = OffloadTools(str(real), "/llvm/lib", "/held/cuda")
    wrapper = write_wrapper(tmp_path, "clang++", Path("/bin/false"), 86, offload=tools)
    done = subprocess.run(
        [wrapper, "-fopenmp", "--offload-arch=native", "a.cpp"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[:2] == ["--driver-mode=g++", "a.cpp"]


@pytest.mark.skipif(sys.platform == "win32", reason="the wrapper is a script")
def test_linked_code_says_its_architecture_where_older_linkers_said_it(tmp_path: Path) -> None:
    real = tmp_path / "real nvlink"
    real.write_text('#!/bin/sh\nwhile [ "$1" != "-o" ]; do shift; done\ncp image "$2"\n')
    real.chmod(0o755)
    (tmp_path / "image").write_bytes(bytes(range(64)))
    wrapper = write_wrapper(tmp_path, "nvlink", real, 86)
    subprocess.run([wrapper, "a.o", "-o", "made"], check=True, cwd=tmp_path)
    made = (tmp_path / "made").read_bytes()
    assert made == bytes([*range(48), 86, *range(49, 64)])


@pytest.mark.skipif(sys.platform == "win32", reason="the wrapper is a script")
@pytest.mark.parametrize(
    ("said", "again"),
    [
        ('old.cu(3): error: identifier "cudaThreadSynchronize" is undefined', True),
        ('old.cu(3): error: identifier "__shfl_xor" is undefined', True),
        ('old.cu(3): error: class "cudaDeviceProp" has no member "clockRate"', True),
        ("error : Instruction 'vote' without '.sync' is not supported on .target sm_70", True),
        ('old.cu(3): error: identifier "cudaThread" is undefined', False),
        ('old.cu(3): error: identifier "my__shfl" is undefined', False),
    ],
)
def test_names_that_cuda_has_no_more_are_defined_where_nvcc_misses_them(
    tmp_path: Path, said: str, again: bool
) -> None:
    real = tmp_path / "nvcc"
    real.write_text(
        '#!/bin/sh\ncase "$*" in *removed_names.h) exit 0;; esac\n'
        f"cat >&2 <<'E'\n{said}\nE\nexit 2\n"
    )
    real.chmod(0o755)
    (tmp_path / "bin").mkdir()
    wrapper = write_wrapper(tmp_path / "bin", "nvcc", real, 86)
    done = subprocess.run([wrapper, "old.cu"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == ((0, "") if again else (2, f"{said}\n"))


@pytest.mark.skipif(sys.platform == "win32", reason="the wrapper is a script")
def test_a_wrapper_becomes_the_real_compiler(tmp_path: Path) -> None:
    real = tmp_path / "real nvcc"
    real.write_text('#!/bin/sh\nprintf "%s\\n" "$NVCC_APPEND_FLAGS" "$@"\nexit 3\n')
    real.chmod(0o755)
    wrapper = write_wrapper(tmp_path, "nvcc", real, 75, [tmp_path / "lib"])
    done = subprocess.run(
        [wrapper, "-arch=sm_60", "a b.cu"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NVCC_APPEND_FLAGS": "-v"},
        cwd=tmp_path,
    )
    assert done.returncode == 3
    said = done.stdout.splitlines()
    assert said[:3] == ["", "a b.cu", "-gencode=arch=compute_75,code=sm_75"]
    assert said[-1] == f"-L{tmp_path / 'lib'}"


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("-O3 -std=c++17 -Wall -c main.cu", "-O3 -std=c++17 -c main.cu"),
        ("--offload-arch=gfx90a -munsafe-fp-atomics -g a.cu", "a.cu"),
        ("-x hip -c a.cpp -o a.o", "-x cu -c a.cpp -o a.o"),
        ("a.hip -ffast-math", "-x cu a.hip -use_fast_math"),
        ("main.cu -o hip -mllvm -amdgpu-x=1 --offload-arch gfx90a", "main.cu -o hip"),
        ("-fgpu-rdc -fopenmp a.cu", "-rdc=true -Xcompiler -fopenmp a.cu"),
        ("a.o b.o -Wl,-rpath,/x -lm -o a", "a.o b.o -Xlinker -rpath,/x -lm -o a"),
    ],
)
def test_hipcc(given: str, made: str) -> None:
    *words, headers = hipcc_arguments(given.split(), 86)[: -len(ADDED) - 1]
    assert words == made.split()
    assert (Path(headers.removeprefix("-I")) / "hip" / "hip_runtime.h").is_file()
    assert hipcc_arguments(given.split(), 86)[-len(ADDED) - 1 :] == [*ADDED, "-lineinfo"]
    assert hipcc_arguments(["--version"], 86) == ["--version"]
