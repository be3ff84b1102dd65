"""Operands as C++ expressions of the lanes' values.

In translated code ``r`` are the registers, ``p`` the predicates, ``ur`` and ``up`` the uniform
ones, ``m`` the lanes that run and ``g`` those of them that an instruction's guard lets through.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from roofline_profiling.emulate.sass.instruction import Instruction, MachineOperand, OperandKind

ZERO_REGISTER = 255
ZERO_UNIFORM = 63
TRUE = 7
SECTION = 1 << 20
"""Code addresses that a section takes."""
SYSTEM = {name: 0xF0000000 + 16 * n
          for n, name in enumerate(("vprintf", "malloc", "free", "__assertfail"))}  # fmt: skip
"""Code addresses of the driver's functions."""

_LABEL_SUM = re.compile(r"\(?\s*([^\s()]+)\s*\+\s*([^\s()@]+)(?:@srel)?\s*\)?$")
_SPECIAL_FLOATS = {"INF": math.inf, "QNAN": math.nan, "SNAN": math.nan, "NAN": math.nan}


class UnsupportedError(Exception):
    """An instruction or an operand that there is no translation for."""


@dataclass(slots=True)
class CodeSymbols:
    """The symbols whose values the code uses, and the code addresses of sections and labels."""

    code: Mapping[str, int]
    """Code addresses by function and by label, the labels of a section as ``section:label``."""
    names: list[str] = field(default_factory=list)

    def index(self, name: str) -> int:
        """The place of a symbol's value."""
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def address(self, section: str, label: str) -> int:
        """The code address of a label. Raises UnsupportedError where there is none."""
        for name in (f"{section}:{label}", label):
            if name in self.code:
                return self.code[name]
        raise UnsupportedError(f"a jump to {label}, which is not in the module")


@dataclass(slots=True)
class Writer:
    """Writes the operands of the instructions of one section."""

    section: str
    symbols: CodeSymbols
    sites: list[int] = field(default_factory=list)
    """Code addresses of memory instructions."""
    near: frozenset[int] = frozenset()
    """Code addresses that the C++ function being written has labels at."""

    def site(self, ins: Instruction) -> int:
        """The counter of a memory instruction."""
        self.sites.append(self.at(ins))
        return len(self.sites) - 1

    def at(self, ins: Instruction) -> int:
        """The code address of an instruction."""
        return self.symbols.code[self.section] + ins.at

    # --- values -----------------------------------------------------------------------------

    def word(self, op: MachineOperand) -> str:
        """A 32-bit integer in each lane, its sign and inversion applied."""
        plain = self._word(op)
        if op.absolute:
            plain = f"(V32)absolute(f({plain}))"
        if op.inverted:
            return f"(~{plain})"
        return f"(-{plain})" if op.negative else plain

    def _word(self, op: MachineOperand) -> str:
        if op.kind is OperandKind.REGISTER:
            return "V32{}" if op.number == ZERO_REGISTER else f"r[{op.number}]"
        if op.kind is OperandKind.UNIFORM:
            return "V32{}" if op.number == ZERO_UNIFORM else f"all(ur[{op.number}])"
        if op.kind is OperandKind.CONSTANT:
            return f"all({self.constant(op, 'u32')})"
        if op.kind is OperandKind.SYMBOL:
            return f"all({self.symbol_half(op)})"
        return f"all({integer(op.text) & 0xFFFFFFFF:#x}u)"

    def symbol_half(self, op: MachineOperand) -> str:
        """Half of an address that the loader or the translation knows."""
        shift = 32 if op.suffixes == ("hi",) else 0
        if found := _LABEL_SUM.match(op.text):
            label = self.symbols.address(found[1], found[2])
            return f"{(label >> shift) & 0xFFFFFFFF:#x}u"
        if op.text in self.symbols.code:
            return f"{(self.symbols.code[op.text] >> shift) & 0xFFFFFFFF:#x}u"
        return f"u32(symbols[{self.symbols.index(op.text)}] >> {shift})"

    def constant(self, op: MachineOperand, c_type: str) -> str:
        """A value of a constant bank, at an offset that is known."""
        bank, *offset = op.parts
        if any(each.kind is not OperandKind.OTHER for each in op.parts):
            raise UnsupportedError(f"the operand {op.text}")
        return f"bank<{c_type}>(L, {integer(bank.text)}, {sum(integer(e.text) for e in offset)})"

    def real(self, op: MachineOperand) -> str:
        """A single-precision number in each lane, its sign applied."""
        if op.kind is OperandKind.OTHER:
            return f"f(all({_float_bits(number(op)):#x}u))"
        plain = f"f({self._word(op)})"
        if op.absolute:
            plain = f"absolute({plain})"
        return f"negative({plain})" if op.negative else plain

    def words(self, op: MachineOperand) -> str:
        """A 64-bit integer in each lane: a register and the next."""
        if op.kind is OperandKind.REGISTER:
            plain = "V64{}" if op.number == ZERO_REGISTER else self.pair(op.number)
        elif op.kind is OperandKind.UNIFORM:
            plain = "V64{}" if op.number == ZERO_UNIFORM else f"all64({uniform_pair(op.number)})"
        elif op.kind is OperandKind.CONSTANT:
            plain = f"all64({self.constant(op, 'u64')})"
        else:
            plain = f"all64({integer(op.text) & (1 << 64) - 1:#x}ull)"
        if op.inverted:
            return f"(~{plain})"
        return f"(-{plain})" if op.negative else plain

    @staticmethod
    def pair(register: int) -> str:
        """Two neighbouring registers as one value."""
        return f"pair(r[{register}], r[{register + 1}])"

    def double(self, op: MachineOperand) -> str:
        """A double-precision number in each lane, its sign applied."""
        if op.kind is OperandKind.OTHER:
            bits = struct.unpack("<Q", struct.pack("<d", number(op)))[0]
            return f"d(all64({bits:#x}ull))"
        plain = f"d({self.words(MachineOperand(op.kind, op.text, op.number, parts=op.parts))})"
        if op.absolute:
            plain = f"absolute({plain})"
        return f"negative({plain})" if op.negative else plain

    @staticmethod
    def mask(op: MachineOperand) -> str:
        """The lanes in which a predicate is true."""
        name = "p" if op.kind is OperandKind.PREDICATE else "up"
        if op.number == TRUE:
            return "0u" if op.inverted else "EVERY"
        return f"~{name}[{op.number}]" if op.inverted else f"{name}[{op.number}]"

    # --- results ----------------------------------------------------------------------------

    @staticmethod
    def put(op: MachineOperand, value: str) -> str:
        """Writes a 32-bit result."""
        if op.kind is OperandKind.UNIFORM:
            return "" if op.number == ZERO_UNIFORM else f"ur[{op.number}] = u({value})[0];"
        return "" if op.number == ZERO_REGISTER else f"put(r[{op.number}], g, {value});"

    @staticmethod
    def put64(op: MachineOperand, value: str) -> str:
        """Writes a 64-bit result."""
        if op.kind is OperandKind.UNIFORM:
            n = op.number
            if n == ZERO_UNIFORM:
                return ""
            parts = f"ur[{n}] = u32(x); ur[{n + 1}] = u32(x >> 32);"
            return f"{{ const u64 x = u({value})[0]; {parts} }}"
        return "" if op.number == ZERO_REGISTER else f"put64(r + {op.number}, g, {value});"

    @staticmethod
    def set(op: MachineOperand, lanes: str) -> str:
        """Writes a predicate."""
        if op.number == TRUE:
            return ""
        if op.kind is OperandKind.UNIFORM_PREDICATE:
            return f"up[{op.number}] = uniform({lanes});"
        return f"set(p[{op.number}], g, {lanes});"

    @staticmethod
    def target(op: MachineOperand) -> str:
        """The registers that a load fills; those that nobody reads where the result is dropped."""
        return "dropped" if op.number == ZERO_REGISTER else f"r + {op.number}"

    @staticmethod
    def source(op: MachineOperand) -> str:
        """The registers that a store reads."""
        return "ZEROS" if op.number == ZERO_REGISTER else f"r + {op.number}"


