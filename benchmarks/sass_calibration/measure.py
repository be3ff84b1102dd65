"""Run probes on the machine model and turn the runs into costs."""

import math
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import toolchain
from .classify import FIELDS, Counts
from .elf import GLOBAL_BASE, Constants, read_constants
from .float_unit import FLOAT_UNIT
from .formats import f16_bits, f32_bits, f64_bits, signed, to_f32, to_f64
from .integer_unit import INTEGER_UNIT
from .machine import Machine, UnsupportedError, parameter_bytes
from .probes import Arguments, Probe, Value
from .toolchain import Instruction

_INPUT, _OUTPUT, _P, _Q = 0x1000_0000, 0x2000_0000, 0x3000_0000, 0x4000_0000
UNITS = {**INTEGER_UNIT, **FLOAT_UNIT}
"""Every instruction of the machine model."""
_TOLERANCE = {"float": 2e-5, "double": 1e-11}

Cost = dict[str, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """A probe's mean cost on the ordinary path and, where asked for, on others."""

    probe: Probe
    cost: Cost
    slow: Cost | None
    zero: Cost | None
    """Where the dividend is 0."""

    @property
    def paths(self) -> tuple[Cost | None, ...]:
        """The costs of all paths."""
        return self.cost, self.slow, self.zero


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured and what went wrong, one line each."""

    measured: tuple[Measured, ...]
    problems: tuple[str, ...]


def measure(
    probes: Sequence[Probe],
    nvcc: str,
    cuobjdump: str,
    flags: Sequence[str] = (),
    tolerance: float = 0.0,
) -> Outcome:
    """Compile, run and compare every probe with its empty twin; ``flags`` are nvcc's besides.

    ``tolerance`` is the relative error that functions which are not exact may have.
    """
    with tempfile.TemporaryDirectory() as name:
        source = ["#include <cuda_fp16.h>", "#include <cuda_bf16.h>"]
        for number, probe in enumerate(probes):
            source.append(toolchain.kernel_source(f"probe{number}", probe, empty=False))
            source.append(toolchain.kernel_source(f"empty{number}", probe, empty=True))
        cubin = toolchain.compile_source(nvcc, "\n".join(source), Path(name), "probes", flags)
        kernels, constants = toolchain.disassemble(cuobjdump, cubin), read_constants(cubin)
    measured: list[Measured] = []
    problems: list[str] = []
    for number, probe in enumerate(probes):
        names = (f"probe{number}", f"empty{number}")
        try:
            cost = _mean(probe, probe.ordinary, names, kernels, constants, problems, tolerance)
            others = [
                _mean(probe, cases, names, kernels, constants, [], tolerance) if cases else cost
                for cases in (probe.slow, probe.zero)
            ]
            slow, zero = (other if other != cost else None for other in others)
            measured.append(Measured(probe, cost, slow, zero))
        except UnsupportedError as error:
            problems.append(f"{probe.key}: {error}")
    return Outcome(tuple(measured), tuple(problems))


def differing(exact: Sequence[Measured], fast: Sequence[Measured]) -> list[Measured]:
    """What costs something else with fast arithmetic, in sections of their own."""
    known = {one.probe: one.paths for one in exact}
    return [
        replace(one, probe=replace(one.probe, section=f"fast_{one.probe.section}"))
        for one in fast
        if one.paths != known[one.probe]
    ]


def _mean(probe: Probe, cases: Sequence[Arguments], names: tuple[str, str],
          kernels: dict[str, tuple[Instruction, ...]], constants: Constants,
          problems: list[str], tolerance: float) -> Cost:  # fmt: skip
    costs = []
    for values in cases:
        full = run(names[0], kernels[names[0]], constants, probe, values)
        bare = run(names[1], kernels[names[1]], constants, probe, values)
        problem = _check(probe, values, full, tolerance)
        if problem:
            problems.append(problem)
        one, other = count(full).totals(), count(bare).totals()
        costs.append({field: one[field] - other[field] for field in FIELDS})
    return {field: sum(c[field] for c in costs) / len(costs) for field in FIELDS}


def count(machine: Machine) -> Counts:
    """Return what a finished thread executed."""
    return Counts(machine.executed, machine.parameter_moves)


def run(name: str, code: Sequence[Instruction], constants: Constants, probe: Probe,
        values: Arguments) -> Machine:  # fmt: skip
    """Run one kernel of a probe and return the machine as it ended."""
    machine = Machine(name, constants, parameter_bytes(_INPUT, _OUTPUT, _P, _Q))
    machine.registers["R1"] = 0x10000
    machine.store_bytes(GLOBAL_BASE, constants.global_data)
    for number, (c_type, value) in enumerate(zip(probe.types, values, strict=True)):
        machine.store(_INPUT + 16 * number, encode(c_type, value), 8)
    machine.run(code, UNITS)
    return machine


def encode(c_type: str, value: Value) -> int:
    """Return the bits of a value of a C type; a packed type holds it twice."""
    if c_type == "float":
        return f32_bits(float(value))
    if c_type == "double":
        return f64_bits(float(value))
    if c_type.startswith(("__half", "__nv_bfloat16")):
        half = f16_bits(float(value), "bfloat" in c_type)
        return half * 0x10001 if c_type.endswith(("half2", "bfloat162")) else half
    return int(value) & (1 << 64) - 1


def _check(probe: Probe, values: Arguments, machine: Machine, tolerance: float) -> str | None:
    """Return what is wrong with a result, if something is."""
    if probe.expected is None:
        return None
    bits = machine.load(_OUTPUT, 8)
    if probe.result in _TOLERANCE:
        found: float = to_f32(bits) if probe.result == "float" else to_f64(bits)
    else:
        wide = 64 if "long" in probe.result else 32
        found = bits & (1 << wide) - 1 if "unsigned" in probe.result else signed(bits, wide)
    given = [_stored(t, v) for t, v in zip(probe.types, values, strict=True)]
    names = dict(zip("xyz", given, strict=False), math=math)
    wanted = eval(probe.expected, {}, names)  # the expressions come from probes.py
    if wanted is None or found == wanted:
        return None
    tolerance = max(tolerance, _TOLERANCE.get(probe.result, 0.0))
    if abs(found - wanted) <= tolerance * max(1.0, abs(wanted)):
        return None
    return f"{probe.key}{values}: got {found!r}, expected {wanted!r}"


def _stored(c_type: str, value: Value) -> Value:
    if c_type == "float":
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    return value
