"""Machine instructions as the disassembler prints them, and functions made of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

STEP = 16
"""Bytes of an instruction."""


class OperandKind(Enum):
    """What an operand is."""

    REGISTER = "R"
    UNIFORM = "UR"
    PREDICATE = "P"
    UNIFORM_PREDICATE = "UP"
    CONVERGENCE_BARRIER = "B"
    CONSTANT = "c"
    ADDRESS = "[]"
    LABEL = "label"
    SYMBOL = "symbol"
    """Half of a symbol's address."""
    OTHER = "other"
    """An immediate value, a special register or a flag."""


@dataclass(frozen=True, slots=True)
class MachineOperand:
    """One operand.

    ``number`` is the register's; 255, 63 or 7 are the registers that read as zero or true.
    """

    kind: OperandKind
    text: str
    """Without sign, bars and suffixes."""
    number: int = -1
    negative: bool = False
    inverted: bool = False
    """``~R2``, or ``!P0``."""
    absolute: bool = False
    suffixes: tuple[str, ...] = ()
    """As in ``R2.H0_H0``; ``reuse`` is left out."""
    parts: tuple[MachineOperand, ...] = ()
    """What an address or a constant's offset adds up."""

    @property
    def is_predicate(self) -> bool:
        """Whether it is a predicate, a thread's own or the warp's."""
        return self.kind in (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)


@dataclass(frozen=True, slots=True)
class Line:
    """A source line."""

    path: str
    number: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. ``at`` is its address in the section, in bytes."""

    at: int
    opcode: str
    """The whole mnemonic, as in ``IMAD.WIDE.U32``."""
    operands: tuple[MachineOperand, ...]
    guard: MachineOperand | None = None
    """The predicate that lets it run; None: always."""
    line: Line | None = None
    text: str = ""

    @property
    def base(self) -> str:
        """The mnemonic without its modifiers."""
        return self.opcode.split(".", 1)[0]

    @property
    def modifiers(self) -> tuple[str, ...]:
        """The mnemonic's modifiers, in order."""
        return tuple(self.opcode.split(".")[1:])

    def has(self, *modifiers: str) -> bool:
        """Whether it has one of these modifiers."""
        return any(each in self.modifiers for each in modifiers)


@dataclass(frozen=True, slots=True)
class CodeSection:
    """One section of code: a kernel or a device function, with the subroutines inside it."""

    name: str
    """The function's mangled name."""
    instructions: tuple[Instruction, ...]
    labels: dict[str, int]
    """Addresses of labels and of functions in the section."""
    is_kernel: bool


@dataclass(frozen=True, slots=True)
class Disassembly:
    """The code of a cubin."""

    architecture: str
    """As in ``sm_86``."""
    sections: dict[str, CodeSection]
