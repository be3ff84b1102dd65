"""What each machine instruction counts as."""

from __future__ import annotations

import pytest

from roofline_profiling.emulate.opcodes import (
    Space,
    access_bytes,
    classify,
    is_atomic,
    space_of,
    tensor_operations,
)


@pytest.mark.parametrize(
    ("opcode", "fields"),
    [
        ("FADD", {"sp_flops": 1}),
        ("FADD.FTZ", {"sp_flops": 1}),
        ("FFMA.SAT", {"sp_flops": 2}),
        ("DMUL", {"dp_flops": 1}),
        ("DFMA", {"dp_flops": 2}),
        ("HADD2", {"hp_flops": 1}),
        ("HADD2.F32", {"conversions": 1}),
        ("HFMA2.MMA", {"hp_flops": 2}),
        ("IADD3.X", {"int_ops": 1}),
        ("IMAD.WIDE.U32", {"int_ops": 1}),
        ("IMAD.MOV.U32", {"int_ops": 1, "int_moves": 1}),
        ("LOP3.LUT", {"int_ops": 1}),
        ("MUFU.RCP", {"mufu": 1}),
        ("F2I.TRUNC.NTZ", {"conversions": 1}),
        ("BRA", {"branches": 1}),
        ("UIADD3", {}),
        ("MOV", {}),
        ("SEL", {"others": 1}),
        ("LDG.E", {}),
        ("EXIT", {}),
    ],
)
def test_fields(opcode: str, fields: dict[str, int]) -> None:
    assert dict(classify(opcode)) == fields


@pytest.mark.parametrize(
    ("opcode", "operations"),
    [
        ("HMMA.16816.F32", 2 * 16 * 8 * 16),
        ("HMMA.1688.F32", 2 * 16 * 8 * 8),
        ("HMMA.1688.F32.TF32", 2 * 16 * 8 * 8),
        ("HMMA.1684.F32.TF32", 2 * 16 * 8 * 4),
        ("HMMA.16816.F32.BF16", 2 * 16 * 8 * 16),
        ("HMMA.SP.16832.F32", 2 * 16 * 8 * 32),
        ("IMMA.16832.S8.S8", 2 * 16 * 8 * 32),
        ("IMMA.8816.S8.S8.SAT", 2 * 8 * 8 * 16),
        ("DMMA.884", 2 * 8 * 8 * 4),
        ("BMMA.168256.XOR.POPC", 2 * 16 * 8 * 256),
        ("HGMMA.64x128x16.F32", 2 * 64 * 128 * 16 // 4),
        ("FFMA", 0),
        ("HMMA", 0),
    ],
)
def test_matrix_shapes(opcode: str, operations: int) -> None:
    assert tensor_operations(opcode) == operations


@pytest.mark.parametrize(
    ("opcode", "space", "bytes_of_thread"),
    [
        ("LDG.E", Space.GLOBAL, 4),
        ("LDG.E.U8.CONSTANT", Space.GLOBAL, 1),
        ("LDG.E.128", Space.GLOBAL, 16),
        ("STG.E.U16", Space.GLOBAL, 2),
        ("LDS.64", Space.SHARED, 8),
        ("LDSM.16.M88.4", Space.SHARED, 16),
        ("STL", Space.LOCAL, 4),
        ("LD.E.64", Space.GENERIC, 8),
        ("TEX.LL.SCR", Space.TEXTURE, 4),
        ("LDC", None, 4),
        ("FADD", None, 4),
    ],
)
def test_memory(opcode: str, space: Space | None, bytes_of_thread: int) -> None:
    assert space_of(opcode) is space
    assert access_bytes(opcode) == bytes_of_thread


def test_atomics() -> None:
    assert all(map(is_atomic, ("ATOMG.E.ADD", "RED.E.ADD.F32", "ATOMS.POPC.INC.32", "ATOM.E.CAS")))
    assert not any(map(is_atomic, ("LDG.E", "STS", "REDUX.SUM")))
