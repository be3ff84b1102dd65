"""Which counter of Nsight Compute each SASS opcode falls under, and what memory it asks.

Evidence, where "measured" is said: kernels profiled on an RTX 3080, whose integer counts were held
to what their machine code, built by the same compiler (clang 18, ptxas of CUDA 12.6), executes
when it is emulated. 98 kernels agree within 0.2% by the rule below.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache
from typing import Final

INTEGER_MEASURED: Final = ("IADD3", "IMAD", "ISETP", "LOP3", "SHF", "LEA", "FLO")
"""Counted, measured, as is RED with integers. IMAD in all its forms, register moves (IMAD.MOV,
IMAD.U32) among them: 66 of the kernels that agree, of 40 programs, execute IMAD.MOV. ``int_moves``
keeps these apart."""
INTEGER_ASSUMED: Final = ("POPC", "IMNMX", "IABS", "VABSDIFF", "VABSDIFF4", "IDP", "SGXT",
                          "BMSK")  # fmt: skip
"""Counted, assumed: they compute on integers in the same unit."""
INTEGER_ELSEWHERE: Final = ("IADD", "IADD32I", "IMUL", "ISCADD", "SHL", "SHR", "LOP", "LOP32I",
                            "VIADD", "VIADDMNMX", "VIMNMX", "VIMNMX3")  # fmt: skip
"""Counted, assumed: what other architectures than sm_86 have in the place of the above."""
NOT_INTEGER_MEASURED: Final = (
    "MOV", "SEL", "SHFL", "S2R", "FSEL", "I2F", "F2I", "VOTE", "BREV",
)  # fmt: skip
"""Not counted, measured: of BREV two kernels that reverse bits are the evidence. The uniform
datapath (opcodes that begin with U) neither."""
NOT_INTEGER_ASSUMED: Final = ("CS2R", "PRMT", "PLOP3", "R2P", "P2R", "REDUX", "MATCH",
                              "ATOM")  # fmt: skip
"""Not counted, assumed: moves of bytes, predicates, or memory operations."""

FIELDS: Final = ("sp_flops", "dp_flops", "hp_flops", "int_ops", "int_moves", "mufu", "conversions",
                 "branches", "others")  # fmt: skip
"""What ``classify`` counts."""

_FLOAT_TYPE: Final = re.compile(r"\.B?F\d")
_INTEGER = frozenset(INTEGER_MEASURED + INTEGER_ASSUMED + INTEGER_ELSEWHERE)
_FLOPS: Final = {
    "FADD": ("sp_flops", 1), "FMUL": ("sp_flops", 1), "FFMA": ("sp_flops", 2),
    "FADD2": ("sp_flops", 2), "FMUL2": ("sp_flops", 2), "FFMA2": ("sp_flops", 4),
    "FADD32I": ("sp_flops", 1), "FMUL32I": ("sp_flops", 1), "FFMA32I": ("sp_flops", 2),
    "DADD": ("dp_flops", 1), "DMUL": ("dp_flops", 1), "DFMA": ("dp_flops", 2),
    "HADD2": ("hp_flops", 1), "HMUL2": ("hp_flops", 1), "HFMA2": ("hp_flops", 2),
    "HADD2_32I": ("hp_flops", 1), "HMUL2_32I": ("hp_flops", 1), "HFMA2_32I": ("hp_flops", 2),
}  # fmt: skip
"""Operations of one thread. FADD2, FMUL2 and FFMA2 (compute capability 10.0) compute two numbers
each: that both count is assumed.

