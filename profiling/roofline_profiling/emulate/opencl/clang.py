"""The Clang that compiles OpenCL C for an emulation."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from roofline_profiling.errors import ProfilerError

_LIMIT_S: Final = 300.0
UNOPTIMISED: Final = ("-O3", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names")
"""Options for code that another program optimises, with the names of its values."""
_TARGET: Final = "--target=nvptx64-nvidia-cuda"
_TRIED: Final = (120, 100, 90, 89, 87, 86, 80, 75, 72, 70)


@dataclass(frozen=True, slots=True)
class Clang:
    """A compiler, and the GPU's architecture that it makes code for."""

    path: str
    release: str
    """What it says of itself: the first line."""
    architecture: int
    """86 for 8.6: at most that of the GPU, whose assembler takes older ones' code."""

    @property
    def command(self) -> tuple[str, ...]:
        """How OpenCL C is compiled: to this, options and files are added."""
        target = f"sm_{self.architecture}"
        return (
            self.path, "-x", "cl", _TARGET, "-nogpulib", "-Xclang", "-target-cpu", "-Xclang",
            target,
        )  # fmt: skip

    @property
    def key(self) -> str:
        """What changes when its code does."""
        return f"{self.path} {self.release} {self.architecture}"


@cache
def clang_of(path: str, architecture: int) -> Clang:
    """The compiler at a path, for a GPU of this architecture. Raises ProfilerError."""
    release = run([path, "--version"]).stdout.split("\n", 1)[0]
    for tried in (architecture, *(each for each in _TRIED if each < architecture)):
        found = Clang(path, release, tried)
        if run([*found.command, "-E", "/dev/null"]).returncode == 0:
            return found
    raise ProfilerError(f"{path}: this Clang compiles no OpenCL C for NVIDIA's GPUs")


def run(words: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a compiler. Raises ProfilerError where it cannot be run, or takes too long."""
    try:
        return subprocess.run(
            words, capture_output=True, text=True, errors="replace", check=False,
            timeout=_LIMIT_S, cwd=folder,
        )  # fmt: skip
    except OSError as error:
        raise ProfilerError(f"{words[0]}: cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ProfilerError(f"{words[0]}: took longer than {_LIMIT_S:g} s") from None
