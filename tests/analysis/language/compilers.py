"""Asks compilers what expressions of C++, CUDA, HIP and OpenCL C are worth, on host and device.

No GPU is needed. A host compiler builds a program that prints the numbers. What a device compiler
makes of them is read from the code it writes: a global variable's initial value or, for what is
no constant expression, the number that an optimised kernel stores.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from . import ptx

Answers = dict[str, int | str]
"""By question a number or, where the compiler refuses the question, its message."""

STANDARD = "-std=c++20"
NVIDIA_ARCHITECTURE = "sm_90"
AMD_ARCHITECTURE = "gfx90a"

_ERROR = re.compile(r"^(?:\./)?ask\.\w+[:(](\d+)[:)].*?\berror\b[^:]*: ?(.*)$", re.MULTILINE)
_PTX_VARIABLE = re.compile(r"\.global \.align \d+ \.[bsu]64 asked_(\d+)(?: = (-?\d+))?;")
_IR_VARIABLE = re.compile(r"^@asked_(\d+) = .*? i64 (-?\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Compiler:
    """One way to ask: how a source is written and compiled, and how the answers are read."""

    name: str
    version: str
    prelude: str
    question: str
    """One line of source that asks for ``VALUE`` as question ``NUMBER``."""
    main: str
    """What a host program's main function does for question ``NUMBER``; empty on devices."""
    suffix: str
    command: tuple[str, ...]
    read: Callable[[Path], dict[int, int]]
    """The numbers told by the file that the command made."""

    def ask(self, prelude: str, questions: Mapping[str, str], folder: Path) -> Answers:
        """What each expression is worth, asked again without those that the compiler refuses.

        Where the compiler's errors lie in the prelude, all questions are refused; a header that
        is not found is an error.
        """
        waiting, answers = dict(questions), Answers()
        while waiting:
            names = list(waiting)
            numbers, refused = self._try(prelude, [waiting[n] for n in names], folder)
            if not refused:
                told = {name: numbers.get(i, "not a constant") for i, name in enumerate(names)}
                return answers | told
            for index, message in refused.items():
                answers[names[index]] = message
                del waiting[names[index]]
        return answers

    def _try(
        self, prelude: str, values: Sequence[str], folder: Path
    ) -> tuple[dict[int, int], dict[int, str]]:
        """The numbers, or the messages, by position of the question."""
        head = f"{self.prelude}\n{prelude}\n"
        source = folder / f"ask{self.suffix}"
        source.write_text(head + self._body(values), encoding="utf-8")
        made = folder / "made"
        command = [*self.command, source.name, "-o", made.name]
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if ran.returncode == 0:
            return self.read(made), {}
        output = ran.stderr + ran.stdout
        if "No such file" in output or "file not found" in output:
            raise FileNotFoundError(f"{self.name}: {output.strip()}")
        first = head.count("\n") + 1
        at_lines = {int(line) - first: what.strip() for line, what in _ERROR.findall(output)[::-1]}
        refused = {i: what for i, what in at_lines.items() if 0 <= i < len(values)}
        if not refused:
            errors = [line.strip() for line in output.splitlines() if "error" in line]
            refused = dict.fromkeys(range(len(values)), (errors or ["no reason given"])[0])
        return {}, refused

    def _body(self, values: Sequence[str]) -> str:
        asked = "".join(
            self.question.replace("NUMBER", str(i)).replace("VALUE", value) + "\n"
            for i, value in enumerate(values)
        )
        if not self.main:
            return asked
        said = "".join(self.main.replace("NUMBER", str(i)) + "\n" for i in range(len(values)))
        return asked + "int main() {\n" + said + "}\n"


def _run(made: Path) -> dict[int, int]:
    ran = subprocess.run([str(made)], capture_output=True, text=True, check=True)
    return {int(n): int(value) for n, value in map(str.split, ran.stdout.splitlines())}


def _read_ptx_variables(made: Path) -> dict[int, int]:
    found = _PTX_VARIABLE.findall(made.read_text(encoding="utf-8"))
    return {int(n): _signed(value or "0") for n, value in found}


def _read_ptx_stores(made: Path) -> dict[int, int]:
    return ptx.stored(made.read_text(encoding="utf-8"))


def _read_ir(made: Path) -> dict[int, int]:
    found = _IR_VARIABLE.findall(made.read_text(encoding="utf-8"))
    return {int(n): _signed(value) for n, value in found}


def _signed(digits: str) -> int:
    return (int(digits) + 2**63) % 2**64 - 2**63


def _version(program: str, wanted: str) -> str:
    ran = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return next((line.strip() for line in ran.stdout.splitlines() if wanted in line), program)


def _isystem(folders: Sequence[str]) -> tuple[str, ...]:
    return tuple(option for folder in folders for option in ("-isystem", folder))


def _library_folders() -> list[str]:
    """Folders with headers of libraries outside the toolkit, from CUDA_EXTRA_INCLUDE."""
    return [x for x in os.environ.get("CUDA_EXTRA_INCLUDE", "").split(os.pathsep) if x]


