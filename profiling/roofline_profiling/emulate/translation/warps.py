"""Instructions that lanes of a warp do together, and special registers."""

from __future__ import annotations

from roofline_profiling.emulate.sass.instruction import Instruction, OperandKind
from roofline_profiling.emulate.translation.writer import (
    TRUE,
    ZERO_UNIFORM,
    UnsupportedError,
    Writer,
    operation,
)

_SPECIAL = {
    "SR_TID.X": "tid_x", "SR_TID.Y": "tid_y", "SR_TID.Z": "tid_z",
    "SR_CTAID.X": "ctaid_x", "SR_CTAID.Y": "ctaid_y", "SR_CTAID.Z": "ctaid_z",
    "SR_NTID.X": "ntid_x", "SR_NTID.Y": "ntid_y", "SR_NTID.Z": "ntid_z",
    "SR_NCTAID.X": "nctaid_x", "SR_NCTAID.Y": "nctaid_y", "SR_NCTAID.Z": "nctaid_z",
    "SR_LANEID": "lane", "SR_VIRTID": "sm", "SR_VIRTUALSMID": "sm", "SR_SMID": "sm",
    "SR_WARPID": "warp", "SR_CLOCKLO": "clock_low", "SR_CLOCKHI": "clock_high",
    "SR_GLOBALTIMERLO": "timer_low", "SR_GLOBALTIMERHI": "timer_high",
    "SR_EQMASK": "equal", "SR_LTMASK": "less", "SR_LEMASK": "less_equal", "SR_GTMASK": "greater",
    "SR_GEMASK": "greater_equal", "SR_SWINHI": "shared_window", "SR_LWINHI": "local_window",
    "SRZ": "zero", "SR_GRIDID": "grid", "SR_CgaCtaId": "zero",
}  # fmt: skip


@operation("S2R", "S2UR", "CS2R")
def _special(ins: Instruction, w: Writer) -> str:
    dest, source = ins.operands[0], ins.operands[1]
    if source.text == "SR_TID":  # all three, ten bits apart
        packed = "w.tid_x | (w.tid_y << 16) | (w.tid_z << 26)"
        return w.put(dest, packed)
    name = _SPECIAL.get(source.text)
    if name is None:
        raise UnsupportedError(ins.text)
    low = f"special(w, Special::{name})"
    if ins.base == "CS2R" and not ins.has("32"):
        upper = {"clock_low": "clock_high", "timer_low": "timer_high"}.get(name)
        high = f"special(w, Special::{upper})" if upper else "V32{}"
        return w.put64(dest, f"pair({low}, {high})")
    return w.put(dest, low)


@operation("R2UR")
def _r2ur(ins: Instruction, w: Writer) -> str:
    dest = next(op for op in ins.operands if op.kind is OperandKind.UNIFORM)
    source = next(op for op in ins.operands if op.kind is OperandKind.REGISTER)
    text = f"const V32 x = {w.word(source)}; const u32 first = x[__builtin_ctz(g)]; "
    if dest.number != ZERO_UNIFORM:
        text += f"ur[{dest.number}] = first; "
    for out in (op for op in ins.operands if op.is_predicate):  # whether the lanes' values differ
        text += w.set(out, "(compare<Compare::equal>(x, all(first)) & g) == g ? 0u : EVERY")
    return "{ " + text + "(void)first; }"


@operation("SHFL")
def _shuffle(ins: Instruction, w: Writer) -> str:
    out, dest, value, source, bounds = ins.operands
    mode = {"IDX": "index", "UP": "up", "DOWN": "down", "BFLY": "butterfly"}[ins.modifiers[0]]
    words = f"{w.word(value)}, {w.word(source)}, {w.word(bounds)}"
    text = f"u32 inside; const V32 x = shuffle(Shuffle::{mode}, g, {words}, inside); "
    return "{ " + text + w.put(dest, "x") + w.set(out, "inside") + " }"


