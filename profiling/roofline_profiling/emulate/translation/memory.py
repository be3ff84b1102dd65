"""Loads, stores and atomic operations."""

from __future__ import annotations

from roofline_profiling.emulate.sass.instruction import Instruction, MachineOperand, OperandKind
from roofline_profiling.emulate.translation.writer import (
    TRUE,
    ZERO_UNIFORM,
    UnsupportedError,
    Writer,
    integer,
    operation,
    uniform_pair,
)

_WIDTHS = {"U8": "u8", "S8": "s8", "U16": "u16", "S16": "s16", "64": "w64", "128": "w128"}
_ATOMICS = {
    "ADD": "add", "MIN": "min", "MAX": "max", "INC": "inc", "DEC": "dec", "AND": "bit_and",
    "OR": "bit_or", "XOR": "bit_xor", "EXCH": "exchange", "CAS": "compare", "CAST": "cast",
}  # fmt: skip
_SCALES = {"X4": 2, "X8": 3, "X16": 4}


def _width(ins: Instruction) -> str:
    return f"Width::{next((_WIDTHS[e] for e in ins.modifiers if e in _WIDTHS), 'w32')}"


def _bypasses(ins: Instruction) -> str:
    """Whether an access goes past L1: it must be seen by other multiprocessors."""
    return "true" if ins.has("STRONG") and ins.has("GPU", "SYS", "VC") else "false"


def _address(ins: Instruction) -> MachineOperand:
    return next(op for op in ins.operands if op.kind is OperandKind.ADDRESS)


def address64(op: MachineOperand, w: Writer) -> str:
    """A 64-bit address in each lane."""
    terms = []
    for part in op.parts:
        if part.kind is OperandKind.REGISTER:
            if part.number == 255:
                continue
            whole = "U32" not in part.suffixes  # compare-and-swap shows no suffix
            terms.append(w.pair(part.number) if whole else f"wide({w.word(part)})")
        elif part.kind is OperandKind.UNIFORM:
            if part.number != ZERO_UNIFORM:
                terms.append(f"all64({uniform_pair(part.number)})")
        else:
            terms.append(f"all64({integer(part.text) & (1 << 64) - 1:#x}ull)")
    return " + ".join(terms) or "V64{}"


def address32(op: MachineOperand, w: Writer) -> str:
    """An offset in shared, local or constant memory in each lane."""
    terms = []
    for part in op.parts:
        if part.kind is OperandKind.REGISTER:
            if part.number == 255:
                continue
            scale = next((_SCALES[each] for each in part.suffixes if each in _SCALES), 0)
            terms.append(f"(r[{part.number}] << {scale})" if scale else f"r[{part.number}]")
        elif part.kind is OperandKind.UNIFORM:
            if part.number != ZERO_UNIFORM:
                terms.append(f"all(ur[{part.number}])")
        else:
            terms.append(w.word(part))
    return " + ".join(terms) or "V32{}"


def _registers(ins: Instruction) -> list[MachineOperand]:
    return [op for op in ins.operands if op.kind is OperandKind.REGISTER]


@operation("LDG", "LD")
def _load(ins: Instruction, w: Writer) -> str:
    if ins.operands[0].is_predicate and ins.operands[0].number != TRUE:
        raise UnsupportedError(ins.text)
    dest = _registers(ins)[0]
    where = address64(_address(ins), w)
    common = f"w, g, {w.site(ins)}, {_width(ins)}, {_bypasses(ins)}, {where}"
    return f"load({common}, {w.target(dest)});"


@operation("STG", "ST")
def _store(ins: Instruction, w: Writer) -> str:
    where = address64(_address(ins), w)
    common = f"w, g, {w.site(ins)}, {_width(ins)}, {_bypasses(ins)}, {where}"
    return f"store({common}, {w.source(_registers(ins)[0])});"


@operation("LDS", "LDL")
def _load_near(ins: Instruction, w: Writer) -> str:
    space = "shared" if ins.base == "LDS" else "local"
    where = address32(_address(ins), w)
    dest = w.target(_registers(ins)[0])
    return f"load_{space}(w, g, {w.site(ins)}, {_width(ins)}, {where}, {dest});"


@operation("STS", "STL")
def _store_near(ins: Instruction, w: Writer) -> str:
    space = "shared" if ins.base == "STS" else "local"
    where = address32(_address(ins), w)
    values = w.source(_registers(ins)[0])
    return f"store_{space}(w, g, {w.site(ins)}, {_width(ins)}, {where}, {values});"


@operation("LDC", "ULDC")
def _load_constant(ins: Instruction, w: Writer) -> str:
    dest, source = ins.operands[0], ins.operands[1]
    bank, *offset = source.parts
    if ins.base == "ULDC" or all(part.kind is OperandKind.OTHER for part in offset):
        if all(part.kind is OperandKind.OTHER for part in source.parts):
            return _known_constant(ins, w, dest, source)
        return _indexed_constant(ins, w, dest, source)
    if bank.kind is not OperandKind.OTHER:
        raise UnsupportedError(ins.text)
    where = address32(MachineOperand(OperandKind.ADDRESS, source.text, parts=tuple(offset)), w)
    return f"load_constant(w, g, {integer(bank.text)}, {_width(ins)}, {where}, {w.target(dest)});"


