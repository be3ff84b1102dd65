"""Integer, logic, predicate, move, memory and warp instructions of the machine model."""

import math

from .formats import MASK32, MASK64, signed
from .machine import Machine, Operation, UnsupportedError
from .toolchain import Instruction


def _is_predicate(operand: str) -> bool:
    name = operand.lstrip("!")
    return name in ("PT", "UPT") or (name.lstrip("U")[:1] == "P" and name[-1].isdigit())


def _split(this: Instruction) -> tuple[list[str], list[str], list[str]]:
    """Return the destination predicates, value operands and source predicates."""
    rest = list(this.operands[1:])
    before = []
    while rest and _is_predicate(rest[0]):
        before.append(rest.pop(0))
    values = [o for o in rest if not _is_predicate(o)]
    return before, values, [o for o in rest if _is_predicate(o)]


def _iadd3(m: Machine, this: Instruction) -> None:
    out, values, carries = _split(this)
    extended = ".X" in this.opcode
    total = sum(_addend(m, v, extended) for v in values)
    total += sum(m.predicate(c) for c in carries) if extended else 0
    m.write(this.operands[0], total)
    if out:
        m.set_predicate(out[0], bool(total >> 32 & 3))


def _addend(m: Machine, operand: str, extended: bool) -> int:
    # A negated operand enters an addition with carry as its complement plus one, so that the
    # carry out of the low word is set where no borrow occurs.
    if operand.startswith("-") and operand[1:2] in "RUc" and not extended:
        return (~m.u32(operand[1:]) & MASK32) + 1
    return m.u32(operand)


def _imad(m: Machine, this: Instruction) -> None:
    out, (a, b, c), carries = _split(this)
    kinds = this.opcode.split(".")
    unsigned = "U32" in kinds
    x, y = m.u32(a), m.u32(b)
    if not unsigned:
        x, y = signed(x), signed(y)
    carry = int(m.predicate(carries[0])) if carries and "X" in kinds else 0
    if "WIDE" in kinds or "HI" in kinds:
        product = x * y & MASK64
        total = product + m.u64(c) + carry
        if "WIDE" in kinds:
            m.write64(this.operands[0], total & MASK64)
        else:
            m.write(this.operands[0], total >> 32)
        if out:
            m.set_predicate(out[0], bool(total >> 64))
        return
    m.write(this.operands[0], x * y + m.u32(c) + carry)
    if out:
        m.set_predicate(out[0], bool(((x * y & MASK32) + m.u32(c) + carry) >> 32))


def compare(kind: str, a: float, b: float) -> bool:
    """Return an ordered comparison by its SASS name; a trailing U accepts the unordered."""
    unordered = math.isnan(a) or math.isnan(b)
    if kind in ("NAN", "NUM"):
        return unordered == (kind == "NAN")
    if unordered:
        return kind.endswith("U")
    return {"LT": a < b, "LE": a <= b, "GT": a > b, "GE": a >= b, "EQ": a == b, "NE": a != b,
            "F": False, "T": True}[kind.removesuffix("U")]  # fmt: skip


def set_predicates(m: Machine, this: Instruction, result: bool, combine: str) -> None:
    """Write both destinations of a SETP, combined with its predicate operand."""
    other = m.predicate(this.operands[4])
    for name, value in zip(this.operands[:2], (result, not result), strict=True):
        joined = {"AND": value and other, "OR": value or other, "XOR": value != other}[combine]
        m.set_predicate(name, joined)


def _isetp(m: Machine, this: Instruction) -> None:
    kinds = this.opcode.split(".")[1:]
    x, y = m.u32(this.operands[2]), m.u32(this.operands[3])
    if "U32" not in kinds:
        x, y = signed(x), signed(y)
    result = compare(kinds[0], x, y)
    if "EX" in kinds:
        low = m.predicate(this.operands[5])
        if kinds[0] == "EQ":
            result = x == y and low
        elif kinds[0] == "NE":
            result = x != y or low
        elif x == y:
            result = low
    combine = next(k for k in kinds if k in ("AND", "OR", "XOR"))
    set_predicates(m, this, result, combine)


def _lut(table: int, a: int, b: int, c: int, mask: int) -> int:
    result = 0
    for row in range(8):
        if table >> row & 1:
            result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    return result & mask


def _lop3(m: Machine, this: Instruction) -> None:
    operands = list(this.operands)
    out = operands.pop(0) if _is_predicate(operands[0]) else None
    a, b, c = (m.u32(o) for o in operands[1:4])
    value = _lut(int(operands[4], 16), a, b, c, MASK32)
    m.write(operands[0], value)
    if out:
        m.set_predicate(out, value != 0)