@cache
def _cuda_folders() -> list[str]:
    """Where nvcc looks for headers, so that a host compiler finds them too."""
    command = ["nvcc", "--dryrun", "-x", "cu", "-E", os.devnull]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = "\n".join(x for x in ran.stderr.splitlines() if "INCLUDES=" in x)
    return re.findall(r'"(?:-I)?(/[^"]+)"', lines)


_HOST_PRELUDE = "#include <cstddef>\n#include <cstdio>"
_HOST_QUESTION = "static const long long asked_NUMBER = (long long)(VALUE);"
_HOST_MAIN = 'std::printf("%d %lld\\n", NUMBER, asked_NUMBER);'
_DEVICE_QUESTION = 'extern "C" __device__ long long asked_NUMBER = (long long)(VALUE);'
_KERNEL_QUESTION = (
    'extern "C" __global__ void asked_NUMBER(long long* out) { *out = (long long)(VALUE); }'
)
_NVCC = ("nvcc", STANDARD, f"-arch={NVIDIA_ARCHITECTURE}", "--expt-relaxed-constexpr", "-w")
_HIPCC = ("hipcc", STANDARD, f"--offload-arch={AMD_ARCHITECTURE}", "-ferror-limit=0")
_OPENCL_QUESTION = "__constant long asked_NUMBER = (long)(VALUE);"
_OPENCL = ("clang-15", "-x", "cl", "-cl-std=CL3.0", "-Xclang", "-finclude-default-header")


def plain_host(program: str) -> Compiler:
    """A host compiler alone, with CUDA's headers at hand and ``cuda_runtime.h`` included."""
    folders = _isystem([*_cuda_folders(), *_library_folders()])
    command = (program, STANDARD, "-w", "-x", "c++", *folders, "-include", "cuda_runtime.h")
    version = _version(program, "++" if program == "g++" else "version")
    question = (_HOST_QUESTION, _HOST_MAIN, ".cpp")
    return Compiler(program, version, _HOST_PRELUDE, *question, command, _run)


def nvcc_host() -> Compiler:
    """What nvcc's front end and the host compiler behind it make of host code."""
    command = (*_NVCC, *_isystem(_library_folders()))
    question = (_HOST_QUESTION, _HOST_MAIN, ".cu")
    return Compiler(
        "nvcc host", _version("nvcc", "release"), _HOST_PRELUDE, *question, command, _run
    )


def nvcc_device() -> Compiler:
    """Device code of nvcc, by the initial values of variables."""
    command = (*_NVCC, "-ptx", *_isystem(_library_folders()))
    version = _version("nvcc", "release") + f", {NVIDIA_ARCHITECTURE}"
    question = (_DEVICE_QUESTION, "", ".cu")
    return Compiler(
        "nvcc device", version, "#include <cstddef>", *question, command, _read_ptx_variables
    )


def nvcc_kernels() -> Compiler:
    """Device code of nvcc, by what kernels store once optimised: for what is no constant."""
    command = (*_NVCC, "-O3", "-ptx", *_isystem(_library_folders()))
    version = _version("nvcc", "release") + f", {NVIDIA_ARCHITECTURE}"
    question = (_KERNEL_QUESTION, "", ".cu")
    return Compiler(
        "nvcc kernel", version, "#include <cstddef>", *question, command, _read_ptx_stores
    )


def hip_host() -> Compiler:
    """Host code of a HIP program."""
    command = (*_HIPCC, "-w", "-S", "-emit-llvm", "--cuda-host-only")
    question = ('extern "C" ' + _HOST_QUESTION.replace("static const ", ""), "", ".hip")
    prelude = "#include <hip/hip_runtime.h>\n#include <cstddef>"
    return Compiler("hip host", _hip_version(), prelude, *question, command, _read_ir)


def hip_device() -> Compiler:
    """Device code of a HIP program."""
    command = (*_HIPCC, "-w", "-S", "-emit-llvm", "--cuda-device-only")
    prelude = "#include <hip/hip_runtime.h>\n#include <cstddef>"
    question = (_DEVICE_QUESTION, "", ".hip")
    version = _hip_version() + f", {AMD_ARCHITECTURE}"
    return Compiler("hip device", version, prelude, *question, command, _read_ir)


def _hip_version() -> str:
    return f"{_version('hipcc', 'clang version')}, headers of {_version('hipcc', 'HIP version')}"


def opencl(target: str) -> Compiler:
    """OpenCL C for one target of clang, as ``spir64``, ``nvptx64`` or ``amdgcn``."""
    command = (*_OPENCL, "-ferror-limit=0", "-w", "-target", target, "-S", "-emit-llvm")
    version = _version("clang-15", "version") + ", -cl-std=CL3.0"
    question = (_OPENCL_QUESTION, "", ".cl")
    return Compiler(f"opencl {target}", version, "", *question, command, _read_ir)
