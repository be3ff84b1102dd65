"""Matrix products of a warp against numpy, with the fragments as the PTX manual lays them out."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.profiling.emulate import number_formats as exact
from tests.profiling.emulate.instruction_warp import EVERY, LANES, InstructionWarp
from tests.profiling.emulate.number_formats import BRAIN, DOUBLE, HALF, SINGLE

Matrix = npt.NDArray[np.float64]
Place = Callable[[int, int], tuple[int, int]]
"""From a lane and the place of an element in its fragment to row and column."""
A, B, C, D = 10, 30, 40, 60
"""The first registers of the fragments."""


@dataclass(frozen=True)
class Product:
    """An instruction. ``a``, ``b`` and ``c`` are the bits of their elements."""

    opcode: str
    shape: tuple[int, int]
    """Rows, and depth; there are 8 columns."""
    a: Callable[[int], int]
    bits: int
    c: Callable[[int], int]
    c_bits: int
    most: int = 8
    """Elements are whole numbers from ``least`` to less than this."""
    least: int = -8


def place_a(product: Product) -> Place:
    rows, depth = product.shape
    per = max(1, 32 // product.bits)

    def place(lane: int, n: int) -> tuple[int, int]:
        group, within = lane // 4, lane % 4
        register, part = divmod(n, per)
        row_half, column_block = (register % 2, register // 2) if rows == 16 else (0, register)
        return group + 8 * row_half, column_block * 4 * per + within * per + part

    assert rows * depth == LANES * fragment(product, rows)
    return place


def place_b(product: Product) -> Place:
    per = max(1, 32 // product.bits)

    def place(lane: int, n: int) -> tuple[int, int]:
        register, part = divmod(n, per)
        return register * 4 * per + lane % 4 * per + part, lane // 4

    return place


def place_c(lane: int, n: int) -> tuple[int, int]:
    return lane // 4 + 8 * (n // 2), 2 * (lane % 4) + n % 2


def fragment(product: Product, rows: int) -> int:
    """Elements that a lane holds of a matrix of so many rows and the depth."""
    return rows * product.shape[1] // LANES


def filled(warp: InstructionWarp, first: int, bits: int, elements: list[list[int]]) -> None:
    """Put lanes' elements into registers, several to a register or one to two."""
    for lane, held in enumerate(elements):
        whole = sum((x & (1 << bits) - 1) << bits * n for n, x in enumerate(held))
        for n in range((len(held) * bits + 31) // 32):
            warp.registers[first + n][lane] = whole >> 32 * n & EVERY


def of_format(form: exact.Format) -> Callable[[int], int]:
    return lambda value: exact.converted_integer(value, form)


def tf32(value: int) -> int:
    return exact.converted_integer(value, SINGLE) | 0x1ABC  # bits that are not of the number


def plain(value: int) -> int:
    return value


PRODUCTS = (
    Product("HMMA.16816.F32", (16, 16), of_format(HALF), 16, of_format(SINGLE), 32),
    Product("HMMA.16816.F16", (16, 16), of_format(HALF), 16, of_format(HALF), 16),
    Product("HMMA.16816.F32.BF16", (16, 16), of_format(BRAIN), 16, of_format(SINGLE), 32),
    Product("HMMA.1688.F32", (16, 8), of_format(HALF), 16, of_format(SINGLE), 32),
    Product("HMMA.1688.F16", (16, 8), of_format(HALF), 16, of_format(HALF), 16),
    Product("HMMA.1688.F32.BF16", (16, 8), of_format(BRAIN), 16, of_format(SINGLE), 32),
    Product("HMMA.1688.F32.TF32", (16, 8), tf32, 32, of_format(SINGLE), 32),
    Product("HMMA.1684.F32.TF32", (16, 4), tf32, 32, of_format(SINGLE), 32),
    Product("IMMA.16832.S8.S8", (16, 32), plain, 8, plain, 32, 128, -128),
    Product("IMMA.16832.U8.U8", (16, 32), plain, 8, plain, 32, 256, 0),
    Product("IMMA.16816.S8.S8", (16, 16), plain, 8, plain, 32, 128, -128),
    Product("IMMA.8816.S8.S8.SAT", (8, 16), plain, 8, plain, 32, 128, -128),
    Product("IMMA.16864.S4.S4", (16, 64), plain, 4, plain, 32, 8, -8),
    Product("IMMA.8832.U4.U4", (8, 32), plain, 4, plain, 32, 16, 0),
    Product("BMMA.168256.AND.POPC", (16, 256), plain, 1, plain, 32, 2, 0),
    Product("BMMA.168256.XOR.POPC", (16, 256), plain, 1, plain, 32, 2, 0),
    Product("DMMA.884", (8, 4), of_format(DOUBLE), 64, of_format(DOUBLE), 64, 1 << 20, -(1 << 20)),
)


@pytest.fixture(scope="module")
def warps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, InstructionWarp]:
    """All products in one listing, each at its own predicate-free block."""
    folder = tmp_path_factory.mktemp("matrices")
    lines = [f"BRX R2 {-0x10:#x}"]
    for n, product in enumerate(PRODUCTS):
        lines += [f".L_{n}:", f"{product.opcode} R{D}, R{A}, R{B}, R{C}", "EXIT"]
    return {"all": InstructionWarp(lines, folder)}


