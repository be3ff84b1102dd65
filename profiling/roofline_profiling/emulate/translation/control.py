"""Branches, calls and barriers: what ends a basic block."""

from __future__ import annotations

import re

from roofline_profiling.emulate.sass.instruction import (
    STEP,
    Instruction,
    MachineOperand,
    OperandKind,
)
from roofline_profiling.emulate.translation.writer import (
    SECTION,
    SYSTEM,
    TRUE,
    UnsupportedError,
    Writer,
    operation,
)

ENDS = frozenset({
    "BRA", "BRX", "JMP", "JMX", "CALL", "RET", "EXIT", "KILL", "BSYNC", "WARPSYNC", "BAR", "BPT",
    "RTT", "UBRA", "BRXU", "JMXU",
})  # fmt: skip
"""Instructions after which another block begins."""
_RELATIVE = re.compile(r"(U?)R(\d+)\s*([-+]?)\s*(0x[0-9a-f]+)?")


def _go(w: Writer, target: int) -> str:
    """Goes to a code address: inside the same C++ function, or by way of the one that chooses."""
    return f"goto B{target:x};" if target in w.near else f"return {target:#x}u;"


def _jump(w: Writer, target: int, ins: Instruction) -> str:
    """Goes to a code address; backwards at the cost of the turn's budget."""
    here = w.at(ins)
    if target > here or target // SECTION != here // SECTION:
        return _go(w, target)
    cost = (here - target) // STEP + 1
    return (
        f"if ((w.budget -= (w.group_count ? 64 : 1) * {cost}) < 0) "
        f"return end_turn(w, {target:#x}u); {_go(w, target)}"
    )


def _label(ins: Instruction, w: Writer) -> int:
    for op in ins.operands:
        if op.kind is OperandKind.LABEL:
            return w.symbols.address(w.section, op.text)
        if op.kind is OperandKind.SYMBOL or (
            op.kind is OperandKind.OTHER and op.text.startswith("0x")
        ):
            return w.symbols.code[w.section] + int(op.text, 16)
    raise UnsupportedError(ins.text)


def asks_convergence(ins: Instruction) -> bool:
    """Whether a branch asks if the lanes that its guard lets through are those of a mask.

    All active lanes take it, or none: also where the guard lets none through.
    """
    return ins.base == "BRA" and ins.has("DIV", "CONV")


def _condition(ins: Instruction, w: Writer) -> str:
    """The lanes that a branch takes with it, besides its guard."""
    masks = [w.mask(op) for op in ins.operands if op.is_predicate]
    return " & ".join(masks) or "EVERY"


@operation("BRA", "JMP", "UBRA")
def _bra(ins: Instruction, w: Writer) -> str:
    target, after = _label(ins, w), w.at(ins) + STEP
    go = _jump(w, target, ins)
    if asks_convergence(ins):
        mask = next(
            (f"({w.word(op)})[0]" for op in ins.operands if op.kind is OperandKind.UNIFORM), "EVERY"
        )
        return f"if (g {'!=' if ins.has('DIV') else '=='} ({mask} & w.alive)) {{ {go} }}"
    condition = _condition(ins, w)
    if condition == "EVERY" and ins.guard is None:
        return go
    return (
        f"{{ const u32 t = g & {condition}; if (t) {{ "
        f"if (t != m) split(w, m & ~t, {after:#x}); m = t; {go} }} }}"
    )


def _rest_waits(ins: Instruction, w: Writer) -> str:
    """Lanes that a guard holds back go on without the instruction."""
    if ins.guard is None:
        return ""
    return f"if (m != g) {{ split(w, m & ~g, {w.at(ins) + STEP:#x}); m = g; }} "


@operation("CALL")
def _call(ins: Instruction, w: Writer) -> str:
    register = next((op for op in ins.operands if op.kind is OperandKind.REGISTER), None)
    if register is not None:
        label = next((op for op in ins.operands if op.kind is OperandKind.LABEL), None)
        base = w.symbols.address(w.section, label.text) if label is not None else 0
        return _rest_waits(ins, w) + _indirect(f"r[{register.number}] + {base:#x}u")
    name = ins.operands[-1].text
    target = w.symbols.code.get(name)
    if target is None:
        target = w.symbols.code.get(f"{w.section}:{name}")
    if target is None and name in SYSTEM:
        return _rest_waits(ins, w) + f"return {SYSTEM[name]:#x}u;"
    if target is None:
        raise UnsupportedError(f"a call of {name}, which is not in the module")
    return _rest_waits(ins, w) + _go(w, target)


