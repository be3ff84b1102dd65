"""Integer instructions, on registers and on uniform registers."""

from __future__ import annotations

from roofline_profiling.emulate.sass.instruction import Instruction, MachineOperand, OperandKind
from roofline_profiling.emulate.translation.writer import (
    TRUE,
    UnsupportedError,
    Writer,
    integer,
    operation,
    split_predicates,
)

_COMPARISONS = {
    "LT": "less", "LE": "less_equal", "GT": "greater", "GE": "greater_equal", "EQ": "equal",
    "NE": "not_equal",
}  # fmt: skip


def _is_false(op: MachineOperand) -> bool:
    return op.number == TRUE and op.inverted


def _addend(op: MachineOperand, w: Writer) -> str:
    """An operand of a sum whose carry counts: -x is ~x + 1, in 33 bits."""
    if op.negative and op.kind is not OperandKind.OTHER:
        plain = MachineOperand(op.kind, op.text, op.number, parts=op.parts, suffixes=op.suffixes)
        return f"(wide(~{w.word(plain)}) + 1)"
    return f"wide({w.word(op)})"


def _carries(preds: tuple[MachineOperand, ...], w: Writer) -> list[str]:
    return [f"wide(pick({w.mask(op)}, all(1), V32{{}}))" for op in preds if not _is_false(op)]


def _adds_nothing(op: MachineOperand) -> bool:
    """Whether it is a register that reads as zero; -0 and ~0 make carries."""
    is_register = op.kind in (OperandKind.REGISTER, OperandKind.UNIFORM)
    return is_register and op.number in (255, 63) and not op.inverted and not op.negative


def _sum(
    dest: MachineOperand, outs: tuple[MachineOperand, ...], addends: list[str], w: Writer
) -> str:
    """A sum and its carries: the first tells of one, the second of two."""
    text = f"const V64 sum = {' + '.join(addends)}; "
    for count, out in enumerate(outs, 1):
        text += w.set(out, f"compare<Compare::greater_equal>(sum >> 32, all64({count}))")
    return "{ " + text + w.put(dest, "low(sum)") + " }"


@operation("IADD3", "UIADD3")
def _iadd3(ins: Instruction, w: Writer) -> str:
    dest, *rest = ins.operands
    outs, sources, carries = split_predicates(tuple(rest))
    live = tuple(out for out in outs if out.number != TRUE)
    if not live and not any(not _is_false(op) for op in carries):
        return w.put(dest, " + ".join(w.word(op) for op in sources))
    addends = [_addend(op, w) for op in sources if not _adds_nothing(op)]
    return _sum(dest, outs, [*(addends or ["V64{}"]), *_carries(carries, w)], w)