def wanted(product: Product, a: Matrix, b: Matrix, c: Matrix) -> Matrix:
    if "XOR" in product.opcode:
        return a @ (1 - b) + (1 - a) @ b + c
    total = a @ b + c
    return np.clip(total, -(2**31), 2**31 - 1) if "SAT" in product.opcode else total


@pytest.mark.parametrize("number", range(len(PRODUCTS)), ids=[p.opcode for p in PRODUCTS])
def test_products(warps: dict[str, InstructionWarp], number: int) -> None:
    warp, product = warps["all"], PRODUCTS[number]
    assert warp.translation.unsupported == ()
    chance = random.Random(number)
    rows, depth = product.shape

    def drawn(*shape: int) -> Matrix:
        count = shape[0] * shape[1]
        values = [chance.randrange(product.least, product.most) for _ in range(count)]
        return np.array(values, dtype=float).reshape(shape)

    a, b, c = drawn(rows, depth), drawn(depth, 8), drawn(rows, 8)
    if "SAT" in product.opcode:
        c[0] = 2**31 - 1
        c[1] = -(2**31)
    warp.registers = [[0] * LANES for _ in range(256)]
    warp.registers[2] = [0x10 + 0x20 * number] * LANES
    pieces = ((A, a, place_a(product), fragment(product, rows), product.a, product.bits),
              (B, b, place_b(product), fragment(product, 8), product.a, product.bits),
              (C, c, place_c, rows * 8 // LANES, product.c, product.c_bits))  # fmt: skip
    for first, matrix, place, count, code, bits in pieces:
        elements = [[code(int(matrix[place(lane, n)])) for n in range(count)]
                    for lane in range(LANES)]  # fmt: skip
        filled(warp, first, bits, elements)
    assert warp.run() == 0
    result = wanted(product, a, b, c)
    for lane in range(LANES):
        whole = sum(warp.registers[D + n][lane] << 32 * n for n in range(8))
        for n in range(rows * 8 // LANES):
            found = whole >> product.c_bits * n & (1 << product.c_bits) - 1
            right = product.c(int(result[place_c(lane, n)])) & (1 << product.c_bits) - 1
            assert found == right, (lane, n)


def test_the_first_generation_is_not_supported(tmp_path: Path) -> None:
    warp = InstructionWarp(["HMMA.884.F32.F32.STEP0 R8, R2, R4, R8", "EXIT"], tmp_path)
    assert warp.translation.unsupported == ("HMMA.884.F32.F32.STEP0",)


def test_transposing_a_matrix(tmp_path: Path) -> None:
    warp = InstructionWarp(["MOVM.16.MT88 R20, R2", "EXIT"], tmp_path)
    cells = np.arange(64).reshape(8, 8)
    pairs = [cells[lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2] for lane in range(LANES)]
    warp.registers[2] = [int(low) | int(high) << 16 for low, high in pairs]
    assert warp.run() == 0
    for lane, word in enumerate(warp.registers[20]):
        low, high = struct.unpack("<HH", struct.pack("<I", word))
        assert (low, high) == tuple(cells.T[lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2])
