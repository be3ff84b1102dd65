"""Machine instructions of a listing, translated, compiled and run on one warp."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from roofline_profiling.emulate.sass.disassembly import read_listing
from roofline_profiling.emulate.translate import NATIVE
from roofline_profiling.emulate.translation.program import Translation, translate

LANES = 32
EVERY = 0xFFFFFFFF
_HARNESS = Path(__file__).parent / "run_instructions.cpp"
_WITH = ("control", "arithmetic", "matrices")
_FLAGS = ("-std=c++17", "-O1", "-march=native", "-ffp-contract=off", "-frounding-math", "-fPIC",
          "-shared", "-w")  # fmt: skip


def listing(lines: Sequence[str]) -> str:
    """A listing as the disassembler prints it; a line that ends in a colon is a label."""
    out = ["\t.headerflags\t@\"EF_CUDA_SM86\"", '\t.section\t.text.k,"ax",@progbits',
           '        .other          k,@"STO_CUDA_ENTRY STV_DEFAULT"', "k:"]  # fmt: skip
    at = 0
    for line in lines:
        if line.endswith(":"):
            out.append(line)
            continue
        guard, text = (line.split(" ", 1)) if line.startswith("@") else ("", line)
        out.append(f"        /*{at:04x}*/  {guard} {text} ;")
        at += 16
    return "\n".join(out)


_HELD: list[tempfile.TemporaryDirectory[str]] = []


@cache
def _native(compiler: str) -> Path:
    """A folder with what every listing is linked with, compiled once."""
    _HELD.append(tempfile.TemporaryDirectory(prefix="roofline-test-"))
    folder = Path(_HELD[-1].name)
    sources = [str(_HARNESS), *(str(NATIVE / f"{name}.cpp") for name in _WITH)]
    flags = [each for each in _FLAGS if each != "-shared"]
    command = [compiler, *flags, f"-I{NATIVE}", "-c", *sources]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return folder


class InstructionWarp:
    """A warp that runs a listing."""

    def __init__(self, lines: Sequence[str], folder: Path) -> None:
        compiler = shutil.which("g++")
        if compiler is None:
            pytest.skip("needs g++")
        self.translation: Translation = translate(read_listing(listing(lines)), "k", "")
        source, library = folder / "k.cpp", folder / "k.so"
        source.write_text(self.translation.text, encoding="utf-8")
        objects = map(str, _native(compiler).glob("*.o"))
        command = [compiler, *_FLAGS, f"-I{NATIVE}", str(source), *objects, "-o", str(library)]
        subprocess.run(command, check=True, capture_output=True)
        self._run = ctypes.CDLL(str(library)).run_instructions
        self.registers = [[0] * LANES for _ in range(256)]
        self.predicates = [0] * 8
        self.uniform = [0] * 64
        self.constants = bytearray(1024)
        self.blocks: list[tuple[int, int]] = []
        self.predicated: list[int] = []

    def run(self, lanes: int = EVERY) -> int:
        """Run to the end: 0; 3 where it failed. Registers and predicates hold the outcome."""
        flat = (ctypes.c_uint32 * (256 * LANES))(*(w & EVERY for r in self.registers for w in r))
        predicates = (ctypes.c_uint32 * 8)(*self.predicates)
        uniform = (ctypes.c_uint32 * 64)(*self.uniform)
        blocks, guarded = (ctypes.c_uint64 * 128)(), (ctypes.c_uint64 * 256)()
        bank = (ctypes.c_uint8 * 1024)(*self.constants)
        end = int(self._run(flat, predicates, uniform, lanes, blocks, guarded, bank))
        self.registers = [list(flat[n * LANES : (n + 1) * LANES]) for n in range(256)]
        self.predicates, self.uniform = list(predicates), list(uniform)
        self.blocks = [(blocks[2 * n], blocks[2 * n + 1]) for n in range(64)]
        self.predicated = list(guarded)
        return end