Handler = Callable[[Instruction, Writer], str]
OPERATIONS: dict[str, Handler] = {}
"""What translates an instruction, by its mnemonic without modifiers."""


def operation(*names: str) -> Callable[[Handler], Handler]:
    """Registers the translation of some mnemonics."""

    def register(handler: Handler) -> Handler:
        """Enter the handler under each mnemonic, and give it back."""
        OPERATIONS.update(dict.fromkeys(names, handler))
        return handler

    return register


def uniform_pair(register: int) -> str:
    """Two neighbouring uniform registers as one number."""
    return f"(ur[{register}] | u64(ur[{register + 1}]) << 32)"


def integer(text: str) -> int:
    """An immediate integer."""
    try:
        return int(text, 0)
    except ValueError:
        raise UnsupportedError(f"the operand {text}") from None


def number(op: MachineOperand) -> float:
    """An immediate floating-point number."""
    text = op.text.strip()
    sign = -1.0 if text.startswith("-") else 1.0
    bare = text.lstrip("+-")
    try:
        value = _SPECIAL_FLOATS[bare] if bare in _SPECIAL_FLOATS else float(bare)
    except ValueError:
        try:
            value = float(int(bare, 16))
        except ValueError:
            raise UnsupportedError(f"the operand {op.text}") from None
    return sign * value * (-1.0 if op.negative else 1.0)


def _float_bits(value: float) -> int:
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF800000 if value < 0 else 0x7F800000


def rounding(ins: Instruction) -> str:
    """The rounding that an instruction names."""
    names = {"RM": "down", "FLOOR": "down", "RP": "up", "CEIL": "up", "RZ": "zero", "TRUNC": "zero"}
    found = [names[each] for each in ins.modifiers if each in names]
    return f"Round::{found[0] if found else 'nearest'}"


def split_predicates(
    ops: tuple[MachineOperand, ...],
) -> tuple[tuple[MachineOperand, ...], tuple[MachineOperand, ...], tuple[MachineOperand, ...]]:
    """The predicates before the sources, the sources, and the predicates after them."""
    first = next((n for n, op in enumerate(ops) if not op.is_predicate), len(ops))
    last = next((n for n in range(len(ops), first, -1) if not ops[n - 1].is_predicate), first)
    return ops[:first], ops[first:last], ops[last:]