@operation("VIADD")
def _viadd(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands
    return w.put(dest, f"{w.word(a)} + {w.word(b)}")


@operation("IMAD", "UIMAD")
def _imad(ins: Instruction, w: Writer) -> str:
    dest, *rest = ins.operands
    outs, (a, b, c), carries = split_predicates(tuple(rest))
    unsigned = ins.has("U32")
    if ins.has("WIDE", "HI"):
        return _wide_product(ins, outs, (a, b, c), carries, w, unsigned=unsigned)
    total = f"{w.word(a)} * {w.word(b)} + {w.word(c)}"
    if ins.has("MOV") or _is_zero(a) or _is_zero(b):
        total = w.word(c)
    elif ins.has("IADD"):
        total = f"{w.word(a) if not b.negative else '-' + w.word(a)} + {w.word(c)}"
        if integer_of(b) not in (1, -1):
            total = f"{w.word(a)} * {w.word(b)} + {w.word(c)}"
        elif integer_of(b) == -1:
            total = f"{w.word(c)} - {w.word(a)}"
    for carry in carries:
        if not _is_false(carry):
            total += f" + pick({w.mask(carry)}, all(1), V32{{}})"
    return w.put(dest, total)


def integer_of(op: MachineOperand) -> int | None:
    """An immediate operand's value."""
    return integer(op.text) if op.kind is OperandKind.OTHER else None


def _is_zero(op: MachineOperand) -> bool:
    return op.kind is OperandKind.REGISTER and op.number == 255


def _product(a: MachineOperand, b: MachineOperand, w: Writer, *, unsigned: bool) -> str:
    if unsigned:
        return f"(wide({w.word(a)}) * wide({w.word(b)}))"
    return f"(V64)(wide(i({w.word(a)})) * wide(i({w.word(b)})))"


def _wide_product(
    ins: Instruction, outs: tuple[MachineOperand, ...], sources: tuple[MachineOperand, ...],
    carries: tuple[MachineOperand, ...], w: Writer, *, unsigned: bool,
) -> str:  # fmt: skip
    a, b, c = sources
    text = f"const V64 product = {_product(a, b, w, unsigned=unsigned)}; "
    text += f"V64 sum = product + {w.words(c)}; u32 over = compare<Compare::less>(sum, product); "
    for carry in carries:
        if not _is_false(carry):
            text += (
                f"{{ const V64 more = sum + wide(pick({w.mask(carry)}, all(1), V32{{}})); "
                "over |= compare<Compare::less>(more, sum); sum = more; } "
            )
    text += "".join(w.set(out, "over") for out in outs) or "(void)over; "
    dest = ins.operands[0]
    result = w.put(dest, "high(sum)") if ins.has("HI") else w.put64(dest, "sum")
    return "{ " + text + result + " }"


@operation("LEA", "ULEA")
def _lea(ins: Instruction, w: Writer) -> str:
    dest, *rest = ins.operands
    outs, sources, carries = split_predicates(tuple(rest))
    a, b = sources[0], sources[1]
    shift = integer(sources[-1].text) & 31
    if not ins.has("HI"):
        shifted = f"({w.word(a)} << {shift})"
        if not outs and not [op for op in carries if not _is_false(op)]:
            return w.put(dest, f"{shifted} + {w.word(b)}")
        return _sum(dest, outs, [f"wide({shifted})", _addend(b, w), *_carries(carries, w)], w)
    if ins.has("SX32"):
        whole = f"(V64)wide(i({w.word(a)}))"
    else:
        upper = sources[2] if len(sources) > 3 else None
        upper_word = w.word(upper) if upper is not None else "V32{}"
        whole = f"pair({w.word(a)}, {upper_word})"
    shifted = f"high(({whole}) << {shift})"
    return _sum(dest, outs, [f"wide({shifted})", _addend(b, w), *_carries(carries, w)], w)


@operation("LOP3", "ULOP3")
def _lop3(ins: Instruction, w: Writer) -> str:
    dest = next(op for op in ins.operands if not op.is_predicate)
    outs = ins.operands[: ins.operands.index(dest)]
    rest = ins.operands[len(outs) + 1 :]
    a, b, c, table = rest[:4]
    value = f"lop3<{integer(table.text):#x}>({w.word(a)}, {w.word(b)}, {w.word(c)})"
    if not [out for out in outs if out.number != TRUE]:
        return w.put(dest, value)
    mixed = w.mask(rest[4]) if len(rest) > 4 else "0u"
    sign = "&" if ins.has("PAND") else "|"
    text = f"const V32 x = {value}; "
    text += w.set(outs[0], f"compare<Compare::not_equal>(x, V32{{}}) {sign} {mixed}")
    return "{ " + text + w.put(dest, "x") + " }"


@operation("PLOP3", "UPLOP3")
def _plop3(ins: Instruction, w: Writer) -> str:
    outs = [ins.operands[0], ins.operands[1]]
    a, b, c = ins.operands[2:5]
    tables = [integer(op.text) for op in ins.operands[5:7]]
    masks = f"{w.mask(a)}, {w.mask(b)}, {w.mask(c)}"
    text = f"const u32 a_[3] = {{{masks}}}; "
    for out, table in zip(outs, tables, strict=False):
        text += w.set(out, f"lop3_bits({table:#x}, a_[0], a_[1], a_[2])")
    return "{ " + text + " }"


@operation("SHF", "USHF")
def _shf(ins: Instruction, w: Writer) -> str:
    dest, a, b, c = ins.operands
    is_long = ins.has("U64", "S64")
    most = 63 if is_long else 31
    by = w.word(b)
    by = f"({by} & {most}u)" if ins.has("W") else f"least_unsigned({by}, all({most + 1}))"
    if b.kind is OperandKind.OTHER:
        count = integer(b.text)
        by = f"all({count & most if ins.has('W') else min(count, most + 1)})"
    whole = f"pair({w.word(a)}, {w.word(c)})"
    if ins.has("L"):
        shifted = f"shift_left({whole}, {by})"
    elif ins.has("S32", "S64"):
        shifted = f"shift_right_signed({whole}, {by})"
    else:
        shifted = f"shift_right({whole}, {by})"
    if not ins.has("W") and b.kind is OperandKind.OTHER:
        simple = _simple_shift(ins, w, a, c, integer(b.text))
        if simple:
            return w.put(dest, simple)
    return w.put(dest, f"{'high' if ins.has('HI') else 'low'}({shifted})")


def _simple_shift(
    ins: Instruction, w: Writer, a: MachineOperand, c: MachineOperand, by: int
) -> str | None:
    """A shift of one word by a known count."""
    if by > 31 or ins.has("U64", "S64"):
        return None
    if ins.has("R") and ins.has("HI"):
        return f"(V32)(i({w.word(c)}) >> {by})" if ins.has("S32") else f"({w.word(c)} >> {by})"
    if ins.has("L") and not ins.has("HI"):
        return f"({w.word(a)} << {by})"
    return None


@operation("MOV", "UMOV", "MOV32I")
def _mov(ins: Instruction, w: Writer) -> str:
    return w.put(ins.operands[0], w.word(ins.operands[1]))


@operation("SEL", "USEL")
def _sel(ins: Instruction, w: Writer) -> str:
    dest, a, b, chosen = ins.operands
    return w.put(dest, f"pick({w.mask(chosen)}, {w.word(a)}, {w.word(b)})")


@operation("IMNMX", "VIMNMX", "UIMNMX")
def _imnmx(ins: Instruction, w: Writer) -> str:
    dest, a, b, least = ins.operands[-4:]
    kind = "unsigned" if ins.has("U32") else "signed"
    x, y = w.word(a), w.word(b)
    return w.put(dest, f"pick({w.mask(least)}, least_{kind}({x}, {y}), most_{kind}({x}, {y}))")


@operation("VIADDMNMX")
def _viaddmnmx(ins: Instruction, w: Writer) -> str:
    dest, a, b, c, least = ins.operands
    if ins.modifiers not in ((), ("U32",)):
        raise UnsupportedError(ins.opcode)
    kind = "unsigned" if ins.has("U32") else "signed"
    x, y = f"({w.word(a)} + {w.word(b)})", w.word(c)
    return w.put(dest, f"pick({w.mask(least)}, least_{kind}({x}, {y}), most_{kind}({x}, {y}))")


@operation("ISETP", "UISETP")
def _isetp(ins: Instruction, w: Writer) -> str:
    outs, (a, b), rest = split_predicates(ins.operands)
    cast = "u" if ins.has("U32") else "i"
    x, y = f"{cast}({w.word(a)})", f"{cast}({w.word(b)})"
    name = next((each for each in ins.modifiers if each in _COMPARISONS), None)
    if name is None:
        holds = "EVERY" if ins.has("T") else "0u"
    else:
        holds = f"compare<Compare::{_COMPARISONS[name]}>({x}, {y})"
        if ins.has("EX"):
            holds = _extended(name, x, y, w.mask(rest[1]))
    return two_predicates(ins, w, outs, holds, rest[0])


def _extended(name: str, x: str, y: str, lower: str) -> str:
    """A 64-bit comparison: the upper words, and where these are equal what the lower ones gave."""
    equal = f"compare<Compare::equal>({x}, {y})"
    if name == "EQ":
        return f"({equal} & {lower})"
    if name == "NE":
        return f"(~{equal} | {lower})"
    strict = "less" if name in ("LT", "LE") else "greater"
    return f"(compare<Compare::{strict}>({x}, {y}) | ({equal} & {lower}))"


def two_predicates(
    ins: Instruction, w: Writer, outs: tuple[MachineOperand, ...], holds: str, mixed: MachineOperand
) -> str:
    """Writes what a comparison gives and its opposite, each mixed with a third predicate."""
    sign = "|" if ins.has("OR") else "^" if ins.has("XOR") else "&"
    text = f"const u32 holds_ = {holds}, with_ = {w.mask(mixed)}; "
    text += w.set(outs[0], f"holds_ {sign} with_")
    if len(outs) > 1:
        text += w.set(outs[1], f"~holds_ {sign} with_")
    return "{ (void)0; " + text + " }"


@operation("PRMT", "UPRMT")
def _prmt(ins: Instruction, w: Writer) -> str:
    dest, a, selector, b = ins.operands
    if len(ins.modifiers):
        raise UnsupportedError(ins.opcode)
    if selector.kind is not OperandKind.OTHER:
        return w.put(dest, f"permute({w.word(a)}, {w.word(selector)}, {w.word(b)})")
    terms = []
    for place in range(4):
        which = (integer(selector.text) >> 4 * place) & 15
        word, shift = (w.word(a), which & 3) if which & 7 < 4 else (w.word(b), which & 3)
        byte = f"(({word} >> {8 * shift}) & 0xffu)"
        if which & 8:
            byte = f"((V32)(i({word} << {24 - 8 * shift}) >> 31) & 0xffu)"
        terms.append(f"({byte} << {8 * place})")
    return w.put(dest, " | ".join(terms))


@operation("IABS")
def _iabs(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands
    return w.put(dest, f"most_signed({w.word(a)}, -({w.word(a)}))")


@operation("POPC", "UPOPC")
def _popc(ins: Instruction, w: Writer) -> str:
    return w.put(ins.operands[0], f"population({w.word(ins.operands[1])})")


@operation("FLO", "UFLO")
def _flo(ins: Instruction, w: Writer) -> str:
    dest, a = ins.operands[0], ins.operands[-1]
    signed = "false" if ins.has("U32") else "true"
    as_shift = "true" if ins.has("SH") else "false"
    return w.put(dest, f"highest_bit({w.word(a)}, {signed}, {as_shift})")


@operation("BREV", "UBREV")
def _brev(ins: Instruction, w: Writer) -> str:
    return w.put(ins.operands[0], f"reversed_bits({w.word(ins.operands[1])})")


@operation("BMSK", "UBMSK")
def _bmsk(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands
    wrap = "true" if ins.has("W") else "false"
    return w.put(dest, f"bit_mask({w.word(a)}, {w.word(b)}, {wrap})")


@operation("SGXT", "USGXT")
def _sgxt(ins: Instruction, w: Writer) -> str:
    dest, a, b = ins.operands
    width = f"({w.word(b)} & 31u)" if ins.has("W") else w.word(b)
    signed = "false" if ins.has("U32") else "true"
    return w.put(dest, f"extend_bits({w.word(a)}, {width}, {signed})")


@operation("IDP")
def _idp(ins: Instruction, w: Writer) -> str:
    dest, a, b, c = ins.operands
    types = [each for each in ins.modifiers if each[0] in "US" and each[1:].isdigit()]
    signs = [str(each.startswith("S")).lower() for each in types] + ["true", "true"]
    halves = "true" if ins.has("2A") else "false"
    high = "true" if ins.has("HI") else "false"
    words = f"{w.word(a)}, {w.word(b)}, {w.word(c)}"
    return w.put(dest, f"dot_bytes({words}, {signs[0]}, {signs[1]}, {halves}, {high})")


@operation("VABSDIFF")
def _vabsdiff(ins: Instruction, w: Writer) -> str:
    dest, a, b, c = ins.operands
    signed = "false" if ins.has("U32") else "true"
    return w.put(dest, f"absolute_difference({w.word(a)}, {w.word(b)}, {signed}) + {w.word(c)}")


@operation("VABSDIFF4")
def _vabsdiff4(ins: Instruction, w: Writer) -> str:
    dest, a, b, c = ins.operands
    signed, summed = (str(ins.has(each)).lower() for each in ("S8", "ACC"))
    words = f"{w.word(a)}, {w.word(b)}, {w.word(c)}"
    return w.put(dest, f"absolute_differences_of_bytes({words}, {signed}, {summed})")


@operation("P2R")
def _p2r(ins: Instruction, w: Writer) -> str:
    dest, _, a, chosen = ins.operands
    shift = _byte(dest)
    terms = [f"(pick(p[{n}], all(1), V32{{}}) << {n + shift})" for n in range(7)]
    bits = integer(chosen.text) << shift
    packed = " | ".join(terms)
    return w.put(dest, f"({w.word(a)} & ~{bits:#x}u) | (({packed}) & {bits:#x}u)")


def _byte(op: MachineOperand) -> int:
    """The first bit of the byte that a suffix names."""
    return next((8 * int(each[1]) for each in op.suffixes if each[:1] == "B"), 0)


@operation("R2P")
def _r2p(ins: Instruction, w: Writer) -> str:
    _, a, chosen = ins.operands
    text = f"const V32 x = {w.word(a)} >> {_byte(a)}; "
    for n in range(7):
        if integer(chosen.text) >> n & 1:
            text += f"set(p[{n}], g, compare<Compare::not_equal>(x & {1 << n}u, V32{{}})); "
    return "{ " + text + "}"
