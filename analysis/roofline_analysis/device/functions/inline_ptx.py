"""Inline assembly in the code of NVIDIA's GPUs: what its PTX instructions load, store and compute.

The instructions' meaning is that of NVIDIA's "Parallel Thread Execution ISA". What an instruction
computes is not followed: its results are unknown numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from roofline_analysis.device.costs.expansions import OperationCost, function_cost, operator_cost
from roofline_analysis.device.functions.thread_groups import linear_thread
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import need_value, offset_by
from roofline_analysis.device.state.recorded_operations import charge_cost
from roofline_analysis.device.values import (
    LAUNCH,
    THREAD,
    DeviceValue,
    PointerValue,
    Value,
    number,
)
from roofline_analysis.regions.kernel_summary import AccessMode, MemorySpace, Work
from roofline_analysis.regions.unseen import UnseenKind
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Expr, apply, from_atom
from roofline_core.program.expressions import Assembly
from roofline_core.program.records import record
from roofline_core.program.types import Type

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\[nrtv]")
_GUARD: Final = re.compile(r"^@!?%?[\w$]+\s+")
_OPCODE: Final = re.compile(r"^([a-z_][a-z0-9_]*)((?:[.:][\w:]+)*)\s*(.*)$", re.DOTALL)
_OPERAND: Final = re.compile(r"%(\d+)|(%%[\w.]+|[A-Za-z_$][\w$]*)|(-?\d+)")
_ADDRESS: Final = re.compile(r"\[([^\]]*)\]")
_TYPE: Final = re.compile(r"^(b|s|u|f|bf|tf|e4m3|e5m2|e2m1)(\d*)(x2)?$")
_SHAPE: Final = re.compile(r"^m(\d+)n(\d+)k(\d+)$")
_LANES: Final = 32
"""Threads of a warp of the GPUs whose assembly this is."""
_WARP_GROUP: Final = 128
"""Threads that together issue one ``wgmma``."""

_FREE: Final = frozenset(
    "mov cvta selp prmt shfl vote activemask elect bra ret exit trap brkpt nanosleep fence membar"
    " prefetch prefetchu ldmatrix stmatrix movmatrix mbarrier griddepcontrol setmaxnreg"
    " applypriority createpolicy discard mapa isspacep getctarank redux match wait pmevent"
    " istypep".split()
)
"""Instructions without work that is counted: moves, shuffles, branches, waiting, shared memory."""
_MATRICES: Final = frozenset(("mma", "wgmma", "tcgen05", "wmma"))
_SPECIAL: Final = frozenset("ex2 lg2 sin cos tanh rcp rsqrt sqrt".split())
_PLAIN: Final = frozenset(
    "add sub mul mad fma min max abs neg set setp and or xor not cnot shl shr shf lop3 bfe bfi"
    " bfind popc clz brev sad mul24 mad24 dp4a dp2a addc subc madc testp copysign szext bmsk"
    " vadd vsub vmin vmax vabsdiff vset vshl vshr vmad vavrg2 vavrg4".split()
    + [f"{name}{width}" for name in "vadd vsub vmin vmax vabsdiff vset".split() for width in (2, 4)]
)
_NOT_COUNTED: Final = frozenset("min max abs neg set setp copysign testp".split())
"""Of floats: comparisons and selections, or modifiers of an operand."""
_TWO: Final = frozenset(("fma", "mad"))
_INDICES: Final[Mapping[str, str]] = {
    **{f"%%tid.{axis}": f"threadIdx.{axis}" for axis in "xyz"},
    **{f"%%ctaid.{axis}": f"blockIdx.{axis}" for axis in "xyz"},
    **{f"%%ntid.{axis}": f"blockDim.{axis}" for axis in "xyz"},
    **{f"%%nctaid.{axis}": f"gridDim.{axis}" for axis in "xyz"},
}


@record(frozen=True, slots=True)
class PtxInstruction:
    """One instruction of a template."""

    name: str
    """Its first word: ``ld``, ``mma``."""
    modifiers: tuple[str, ...]
    """The words behind it: ``("global", "v4", "u32")``."""
    operands: str
    """As they are written."""


@lru_cache(maxsize=1024)
def instructions(template: str) -> tuple[PtxInstruction, ...]:
    """The instructions of a template, without labels, directives, scopes and guards."""
    return tuple(_instructions(template))


def _instructions(template: str) -> Iterator[PtxInstruction]:
    plain = _COMMENT.sub(" ", _ESCAPE.sub("\n", template))
    for statement in plain.split(";"):
        text = statement.strip().lstrip("{} \n\t\r")
        text = re.sub(r"^[\w$%]+:\s*(?!:)", "", text)
        found = _OPCODE.match(_GUARD.sub("", text))
        if found is not None:
            words = tuple(word for word in re.split(r"[.:]+", found[2]) if word)
            yield PtxInstruction(found[1], words, found[3].strip())


def inline_assembly(interpreter: DeviceInterpreter, node: Assembly) -> DeviceValue:
    """Charge a template's instructions; its outputs are unknown afterwards."""
    held: list[DeviceValue | None] = [None] * len(node.outputs)
    for each in node.inputs:
        value = interpreter.evaluate(each)
        need_value(interpreter, value)
        held.append(value)
    block = _Template(interpreter, held)
    for instruction in instructions(node.text):
        block.execute(instruction)
    interpreter.costs.operations.keep_all()
    for position, output in enumerate(node.outputs):
        place = interpreter.place_of(output)
        if place is not None:
            known = block.results.get(position)
            interpreter.write(place, known or block.unknown(interpreter.place_type(place)))
    return number(0, "int")