@operation("RET")
def _ret(ins: Instruction, w: Writer) -> str:
    register = next(op for op in ins.operands if op.kind is OperandKind.REGISTER)
    base = 0
    if ins.has("REL"):
        label = next((op for op in ins.operands if op.kind is OperandKind.LABEL), None)
        name = label.text if label is not None else w.section
        base = w.symbols.address(w.section, name)
    return _rest_waits(ins, w) + _indirect(f"r[{register.number}] + {base:#x}u")


def _indirect(target: str) -> str:
    return f"return scatter(w, m, {target});"


@operation("BRX", "JMX", "BRXU", "JMXU")
def _brx(ins: Instruction, w: Writer) -> str:
    found = _RELATIVE.search(ins.text.split(None, 1)[1])
    if found is None:
        raise UnsupportedError(ins.text)
    is_uniform, register, sign, distance = found.groups()
    offset = int(distance, 16) * (-1 if sign == "-" else 1) if distance else 0
    base = w.at(ins) + STEP + offset if ins.base.startswith("BRX") else offset
    value = f"all(ur[{register}])" if is_uniform else f"r[{register}]"
    return _rest_waits(ins, w) + _indirect(f"{value} + {base & 0xFFFFFFFF:#x}u")


@operation("EXIT", "KILL", "RTT")
def _exit(ins: Instruction, w: Writer) -> str:
    chosen = " & ".join(w.mask(op) for op in ins.operands if op.is_predicate) or "EVERY"
    return f"{{ const u32 t = g & {chosen}; leave(w, t); m &= ~t; if (!m) return PICK; }}"


@operation("BPT")
def _bpt(ins: Instruction, w: Writer) -> str:
    what = '"the kernel trapped (assert or __trap)"'
    return f"throw Fault({what}, {w.at(ins):#x}, __builtin_ctz(g));"


@operation("BSYNC")
def _bsync(ins: Instruction, w: Writer) -> str:
    barrier = next(op for op in ins.operands if op.kind is OperandKind.CONVERGENCE_BARRIER)
    after = w.at(ins) + STEP
    return (
        f"{_rest_waits(ins, w)}pc = converge(w, m, {barrier.number}, {after:#x}); "
        f"if (pc != {after:#x}) return pc;"
    )


@operation("WARPSYNC")
def _warpsync(ins: Instruction, w: Writer) -> str:
    after = w.at(ins) + STEP
    source = next(
        (op for op in ins.operands if op.kind in (OperandKind.REGISTER, OperandKind.OTHER)), None
    )
    expects = w.word(source) if source is not None else "all(EVERY)"
    alone = str(ins.has("EXCLUSIVE")).lower()
    return (
        f"{_rest_waits(ins, w)}pc = meet(w, m, {expects}, {alone}, {after:#x}); "
        f"if (pc != {after:#x}) return pc;"
    )


def _scalar(op: MachineOperand | None, w: Writer) -> str:
    return "0" if op is None else f"({w.word(op)})[__builtin_ctz(g)]"


@operation("BAR")
def _bar(ins: Instruction, w: Writer) -> str:
    after = w.at(ins) + STEP
    values = [op for op in ins.operands if not op.is_predicate]
    number = _scalar(values[0] if values else None, w)
    text = _rest_waits(ins, w)
    if ins.has("ARV"):
        return text + f"arrive_only(w, m, {number});"
    if ins.has("RED"):
        source = next((w.mask(op) for op in ins.operands if op.is_predicate), "EVERY")
        mode = "POPC" if ins.has("POPC") else "AND" if ins.has("AND") else "OR"
        text += f"reduce_at_barrier(w, m, {number}, {source}, Reduction::{mode.lower()}_); "
    elif not ins.has("SYNC") and not ins.has("SYNCALL"):
        raise UnsupportedError(ins.text)
    threads = _scalar(values[1] if len(values) > 1 else None, w)
    return text + f"arrive(w, m, {number}, {threads}, {after:#x}); return PICK;"


def guard_mask(guard: MachineOperand | None, w: Writer) -> str:
    """The lanes that an instruction's guard lets through."""
    if guard is None or (guard.number == TRUE and not guard.inverted):
        return "m"
    return f"m & {w.mask(guard)}"
