"""What kernels in PTX store, where their few instructions take in nothing but constants.

An optimised kernel often ends in the conversion of a constant to an integer, which nvcc leaves to
the assembler. Those instructions, by the PTX ISA, are carried out here; a kernel with a branch, a
call or any other instruction has no number.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from typing import Final

_KERNEL: Final = re.compile(r"\.entry asked_(\d+)\(.*?\n}", re.DOTALL)
_INSTRUCTION: Final = re.compile(r"^\s*([a-z][\w.]*)\s+([^;]*);", re.MULTILINE)

Number = int | float


def _single(value: float) -> float:
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


_OPERATIONS: Final[Mapping[str, Callable[..., Number]]] = {
    "mov": lambda a: a,
    "cvt.s64.s32": lambda a: a,
    "cvt.f64.f32": lambda a: a,
    "cvt.rzi.s32": int,
    "cvt.rzi.s64": int,
    "cvt.rzi": lambda a: float(math.trunc(a)),
    "cvt.rni": lambda a: float(round(a)),
    "cvt.rmi": lambda a: float(math.floor(a)),
    "cvt.rpi": lambda a: float(math.ceil(a)),
    "cvt.rn.f64.s32": float,
    "cvt.rn.f32.s32": lambda a: _single(float(a)),
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mad.lo": lambda a, b, c: a * b + c,
    "shl": lambda a, b: a << b,
    "sqrt": math.sqrt,
    "abs": lambda a: max(a, -a),
    "neg": lambda a: -a,
    "min": min,
    "max": max,
}
"""By the longest beginning of an instruction's name that fits, what it does."""


def stored(text: str) -> dict[int, int]:
    """By number of the kernel ``asked_NUMBER`` what it stores, where that is known."""
    found = {}
    for kernel in _KERNEL.finditer(text):
        value = _stored_by(kernel[0])
        if isinstance(value, int):
            found[int(kernel[1])] = value
    return found


def _stored_by(kernel: str) -> Number | None:
    values: dict[str, Number | None] = {}
    result: Number | None = None
    for name, operands in _INSTRUCTION.findall(kernel):
        target, *inputs = [x.strip() for x in operands.split(",")]
        if name.startswith(("bra", "call", "setp")):
            return None
        if name.startswith("st.global"):
            result = _value(inputs[0], values)
        else:
            values[target] = _result(name, [_value(x, values) for x in inputs])
    return result


def _value(operand: str, values: Mapping[str, Number | None]) -> Number | None:
    if re.fullmatch(r"-?\d+", operand):
        return int(operand)
    if re.fullmatch(r"0[fd][0-9A-F]+", operand):
        form = "!f" if operand[1] == "f" else "!d"
        value: float = struct.unpack(form, bytes.fromhex(operand[2:]))[0]
        return value
    return values.get(operand)


def _result(name: str, inputs: list[Number | None]) -> Number | None:
    known = [value for value in inputs if value is not None]
    fitting = [key for key in _OPERATIONS if f"{name}.".startswith(f"{key}.")]
    inexact = {"approx", "wide", "hi"} & set(name.split("."))
    if not fitting or inexact or len(known) < len(inputs):
        return None
    value: Number = _OPERATIONS[max(fitting, key=len)](*known)
    if isinstance(value, float):
        return _single(value) if name.endswith("f32") else value
    bits = 64 if name.endswith("64") or ".s64." in name else 32
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half