class _Template:
    """One template while its instructions are executed."""

    def __init__(self, interpreter: DeviceInterpreter, held: list[DeviceValue | None]) -> None:
        self.interpreter = interpreter
        self.held = held
        """The operands; None for outputs."""
        self.registers: dict[str, DeviceValue] = {}
        """Of the template's own, those that hold an address."""
        self.results: dict[int, DeviceValue] = {}

    def unknown(self, type_: Type) -> DeviceValue:
        """A number that an instruction gives."""
        bits = self.interpreter.costs.loop_bits()
        return self.interpreter.opaque(type_, bits, "asm", SymbolScope.DATA)

    def execute(self, it: PtxInstruction) -> None:
        """Charge one instruction and keep its result; one that is not known counts as unseen."""
        costs = self.interpreter.costs
        if it.name in ("ld", "ldu", "st", "atom", "red", "multimem"):
            self._access(it)
        elif it.name == "cp":
            self._copy(it)
        elif it.name in ("bar", "barrier"):
            self.interpreter.handed.barriers += 1
            costs.region.barriers += 1
        elif it.name in _MATRICES:
            self._multiply(it)
        elif it.name in ("mov", "cvta"):
            self._move(it)
        elif it.name == "cvt":
            costs.charge(Work.CONVERSION, 1.0)
        elif it.name in _SPECIAL or it.name == "div":
            self._expansion(it)
        elif it.name in _PLAIN:
            self._arithmetic(it)
        elif it.name == "rem":
            self._charge(operator_cost("int % var"), Work.INT)
        elif it.name not in _FREE:
            costs.lose(UnseenKind.CODE, f"the instruction {it.name!r} of inline assembly")

    # -- memory

    def _access(self, it: PtxInstruction) -> None:
        mode = AccessMode.READ if it.name in ("ld", "ldu") else AccessMode.WRITE
        if it.name in ("atom", "red", "multimem"):
            mode = AccessMode.ATOMIC
        addresses = _ADDRESS.findall(it.operands)
        if addresses:
            self._touch(addresses[0], _bytes(it), mode, it)

    def _copy(self, it: PtxInstruction) -> None:
        """``cp.async [shared], [global], bytes``; with ``bulk``, one thread copies for all."""
        addresses = _ADDRESS.findall(it.operands)
        if "async" not in it.modifiers or len(addresses) < 2:
            return
        after = it.operands[it.operands.rindex(addresses[1]) + len(addresses[1]) :]
        size = self._number(after)
        if size is None:
            self.interpreter.costs.lose(UnseenKind.ACCESS, "what cp.async copies")
            return
        self._touch(addresses[1], size, AccessMode.READ, it)
        target = self._value(addresses[0])
        if isinstance(target, PointerValue) and target.array.space is MemorySpace.SHARED:
            self._touch(addresses[0], size, AccessMode.WRITE, it)

    def _touch(self, address: str, size: int, mode: AccessMode, it: PtxInstruction) -> None:
        interpreter = self.interpreter
        pointer = self._value(address)
        offset = re.search(r"\+\s*(-?\d+)\s*$", address)
        if not isinstance(pointer, PointerValue):
            if not {"shared", "param", "const", "local"} & set(it.modifiers) or it.name == "cp":
                interpreter.costs.lose(UnseenKind.ACCESS, "")
            return
        if offset is not None:
            step = number(int(offset[1]), "long")
            pointer = offset_by(interpreter, pointer, step, Type("char"))
        interpreter.costs.touch(pointer, size, mode)
        if mode is not AccessMode.READ:
            interpreter.may_change(pointer.array)

    # -- operands

    def _value(self, text: str) -> DeviceValue | None:
        """What the first operand in a text holds; None where that is not known."""
        found = _OPERAND.search(text)
        if found is None:
            return None
        if found[1]:
            position = int(found[1])
            return self.held[position] if position < len(self.held) else None
        return self.registers.get(found[2]) if found[2] else None

    def _number(self, text: str) -> int | None:
        """The first number in a text: written, or an operand that is a constant."""
        found = _OPERAND.search(text)
        if found is None:
            return None
        if found[3]:
            return int(found[3])
        value = self._value(found[0])
        known = value.constant if isinstance(value, Value) else None
        return int(known) if known is not None and known >= 0 else None

    def _move(self, it: PtxInstruction) -> None:
        """``mov`` and ``cvta``: addresses stay what they are; thread indices are numbers."""
        target, _, source = it.operands.partition(",")
        index = _special(source.strip())
        held = self._value(source) if index is None else Value("unsigned int", index)
        into = _OPERAND.search(target)
        if into is None:
            return
        if into[2] and held is not None:
            self.registers[into[2]] = held
        elif into[1] and index is not None:
            self.results[int(into[1])] = Value("unsigned int", index)

    # -- arithmetic

    def _multiply(self, it: PtxInstruction) -> None:
        """Matrices: each thread its share of the product."""
        shape = next((s for word in it.modifiers if (s := _SHAPE.match(word))), None)
        if shape is None:
            return  # ``wgmma.fence`` and the like
        m, n, k = map(int, shape.groups())
        lanes = _WARP_GROUP if it.name == "wgmma" else self.interpreter.warp_size
        kind = Work.DP if "f64" in it.modifiers else Work.TENSOR
        self.interpreter.costs.charge(kind, 2.0 * m * n * k / lanes)

    def _arithmetic(self, it: PtxInstruction) -> None:
        letter, bits, lanes = _type(it)
        if letter in ("b", "s", "u"):
            self.interpreter.costs.charge(Work.INT, 2.0 if bits == 64 else 1.0)
        elif it.name not in _NOT_COUNTED:
            flops = 2.0 if it.name in _TWO else 1.0
            self.interpreter.costs.charge(_kind(letter, bits), flops * lanes)

    def _expansion(self, it: PtxInstruction) -> None:
        """Divisions, roots and functions of the special function unit."""
        letter, bits, lanes = _type(it)
        if letter in ("b", "s", "u"):
            self._charge(operator_cost("int / var"), Work.INT)
        elif bits == 64:
            known = {"div": "double /", "rcp": "double 1 /"}.get(it.name)
            cost = operator_cost(known) if known else function_cost(it.name)
            self._charge(cost, Work.DP)
        elif "rn" in it.modifiers and it.name in ("div", "sqrt", "rcp"):
            cost = function_cost(
                {"div": "__fdiv_rn", "sqrt": "__fsqrt_rn"}.get(it.name, "__frcp_rn")
            )
            self._charge(cost, Work.SP)
        else:
            self.interpreter.costs.charge(Work.SPECIAL, float(lanes))
            self.interpreter.costs.charge(Work.SP, float(it.name == "div"))

    def _charge(self, cost: OperationCost | None, kind: Work) -> None:
        if cost is not None:
            charge_cost(self.interpreter, cost, self.interpreter.costs.loop_bits())
        else:
            self.interpreter.costs.charge(kind, 1.0)


def _special(source: str) -> Expr | None:
    """The number that a special register holds; None where the source does not tell it."""
    if source == "%%laneid":
        return apply("mod", linear_thread(), _LANES)
    name = _INDICES.get(source)
    if name is None:
        return None
    return from_atom((THREAD if name in THREAD else LAUNCH)[name])


def _type(it: PtxInstruction) -> tuple[str, int, int]:
    """An instruction's type: its letter, bits, and how many numbers one register holds."""
    for word in it.modifiers:
        found = _TYPE.match(word)
        if found is not None:
            return found[1], int(found[2] or 8), 2 if found[3] else 1
    return "b", 32, 1


def _kind(letter: str, bits: int) -> Work:
    if letter == "bf" or bits == 16:
        return Work.HP
    return Work.DP if bits == 64 else Work.SP


def _bytes(it: PtxInstruction) -> int:
    _, bits, lanes = _type(it)
    count = next((int(w[1:]) for w in it.modifiers if re.fullmatch(r"v[248]", w)), 1)
    return max(1, bits * lanes // 8) * count