def _plop3(m: Machine, this: Instruction) -> None:
    a, b, c = (int(m.predicate(o)) for o in this.operands[2:5])
    for name, table in zip(this.operands[:2], this.operands[5:7], strict=True):
        m.set_predicate(name, bool(_lut(int(table, 16), a, b, c, 1)))


def _shf(m: Machine, this: Instruction) -> None:
    kinds = this.opcode.split(".")
    wide = any(k.endswith("64") for k in kinds)
    low, shift, high = (m.u32(o) for o in this.operands[1:4])
    limit = 64 if wide else 32
    shift = shift % limit if "W" in kinds else min(shift, limit)
    both = high << 32 | low
    if kinds[1] == "L":
        result = both << shift
    else:
        result = (signed(both, 64) if any(k[0] == "S" for k in kinds[2:]) else both) >> shift
    m.write(this.operands[0], result >> 32 if "HI" in kinds else result)


def _lea(m: Machine, this: Instruction) -> None:
    out, values, carries = _split(this)
    kinds = this.opcode.split(".")
    shift = int(values[-1], 16)
    if "HI" in kinds:
        low = m.u32(values[0])
        high = (MASK32 if low >> 31 else 0) if "SX32" in kinds else m.u32(values[2])
        total = ((high << 32 | low) << shift >> 32 & MASK32) + m.u32(values[1])
    else:
        total = (m.u32(values[0]) << shift & MASK32) + m.u32(values[1])
    total += int(m.predicate(carries[0])) if carries and "X" in kinds else 0
    m.write(this.operands[0], total)
    if out:
        m.set_predicate(out[0], bool(total >> 32))


def _minmax(m: Machine, this: Instruction) -> None:
    unsigned = "U32" in this.opcode
    x, y = (m.u32(o) if unsigned else signed(m.u32(o)) for o in this.operands[1:3])
    m.write(this.operands[0], min(x, y) if m.predicate(this.operands[3]) else max(x, y))


def _select(m: Machine, this: Instruction) -> None:
    m.write(this.operands[0], m.u32(this.operands[1 if m.predicate(this.operands[3]) else 2]))


def _permute(m: Machine, this: Instruction) -> None:
    both = m.u32(this.operands[3]) << 32 | m.u32(this.operands[1])
    selector, result = m.u32(this.operands[2]), 0
    for i in range(4):
        choice = selector >> 4 * i & 15
        byte = both >> 8 * (choice & 7) & 0xFF
        result |= ((0xFF if byte & 0x80 else 0) if choice & 8 else byte) << 8 * i
    m.write(this.operands[0], result)


def _flo(m: Machine, this: Instruction) -> None:
    value = m.u32(this.operands[1])
    place = value.bit_length() - 1 if value else MASK32
    m.write(this.operands[0], 31 - place if ".SH" in this.opcode and value else place)


def _unary(m: Machine, this: Instruction) -> None:
    value = m.u32(this.operands[1])
    base = this.opcode.split(".")[0].lstrip("U")
    m.write(this.operands[0], {
        "POPC": value.bit_count(), "BREV": int(f"{value:032b}"[::-1], 2),
        "IABS": abs(signed(value)), "MOV": value,
    }[base])  # fmt: skip


def _difference(m: Machine, this: Instruction) -> None:
    unsigned = "U32" in this.opcode
    x, y = (m.u32(o) if unsigned else signed(m.u32(o)) for o in this.operands[1:3])
    m.write(this.operands[0], abs(x - y) + m.u32(this.operands[3]))


def _difference_of_bytes(m: Machine, this: Instruction) -> None:
    """Write the distances of the bytes of two words, or with ``ACC`` their sum added to a third."""
    kinds = this.opcode.split(".")
    x, y, z = (m.u32(operand) for operand in this.operands[1:4])
    distances = []
    for shift in (0, 8, 16, 24):
        a, b = x >> shift & 0xFF, y >> shift & 0xFF
        if "S8" in kinds:
            a, b = signed(a, 8), signed(b, 8)
        distances.append(abs(a - b) & 0xFF)
    if "ACC" in kinds:
        m.write(this.operands[0], sum(distances) + z)
    else:
        packed = sum(each << 8 * place for place, each in enumerate(distances))
        m.write(this.operands[0], packed + z)


def _dot(m: Machine, this: Instruction) -> None:
    x, y = m.u32(this.operands[1]), m.u32(this.operands[2])
    total = sum(signed(x >> s, 8) * signed(y >> s, 8) for s in (0, 8, 16, 24))
    m.write(this.operands[0], total + m.u32(this.operands[3]))


