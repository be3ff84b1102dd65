"""What programs are compiled with for an emulation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roofline_profiling.emulate.compiler_wrapper import (
    clang_arguments,
    hipcc_arguments,
    nvcc_arguments,
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
