"""A model of one GPU thread that executes SASS, enough of it to follow a math function.

It runs the code with real arguments, so branches and predicates go as they would on the device,
and it counts what the profiler's thread-level counters count: instructions whose predicate holds.
The results are checked against Python's, which vouches for the path. MUFU results are computed to
full precision, so the last bits may differ from the hardware's.
"""

import re
import struct
from collections import Counter
from collections.abc import Callable, Sequence

from .elf import Constants
from .formats import MASK32, f32_bits, f64_bits, to_f32, to_f64
from .toolchain import Instruction

_NUMBER = re.compile(r"[+-]?(0x[0-9a-f]+|\d+(\.\d+)?(e[+-]?\d+)?)$")
_BANK = re.compile(r"c\[(0x[0-9a-f]+)\]\[(\w+)?\+?(-?0x[0-9a-f]+)?\]")
_ADDRESS = re.compile(r"\[(?P<parts>[^\]]*)\]")
_STEP_LIMIT = 200_000


class UnsupportedError(Exception):
    """An instruction that the model lacks; the message shows it."""


class Machine:
    """Registers, predicates and memory of one thread."""

    def __init__(self, kernel: str, constants: Constants, parameters: bytes) -> None:
        """Start a thread of ``kernel`` with its parameter bytes in constant bank 0."""
        self.registers: dict[str, int] = {}
        self.predicates: dict[str, bool] = {"PT": True, "UPT": True}
        self.memory: dict[int, int] = {}
        self.parameters = parameters
        self._kernel, self._constants = kernel, constants
        self.executed: Counter[str] = Counter()
        self.parameter_moves = 0

    def run(self, code: Sequence[Instruction], units: dict[str, "Operation"]) -> None:
        """Execute from the first instruction to EXIT and count; raise UnsupportedError if lost."""
        at = {instruction.address: i for i, instruction in enumerate(code)}
        position = 0
        for _ in range(_STEP_LIMIT):
            this = code[position]
            position += 1
            if this.predicate and not self.predicate(this.predicate[1:]):
                continue
            self.executed[this.opcode] += 1
            base = this.opcode.split(".")[0]
            if base in ("BRA", "CALL", "RET"):
                target = self._target(this)
                position = at[target] if target is not None else position
            elif base == "EXIT":
                return
            elif base in units:
                if "MOV" in this.opcode and this.operands[-1].startswith("c[0x0]"):
                    self.parameter_moves += this.opcode.startswith("IMAD")
                units[base](self, this)
            else:
                raise UnsupportedError(f"{self._kernel}: {this.opcode} {', '.join(this.operands)}")
        raise UnsupportedError(f"{self._kernel}: no end within {_STEP_LIMIT} instructions")

    def _target(self, this: Instruction) -> int | None:
        *conditions, last = [part for operand in this.operands for part in operand.split()]
        if this.opcode.startswith("RET"):
            return (self.u32(conditions[-1]) + int(last, 16)) & MASK32
        if not all(self.predicate(c) for c in conditions if c.lstrip("!")[:1] in "PU"):
            return None
        return int(last, 16)

    def predicate(self, name: str) -> bool:
        """Return a predicate's value; ``!`` negates."""
        if name.startswith("!"):
            return not self.predicate(name[1:])
        return self.predicates.get(name, False)

    def set_predicate(self, name: str, value: bool) -> None:
        """Write a predicate; the constant true is left alone."""
        if name not in ("PT", "UPT"):
            self.predicates[name] = value

    def write(self, name: str, value: int) -> None:
        """Write a 32-bit register; writes to the zero register vanish."""
        name = name.removesuffix(".reuse")
        if name not in ("RZ", "URZ"):
            self.registers[name] = value & MASK32

    def write64(self, name: str, value: int) -> None:
        """Write a register pair, low word first."""
        self.write(name, value)
        self.write(_next_register(name), value >> 32)

    def u32(self, operand: str) -> int:
        """Return an operand's 32 bits, with integer negation or complement applied."""
        operand = operand.removesuffix(".reuse")
        if operand.startswith("~"):
            return ~self.u32(operand[1:]) & MASK32
        if operand.startswith("|"):
            value = self.u32(operand[1:].removesuffix("|"))
            return value if value < 1 << 31 else -value & MASK32
        if operand.startswith("-") and not _NUMBER.match(operand):
            return -self.u32(operand[1:]) & MASK32
        return self._bits(operand, 4)

    def u64(self, operand: str) -> int:
        """Return the 64 bits of a register pair or of a constant."""
        operand = operand.removesuffix(".reuse")
        if operand.startswith("-"):
            return -self.u64(operand[1:]) & 0xFFFFFFFFFFFFFFFF
        return self._bits(operand, 8)

    def f32(self, operand: str) -> float:
        """Return a single precision operand, with sign and absolute value applied."""
        return self._float(operand, 4)

    def f64(self, operand: str) -> float:
        """Return a double precision operand, with sign and absolute value applied."""
        return self._float(operand, 8)

    def _float(self, operand: str, size: int) -> float:
        operand = operand.replace(".reuse", "")
        if (special := _special(operand)) is not None:
            return special
        if operand.startswith("-") and not _NUMBER.match(operand):
            return -self._float(operand[1:], size)
        if operand.startswith("|"):
            return abs(self._float(operand.strip("|"), size))
        if _NUMBER.match(operand) and "0x" not in operand:
            return float(operand)
        bits = self._bits(operand, size)
        return to_f32(bits) if size == 4 else to_f64(bits)

    def _bits(self, operand: str, size: int) -> int:
        if (special := _special(operand)) is not None:
            return f32_bits(special) if size == 4 else f64_bits(special)
        if _NUMBER.match(operand):
            if "0x" in operand:
                return int(operand, 16) & (MASK32 if size == 4 else 0xFFFFFFFFFFFFFFFF)
            # Integer instructions show a float literal where its bits fit one.
            return f32_bits(float(operand)) if size == 4 else f64_bits(float(operand))
        if found := _BANK.match(operand):
            offset = int(found[3] or "0", 16)
            if found[2] and found[2].startswith("0x"):
                offset += int(found[2], 16)
            elif found[2]:
                offset += self.registers.get(found[2], 0)
            return int.from_bytes(self._bank(int(found[1], 16))[offset : offset + size], "little")
        if operand in ("RZ", "URZ", "SRZ"):
            return 0
        low = self.registers.get(operand, 0)
        return low if size == 4 else low | self.registers.get(_next_register(operand), 0) << 32

    def _bank(self, number: int) -> bytes:
        if number == 0:
            return self.parameters
        banks = self._constants.banks
        return banks.get((number, self._kernel)) or banks.get((number, ""), b"")

    def address(self, operand: str) -> int:
        """Return the address of a memory operand such as ``[R2.64+0x10]``."""
        found = _ADDRESS.search(operand)
        if not found:
            raise UnsupportedError(f"address {operand}")
        total = 0
        for part in found["parts"].split("+"):
            if part.endswith(".64"):
                total += self.u64(part.removesuffix(".64"))
            elif part:
                word = self.u32(part.removesuffix(".U32").removesuffix(".X4"))
                total += word - (1 << 32) if part.startswith("-") else word
        return total

    def load(self, address: int, size: int) -> int:
        """Return ``size`` little-endian bytes of memory; the unwritten reads as zero."""
        return sum(self.memory.get(address + i, 0) << 8 * i for i in range(size))

    def store(self, address: int, value: int, size: int) -> None:
        """Write ``size`` bytes of memory."""
        for i in range(size):
            self.memory[address + i] = value >> 8 * i & 0xFF

    def store_bytes(self, address: int, content: bytes) -> None:
        """Write bytes to memory."""
        for i, byte in enumerate(content):
            self.memory[address + i] = byte


Operation = Callable[[Machine, Instruction], None]


def _special(operand: str) -> float | None:
    text = operand.lstrip("+-")
    if text not in ("INF", "QNAN", "SNAN"):
        return None
    value = float("inf") if text == "INF" else float("nan")
    return -value if operand.startswith("-") else value


def _next_register(name: str) -> str:
    found = re.match(r"(U?R)(\d+)$", name)
    return f"{found[1]}{int(found[2]) + 1}" if found else name


def parameter_bytes(*pointers: int) -> bytes:
    """Return constant bank 0: launch dimensions, then the kernel's pointers at 0x160."""
    bank = bytearray(0x160 + 8 * len(pointers))
    struct.pack_into("<6I", bank, 0, 128, 1, 1, 64, 1, 1)
    for i, pointer in enumerate(pointers):
        struct.pack_into("<Q", bank, 0x160 + 8 * i, pointer)
    return bytes(bank)