@operation("VOTE", "VOTEU")
def _vote(ins: Instruction, w: Writer) -> str:
    registers = [
        op for op in ins.operands if op.kind in (OperandKind.REGISTER, OperandKind.UNIFORM)
    ]
    predicates = [op for op in ins.operands if op.is_predicate]
    source = predicates[-1]
    text = f"const u32 ballot = {w.mask(source)} & g; "
    result = "ballot == g" if ins.has("ALL") else "ballot != 0"
    if ins.has("EQ"):
        result = "ballot == g || !ballot"
    for register in registers:
        text += w.put(register, "all(ballot)")
    for out in predicates[:-1]:
        text += w.set(out, f"({result}) ? EVERY : 0u")
    return "{ " + text + " (void)ballot; }"


@operation("MATCH")
def _match(ins: Instruction, w: Writer) -> str:
    registers = [op for op in ins.operands if op.kind is OperandKind.REGISTER]
    dest, value = registers[0], registers[-1]
    wide = ins.has("U64")
    call = f"match_any64(g, {w.words(value)}, x)" if wide else f"match_any(g, {w.word(value)}, x)"
    text = f"V32 x{{}}; const u32 same = {call}; "
    if ins.has("ALL"):
        text += "x = all(same); "
        for out in (op for op in ins.operands if op.is_predicate and op.number != TRUE):
            text += w.set(out, "same ? EVERY : 0u")
    return "{ " + text + w.put(dest, "x") + " (void)same; }"


@operation("REDUX", "CREDUX")
def _redux(ins: Instruction, w: Writer) -> str:
    dest, source = ins.operands[0], ins.operands[-1]
    cast = "i32" if ins.has("S32") else "u32"
    step = {
        "SUM": "sum + x", "AND": "sum & x", "OR": "sum | x", "XOR": "sum ^ x",
        "MIN": f"{cast}(x) < {cast}(sum) ? x : sum", "MAX": f"{cast}(x) > {cast}(sum) ? x : sum",
    }[next(each for each in (*ins.modifiers, "SUM")
           if each in ("SUM", "AND", "OR", "XOR", "MIN", "MAX"))]  # fmt: skip
    return (
        f"{{ const V32 from = {w.word(source)}; u32 sum = from[__builtin_ctz(g)]; "
        f"for (u32 rest = g & (g - 1); rest; rest &= rest - 1) "
        f"{{ const u32 x = from[__builtin_ctz(rest)]; sum = {step}; }} {w.put(dest, 'all(sum)')} }}"
    )


@operation("BMOV")
def _bmov(ins: Instruction, w: Writer) -> str:
    dest, source = ins.operands[0], ins.operands[-1]
    barrier = f"w.b[{source.number}]"
    if source.kind is OperandKind.CONVERGENCE_BARRIER and dest.kind is OperandKind.REGISTER:
        text = w.put(dest, barrier)
        return text + (f" put({barrier}, g, V32{{}});" if ins.has("CLEAR") else "")
    if dest.kind is OperandKind.CONVERGENCE_BARRIER:
        is_barrier = source.kind is OperandKind.CONVERGENCE_BARRIER
        return f"put(w.b[{dest.number}], g, {barrier if is_barrier else w.word(source)});"
    raise UnsupportedError(ins.text)


@operation("BREAK")
def _break(ins: Instruction, w: Writer) -> str:
    barrier = next(op for op in ins.operands if op.kind is OperandKind.CONVERGENCE_BARRIER)
    chosen = next((w.mask(op) for op in ins.operands if op.is_predicate), "EVERY")
    return f"if (g & {chosen}) break_out(w, g & {chosen}, {barrier.number});"


@operation("BSSY")
def _bssy(ins: Instruction, w: Writer) -> str:
    barrier = next(op for op in ins.operands if op.kind is OperandKind.CONVERGENCE_BARRIER)
    return f"put(w.b[{barrier.number}], g, all(g));"


@operation("B2R")
def _b2r(ins: Instruction, w: Writer) -> str:
    if not ins.has("RESULT"):
        raise UnsupportedError(ins.text)
    text = ""
    for op in ins.operands:
        if op.kind is OperandKind.REGISTER:
            text += w.put(op, "all(w.barrier_result)")
        elif op.is_predicate:
            text += w.set(op, "w.barrier_result ? EVERY : 0u")
    return text


@operation("LEPC")
def _lepc(ins: Instruction, w: Writer) -> str:
    return w.put64(ins.operands[0], f"all64({w.at(ins)})")