def _indexed_constant(
    ins: Instruction, w: Writer, dest: MachineOperand, source: MachineOperand
) -> str:
    """A constant at an offset that a uniform register holds."""
    bank, *offset = source.parts
    where = address32(MachineOperand(OperandKind.ADDRESS, source.text, parts=tuple(offset)), w)
    load = f"load_constant(w, g, {integer(bank.text)}, {_width(ins)}, {where}, loaded);"
    wide = ins.has("64")
    result = w.put64(dest, "pair(loaded[0], loaded[1])") if wide else w.put(dest, "loaded[0]")
    # A uniform instruction runs for the whole warp: lane 0 gives its result.
    return f"{{ V32 loaded[4]; {{ const u32 g = 1u; {load} }} {result} }}"


def _known_constant(
    ins: Instruction, w: Writer, dest: MachineOperand, source: MachineOperand
) -> str:
    types = {"u8": "u8", "s8": "std::int8_t", "u16": "u16", "s16": "std::int16_t", "w64": "u64"}
    width = _width(ins).removeprefix("Width::")
    if width == "w64":
        return w.put64(dest, f"all64({w.constant(source, 'u64')})")
    return w.put(dest, f"all(u32({w.constant(source, types.get(width, 'u32'))}))")


@operation("LDGSTS")
def _copy(ins: Instruction, w: Writer) -> str:
    near, far = (op for op in ins.operands if op.kind is OperandKind.ADDRESS)
    size = next((int(each) // 8 for each in ins.modifiers if each in ("64", "128")), 4)
    filled = next((w.mask(op) for op in ins.operands if op.is_predicate), "EVERY")
    return (
        f"copy_to_shared(w, g, {w.site(ins)}, {size}, {address32(near, w)}, "
        f"{address64(far, w)}, g & {filled});"
    )


@operation("LDSM")
def _load_matrix(ins: Instruction, w: Writer) -> str:
    count = next((int(each) for each in ins.modifiers if each in ("2", "4")), 1)
    flipped = "true" if ins.has("MT88", "T") else "false"
    where, dest = address32(_address(ins), w), w.target(_registers(ins)[0])
    return f"load_matrix(w, g, {w.site(ins)}, {count}, {flipped}, {where}, {dest});"


def _number_type(ins: Instruction) -> str:
    wide = ins.has("64")
    for name in ("F64", "F32", "S64", "S32"):
        if ins.has(name):
            return f"Number::{name.lower()}"
    if ins.has("F16x2", "F16"):
        return "Number::f16x2"
    if ins.has("BF16x2", "BF16_V2", "BF16"):
        return "Number::bf16x2"
    return "Number::u64" if wide else "Number::u32"


@operation("ATOMG", "ATOM", "RED", "REDG", "ATOMS")
def _atomic(ins: Instruction, w: Writer) -> str:
    name = next((each for each in ins.modifiers if each in _ATOMICS), None)
    if name is None:
        raise UnsupportedError(ins.opcode)
    place = next(n for n, op in enumerate(ins.operands) if op.kind is OperandKind.ADDRESS)
    before = [op for op in ins.operands[:place] if op.kind is OperandKind.REGISTER]
    after = [
        op
        for op in ins.operands[place + 1 :]
        if op.kind in (OperandKind.REGISTER, OperandKind.UNIFORM)
    ]
    result = w.target(before[0]) if before and before[0].number != 255 else "nullptr"
    if result == "nullptr" and ins.base != "RED" and name in ("CAS", "CAST"):
        result = "dropped"
    values = [w.source(op) if op.kind is OperandKind.REGISTER else f"&(dropped[0] = {w.word(op)})"
              for op in after]  # fmt: skip
    if ins.has("POPC"):  # counts the lanes that ask
        name, values = "ADD", ["ONES"]
    first = values[0] if values else "ZEROS"
    second = values[1] if len(values) > 1 else "ZEROS"
    if name in ("CAS", "CAST") and len(values) == 1:
        second = f"{first} + {2 if ins.has('64') else 1}"
    shared = ins.base == "ATOMS"
    kind = _number_type(ins)
    if name != "ADD" and kind in ("Number::f16x2", "Number::bf16x2"):
        raise UnsupportedError(ins.opcode)
    common = f"{w.site(ins)}, Atomic::{_ATOMICS[name]}, {kind}"
    values_ = f"{result}, {first}, {second}"
    if shared:
        return f"atomic_shared(w, g, {common}, {address32(_address(ins), w)}, {values_});"
    done = next((op for op in ins.operands[:place] if op.is_predicate and op.number != TRUE), None)
    if done is None:
        return f"atomic(w, g, {common}, {address64(_address(ins), w)}, {values_});"
    # Only in global memory; the predicate tells where that was so.
    return (
        f"{{ const V64 at = {address64(_address(ins), w)}; "
        f"const u32 far = g & compare<Compare::greater_equal>(at, all64(3ull << 32)); "
        f"if (far) atomic(w, far, {common}, at, {values_}); {w.set(done, 'far')} }}"
    )


@operation("QSPC")
def _query_space(ins: Instruction, w: Writer) -> str:
    window = "SHARED" if ins.has("S") else "LOCAL"
    out = next(op for op in ins.operands if op.is_predicate)
    where = address64(_address(ins), w)
    found = f"compare<Compare::equal>(high({where}), all(u32({window}_WINDOW >> 32)))"
    return w.set(out, found if ins.has("S", "L") else f"~({found})")


@operation("NOP", "YIELD", "DEPBAR", "LDGDEPBAR", "MEMBAR", "ERRBAR", "CCTL", "CCTLL", "CCTLT",
           "PREEXIT", "ACQBULK", "CGAERRBAR", "UCGABAR_ARV", "UCGABAR_WAIT", "FENCE",
           "LEPC_")  # fmt: skip
def _nothing(ins: Instruction, w: Writer) -> str:
    return ""


@operation("NANOSLEEP")
def _sleep(ins: Instruction, w: Writer) -> str:
    return "w.budget = 0;"
