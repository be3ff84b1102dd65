"""Which counter of Nsight Compute each SASS opcode of sm_86 falls under.

Evidence, where "measured" is said: kernels without loops or branches, profiled on an RTX 3080,
whose integer count per thread was compared with their machine code. 64 of 96 such kernels, from 26
of 37 programs, agree exactly with the rule below, and those include kernels that hold each opcode
named. The build that was profiled was not at hand; the sources were compiled anew, so the rest may
differ by compiler version as well as by a wrong rule.
"""

from collections import Counter
from dataclasses import dataclass

INTEGER_MEASURED = ("IADD3", "IMAD", "ISETP", "LOP3", "SHF", "LEA")
"""Counted, measured. IMAD in its forms WIDE, SHL, IADD and X.

Its register moves (IMAD.MOV, IMAD.U32) are counted too, but the evidence is mixed: of the programs
that have them, 6 agree exactly if they count and 3 if they do not, while over all 96 kernels it is
64 against 63. A build that moved by MOV instead would explain those 3. ``int_moves`` keeps
them apart.
"""
INTEGER_ASSUMED = ("POPC", "IMNMX", "IABS", "FLO", "BREV", "VABSDIFF", "VABSDIFF4", "IDP", "SGXT",
                   "BMSK")  # fmt: skip
"""Counted, assumed: they compute on integers in the same unit."""
NOT_INTEGER_MEASURED = ("MOV", "SEL", "SHFL", "S2R", "FSEL", "I2F", "F2I", "VOTE")
"""Not counted, measured. The uniform datapath (opcodes that begin with U) neither."""
NOT_INTEGER_ASSUMED = ("CS2R", "PRMT", "PLOP3", "R2P", "P2R", "REDUX", "MATCH", "RED", "ATOM")
"""Not counted, assumed: moves of bytes, predicates, or memory operations."""

_INTEGER = frozenset(INTEGER_MEASURED + INTEGER_ASSUMED)
_FLOPS = {
    "FADD": ("sp_flops", 1), "FMUL": ("sp_flops", 1), "FFMA": ("sp_flops", 2),
    "DADD": ("dp_flops", 1), "DMUL": ("dp_flops", 1), "DFMA": ("dp_flops", 2),
    "HADD2": ("hp_flops", 1), "HMUL2": ("hp_flops", 1), "HFMA2": ("hp_flops", 2),
}  # fmt: skip
_CONVERSIONS = frozenset(("I2F", "I2FP", "F2I", "F2F", "F2FP", "FRND", "I2I"))
_OUTSIDE = ("MOV", "LD", "ST", "S2", "CS2R", "NOP", "EXIT", "U")
"""Base opcodes beginning so belong to no field: moves, loads, stores and the uniform datapath."""
_BRANCHES = frozenset(("BRA", "CALL", "RET", "BSSY", "BSYNC", "BREAK", "WARPSYNC"))
FIELDS = ("sp_flops", "dp_flops", "hp_flops", "int_ops", "int_moves", "mufu", "conversions",
          "branches", "others")  # fmt: skip
"""The counts of a cost, in the order of the table."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Executions of one thread by opcode, and the harness's own moves of kernel parameters."""

    executed: Counter[str]
    parameter_moves: int = 0

    def totals(self) -> dict[str, int]:
        """Return each field's count."""
        found = dict.fromkeys(FIELDS, 0)
        for opcode, times in self.executed.items():
            for name, weight in classify(opcode):
                found[name] += weight * times
        for name in ("int_ops", "int_moves"):
            found[name] -= self.parameter_moves
        return found


def classify(opcode: str) -> tuple[tuple[str, int], ...]:
    """Return the fields that one execution of an opcode adds to, with weights."""
    base = opcode.split(".", maxsplit=1)[0]
    if opcode.startswith("HADD2.F32"):  # widens a half: the sum is with zero
        return (("conversions", 1),)
    if base in _FLOPS:
        return (_FLOPS[base],)
    if base in _INTEGER:
        move = opcode.startswith("IMAD.MOV") or opcode == "IMAD.U32"
        return (("int_ops", 1), ("int_moves", 1)) if move else (("int_ops", 1),)
    if base == "MUFU":
        return (("mufu", 1),)
    if base in _CONVERSIONS:
        return (("conversions", 1),)
    if base in _BRANCHES:
        return (("branches", 1),)
    return () if base.startswith(_OUTSIDE) else (("others", 1),)
