"""clang 18 with CUDA 12.2, put together from the files of registry packages."""

from __future__ import annotations

from pathlib import Path

_PACKAGES = ("cuda_runtime", "cuda_nvcc", "cuda_cccl", "curand")
_NEWER = ("cuda", "nv")
"""The header folders that are taken from the newer package: the older one lacks files of them."""
_CLANG = """#!/bin/sh
exec {zig} clang{mode} --target=x86_64-linux-gnu --cuda-path={cuda} -resource-dir {resources} "$@"
"""
_FATBINARY = """#!/bin/bash
# clang 18 names images in a way that later toolkits do not take.
arguments=()
for a in "$@"; do
  case "$a" in
    --image=profile=sm_*|--image=profile=compute_*)
      kind=elf; case "$a" in *profile=compute_*) kind=ptx;; esac
      v=${{a#*profile=*_}}; arguments+=("--image3=kind=$kind,sm=${{v%%,*}},file=${{v#*file=}}");;
    *) arguments+=("$a");;
  esac
done
exec {fatbinary} "${{arguments[@]}}"
"""
_NVCC = """#!/bin/sh
# Only for build systems that ask a toolkit for its version.
echo "nvcc: NVIDIA (R) Cuda compiler driver"
echo "Cuda compilation tools, release 12.2, V12.2.140"
"""


class ToolchainError(Exception):
    """A file that is needed is not there."""


def make_toolchain(wheels: Path, cccl: Path, fatbinary: Path, nvlink: Path, output: Path) -> None:
    """Write the folders ``bin`` (clang, clang++) and ``cuda`` (a toolkit's folder) into ``output``.

    ``wheels`` and ``cccl`` are folders that packages were installed in, the two programs a CUDA
    toolkit's. Raises ToolchainError where something is absent.
    """
    nvidia, zig = wheels.resolve() / "nvidia", wheels.resolve() / "ziglang"
    newer = cccl.resolve() / "nvidia" / "cuda_cccl" / "include"
    ptxas = nvidia / "cuda_nvcc" / "bin" / "ptxas"
    for needed in (zig / "zig", ptxas, fatbinary, nvlink, *(newer / each for each in _NEWER)):
        if not needed.exists():
            raise ToolchainError(f"{needed} is not there")
    cuda, programs = output.resolve() / "cuda", output.resolve() / "bin"
    for folder in (programs, cuda / "bin", cuda / "include", cuda / "lib64"):
        folder.mkdir(parents=True, exist_ok=True)
    _link_headers(nvidia, newer, cuda / "include")
    _link_libraries(nvidia, cuda / "lib64")
    _link(nvidia / "cuda_nvcc" / "nvvm", cuda / "nvvm")
    _link(ptxas, cuda / "bin" / "ptxas")
    _link(nvlink.resolve(), cuda / "bin" / "nvlink")
    _write_program(cuda / "bin" / "nvcc", _NVCC)
    _write_program(cuda / "bin" / "fatbinary", _FATBINARY.format(fatbinary=fatbinary.resolve()))
    for name, mode in (("clang", ""), ("clang++", " --driver-mode=g++")):
        text = _CLANG.format(zig=zig / "zig", mode=mode, cuda=cuda, resources=zig / "lib")
        _write_program(programs / name, text)


def _link_headers(nvidia: Path, newer: Path, include: Path) -> None:
    for package in _PACKAGES:
        for file in sorted((nvidia / package / "include").glob("[!_]*")):
            if file.name not in _NEWER:
                _link(file, include / file.name)
    for name in _NEWER:
        _link(newer / name, include / name)


def _link_libraries(nvidia: Path, lib: Path) -> None:
    """With the names that linkers look for; of device code there is nothing to link: empty."""
    for package in _PACKAGES:
        for file in sorted((nvidia / package / "lib").glob("*.so.*")):
            _link(file, lib / file.name)
            _link(file, lib / f"{file.name.split('.so')[0]}.so")
    (lib / "libcudadevrt.a").write_bytes(b"!<arch>\n")


def _link(target: Path, at: Path) -> None:
    at.unlink(missing_ok=True)
    at.symlink_to(target)


def _write_program(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)