Of half precision, Nsight Compute counts instructions, whether one computes a number or two. Its
counters ``op_hadd``, ``op_hmul`` and ``op_hfma`` are summed with the weights 1, 1 and 2 in
``ncu_metrics`` here and in LIKWID's group FLOPS_HP. The tool's own roofline of later versions takes
every instruction for a packed one and multiplies the same counters by 2, 2 and 4
(``derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x4``): so they do not count numbers.
"""
_CONVERSIONS = frozenset(("I2F", "I2FP", "F2I", "F2F", "F2FP", "FRND", "I2I"))
_OUTSIDE: Final = ("MOV", "LD", "ST", "S2", "CS2R", "NOP", "EXIT", "U")
"""Base opcodes beginning so belong to no field: moves, loads, stores and the uniform datapath."""
_BRANCHES = frozenset(("BRA", "CALL", "RET", "BSSY", "BSYNC", "BREAK", "WARPSYNC"))


@cache
def classify(opcode: str) -> tuple[tuple[str, int], ...]:
    """The fields that one execution of an opcode by a thread adds to, with weights."""
    base = opcode.split(".", maxsplit=1)[0]
    if opcode.startswith("HADD2.F32"):  # widens a half: the sum is with zero
        return (("conversions", 1),)
    if base in _FLOPS:
        return (_FLOPS[base],)
    if base in _INTEGER:
        move = opcode.startswith("IMAD.MOV") or opcode == "IMAD.U32"
        return (("int_ops", 1), ("int_moves", 1)) if move else (("int_ops", 1),)
    if base == "RED" and not _FLOAT_TYPE.search(opcode):
        return (("int_ops", 1),)
    if base == "MUFU":
        return (("mufu", 1),)
    if base in _CONVERSIONS:
        return (("conversions", 1),)
    if base in _BRANCHES:
        return (("branches", 1),)
    return () if base.startswith(_OUTSIDE) else (("others", 1),)


# ---- Matrix instructions

_MATRIX = frozenset(("HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA"))
_GROUP_MATRIX = frozenset(("HGMMA", "IGMMA", "QGMMA", "BGMMA"))
_SHAPE: Final = re.compile(r"\.(16|8)(8)(\d+)(?:\.|$)")
"""Rows, columns and depth, written together: ``16816`` is 16 x 8 x 16, ``884`` is 8 x 8 x 4."""
_GROUP_SHAPE: Final = re.compile(r"\.(\d+)x(\d+)x(\d+)(?:\.|$)")
_WARPS_OF_GROUP: Final = 4


@cache
def tensor_operations(opcode: str) -> int:
    """Operations of a warp's matrix instruction, a multiply-add as 2; 0 for other opcodes.

    ``HMMA.16816.F32`` multiplies 16 x 16 by 16 x 8: 4096. Of a warp group's instruction
    (``HGMMA.64x128x16.F32``) each of its four warps is given a quarter. Sparse matrices count as if
    they were dense, as their peaks are stated.
    """
    base = opcode.split(".", maxsplit=1)[0]
    if base in _MATRIX:
        shape = _SHAPE.search(opcode)
        shared_by = 1
    elif base in _GROUP_MATRIX:
        shape = _GROUP_SHAPE.search(opcode)
        shared_by = _WARPS_OF_GROUP
    else:
        return 0
    if shape is None:
        return 0
    rows, columns, depth = map(int, shape.groups())
    return 2 * rows * columns * depth // shared_by


# ---- Memory instructions


class Space(Enum):
    """The memory that an instruction asks."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    TEXTURE = "texture"
    GENERIC = "generic"
    """Global, shared or local, as each address says."""


_SPACES: Final = {
    "LDG": Space.GLOBAL, "STG": Space.GLOBAL, "ATOMG": Space.GLOBAL, "RED": Space.GLOBAL,
    "REDG": Space.GLOBAL, "LDGSTS": Space.GLOBAL,
    "LDS": Space.SHARED, "STS": Space.SHARED, "ATOMS": Space.SHARED, "LDSM": Space.SHARED,
    "STSM": Space.SHARED,
    "LDL": Space.LOCAL, "STL": Space.LOCAL,
    "LD": Space.GENERIC, "ST": Space.GENERIC, "ATOM": Space.GENERIC,
    "TEX": Space.TEXTURE, "TLD": Space.TEXTURE, "TLD4": Space.TEXTURE, "TXD": Space.TEXTURE,
    "SULD": Space.TEXTURE, "SUST": Space.TEXTURE, "SURED": Space.TEXTURE, "SUATOM": Space.TEXTURE,
}  # fmt: skip
_WIDTHS: Final = {
    "U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "F64": 8, "U64": 8, "S64": 8,
}  # fmt: skip
_WORD: Final = 4
_ATOMICS = frozenset(("ATOMG", "ATOMS", "ATOM", "RED", "REDG", "SURED", "SUATOM"))


@cache
def space_of(opcode: str) -> Space | None:
    """The memory that an opcode asks; None where it asks none, or constants."""
    base = opcode.split(".", maxsplit=1)[0]
    return _SPACES.get(base)


@cache
def access_bytes(opcode: str) -> int:
    """Bytes that a thread loads or stores by a memory instruction."""
    base, *modifiers = opcode.split(".")
    if base in ("LDSM", "STSM"):  # so many matrices of 8 x 8 halves, a word each a thread
        return _WORD * next((int(each) for each in modifiers if each in ("2", "4")), 1)
    return next((_WIDTHS[each] for each in modifiers if each in _WIDTHS), _WORD)


def is_atomic(opcode: str) -> bool:
    """Whether an opcode reads, changes and writes memory at once, with or without a result."""
    return opcode.split(".", maxsplit=1)[0] in _ATOMICS