def _special_register(m: Machine, this: Instruction) -> None:
    if this.opcode.startswith("CS2R") and ".32" not in this.opcode:
        m.write64(this.operands[0], 0)
    else:
        # Thread 2 of the first block, so that an ordinary bounds check lets it pass.
        m.write(this.operands[0], 2 if "TID" in this.operands[1].replace("CTAID", "") else 0)


def _register_to_predicates(m: Machine, this: Instruction) -> None:
    value, mask = m.u32(this.operands[1]), m.u32(this.operands[2])
    for i in range(7):
        if mask >> i & 1:
            m.set_predicate(f"P{i}", bool(value >> i & 1))


def _size(this: Instruction) -> int:
    kinds = this.opcode.split(".")
    widths = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
    return next((widths[k] for k in kinds if k in widths), 4)


def _space(this: Instruction) -> int:
    # Local memory and shared memory lie where no global address of a probe does.
    return {"L": 1 << 40, "S": 1 << 41}.get(this.opcode.split(".")[0][2], 0)


def _load(m: Machine, this: Instruction) -> None:
    if this.opcode.startswith("ULDC"):
        value = m.u64(this.operands[1]) if _size(this) == 8 else m.u32(this.operands[1])
    else:
        value = m.load(m.address(this.operands[1]) + _space(this), _size(this))
    name = this.operands[0]
    prefix = name.rstrip("0123456789")
    if name in ("RZ", "URZ"):
        return
    for word in range(max(1, _size(this) // 4)):
        m.write(f"{prefix}{int(name[len(prefix) :]) + word}", value >> 32 * word)


def _store(m: Machine, this: Instruction) -> None:
    size, name = _size(this), this.operands[1]
    if size > 8:
        raise UnsupportedError(f"{this.opcode} {', '.join(this.operands)}")
    value = m.u64(name) if size == 8 else m.u32(name)
    m.store(m.address(this.operands[0]) + _space(this), value, size)


def _warp(m: Machine, this: Instruction) -> None:
    base = this.opcode.split(".")[0]
    if base == "SHFL":
        m.write(this.operands[1], m.u32(this.operands[2]))
    elif base == "REDUX":
        m.write(this.operands[0], m.u32(this.operands[1]))
    elif not _is_predicate(this.operands[0]):
        m.write(this.operands[0], 1)
    else:
        m.set_predicate(this.operands[0], m.predicate(this.operands[-1]))


def _atomic(m: Machine, this: Instruction) -> None:
    # One thread meets no contention: a compare-and-swap succeeds at once.
    if ".CAST" in this.opcode:
        (m.write64 if _size(this) == 8 else m.write)(this.operands[0], 1)


def _nothing(m: Machine, this: Instruction) -> None:
    """Do what barriers and reconvergence mean to a single thread."""


INTEGER_UNIT: dict[str, Operation] = {
    "IADD3": _iadd3, "UIADD3": _iadd3, "IMAD": _imad, "UIMAD": _imad, "ISETP": _isetp,
    "UISETP": _isetp, "LOP3": _lop3, "ULOP3": _lop3, "PLOP3": _plop3, "UPLOP3": _plop3,
    "SHF": _shf, "USHF": _shf, "LEA": _lea, "ULEA": _lea, "IMNMX": _minmax, "SEL": _select,
    "USEL": _select, "PRMT": _permute, "UPRMT": _permute, "FLO": _flo, "UFLO": _flo,
    "POPC": _unary, "UPOPC": _unary, "BREV": _unary, "IABS": _unary, "MOV": _unary,
    "UMOV": _unary, "VABSDIFF": _difference,
    "VABSDIFF4": _difference_of_bytes, "IDP": _dot, "S2R": _special_register,
    "S2UR": _special_register, "CS2R": _special_register, "R2P": _register_to_predicates,
    "LDG": _load, "LDL": _load, "LDS": _load, "LDC": _load, "ULDC": _load, "STG": _store,
    "STL": _store, "STS": _store, "SHFL": _warp, "VOTE": _warp, "VOTEU": _warp, "REDUX": _warp,
    "ATOMG": _atomic, "ATOMS": _atomic, "RED": _atomic, "BSSY": _nothing, "BSYNC": _nothing,
    "BAR": _nothing, "NOP": _nothing, "WARPSYNC": _nothing, "MEMBAR": _nothing, "ERRBAR": _nothing,
}  # fmt: skip
"""Instructions of this unit by their base opcode."""
