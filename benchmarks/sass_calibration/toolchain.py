"""Compile probes and read back their machine code: needs nvcc and cuobjdump."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .probes import Probe

ARCHITECTURE = "sm_86"
FLAGS = ("-O3", f"-arch={ARCHITECTURE}")
FAST_MATH = "-use_fast_math"

_INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(.*?)\s*;")
_FUNCTION = re.compile(r"Function : (\S+)")


class MissingToolError(Exception):
    """A program that the measurement needs is not there; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction: ``predicate`` is ``@P0``, ``@!P0`` or empty."""

    address: int
    predicate: str
    opcode: str
    operands: tuple[str, ...]


def find_tool(name: str, given: str | None) -> str:
    """Return the path of a tool, from the option or the search path, or raise MissingToolError."""
    path = given or shutil.which(name)
    if path is None or not Path(path).exists():
        raise MissingToolError(
            f"{name} not found: pass --{name} PATH. nvcc comes with the CUDA toolkit, cuobjdump "
            "also with the Python package nvidia-cuda-cuobjdump."
        )
    return path


def kernel_source(name: str, probe: Probe, *, empty: bool) -> str:
    """Return a kernel that loads the operands, computes and stores; ``empty`` leaves the work out.

    Loads and stores are volatile, so that both versions have the same ones.
    """
    lines = [f'extern "C" __global__ void {name}(const char *a, char *out, float *p, float *q) {{']
    for number, c_type in enumerate(probe.types):
        variable, word = "xyz"[number], _bits(c_type)
        lines.append(f"  {word} b{number} = *(volatile {word} *)(a + {16 * number});")
        lines.append(f"  {c_type} {variable}; memcpy(&{variable}, &b{number}, sizeof({word}));")
    word = _bits(probe.result)
    lines.append(f"  {probe.setup}")
    expression = probe.twin if empty else probe.expression
    if expression is None:
        lines.append(f"  *(volatile {word} *)out = 0;")
    else:
        lines.append("" if empty else f"  {probe.prelude}")
        lines.append(f"  {probe.result} result = {expression}; {word} bits;")
        lines.append("  memcpy(&bits, &result, sizeof bits);")
        lines.append(f"  *(volatile {word} *)out = bits;")
    return "\n".join([*lines, "}"])


def _bits(c_type: str) -> str:
    """Return the integer type that holds a value's bits."""
    if c_type in ("double", "long long", "unsigned long long"):
        return "unsigned long long"
    return "unsigned short" if c_type in ("__half", "__nv_bfloat16") else "unsigned"


def compile_source(
    nvcc: str, source: str, folder: Path, name: str, flags: Sequence[str] = ()
) -> Path:
    """Compile CUDA source to a cubin in ``folder`` and return its path."""
    text, cubin = folder / f"{name}.cu", folder / f"{name}.cubin"
    text.write_text(source, encoding="utf-8")
    command = [nvcc, *FLAGS, *flags, "-w", "-cubin", "-o", str(cubin), str(text)]
    subprocess.run(command, check=True, cwd=folder)
    return cubin


def disassemble(cuobjdump: str, cubin: Path) -> dict[str, tuple[Instruction, ...]]:
    """Return each kernel's instructions, in address order."""
    done = subprocess.run([cuobjdump, "-sass", str(cubin)], check=True, capture_output=True,
                          text=True)  # fmt: skip
    kernels: dict[str, list[Instruction]] = {}
    current: list[Instruction] = []
    for line in done.stdout.splitlines():
        if found := _FUNCTION.search(line):
            current = kernels.setdefault(found[1], [])
        elif found := _INSTRUCTION.match(line):
            current.append(_parse(int(found[1], 16), found[2]))
    return {name: tuple(code) for name, code in kernels.items()}


def _parse(address: int, text: str) -> Instruction:
    predicate = ""
    if text.startswith("@"):
        predicate, text = text.split(None, 1)
    opcode, _, rest = text.partition(" ")
    operands: Sequence[str] = [o.strip() for o in rest.split(",")] if rest.strip() else []
    return Instruction(address, predicate, opcode, tuple(operands))


def version(program: str) -> str:
    """Return the line of a tool's ``--version`` that names its release."""
    done = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if "release" in line]
    return lines[0].strip() if lines else done.stdout.strip().splitlines()[-1]
