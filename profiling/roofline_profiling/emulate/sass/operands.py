"""The text of operands read into values."""

from __future__ import annotations

import re

from roofline_profiling.emulate.sass.instruction import MachineOperand, OperandKind

_REGISTERS = (
    (re.compile(r"R(\d+|Z)\b"), OperandKind.REGISTER, 255),
    (re.compile(r"UR(\d+|Z)\b"), OperandKind.UNIFORM, 63),
    (re.compile(r"P(\d+|T)\b"), OperandKind.PREDICATE, 7),
    (re.compile(r"UP(\d+|T)\b"), OperandKind.UNIFORM_PREDICATE, 7),
    (re.compile(r"B(\d+)\b"), OperandKind.CONVERGENCE_BARRIER, -1),
)
_CONSTANT = re.compile(r"c\[([^\]]+)\]\s*\[([^\]]*)\]")
_DESCRIPTOR = re.compile(r"g?desc\[[^\]]*\]")
_SYMBOL = re.compile(r"(\d+)@(lo|hi)\((.+)\)$")
_LABEL = re.compile(r"`\((.+)\)$")


def split(text: str) -> list[str]:
    """Operands apart: by the commas that stand in no brackets."""
    found, depth, start = [], 0, 0
    for at, mark in enumerate(text):
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == "," and not depth:
            found.append(text[start:at])
            start = at + 1
    found.append(text[start:])
    return [each.strip() for each in found if each.strip()]


def read_operand(text: str) -> MachineOperand:
    """One operand; what is not known is ``OperandKind.OTHER`` with its text."""
    text = text.strip()
    if symbol := _SYMBOL.match(text):
        return MachineOperand(OperandKind.SYMBOL, symbol[3].strip("`()"), suffixes=(symbol[2],))
    if label := _LABEL.match(text):
        return MachineOperand(OperandKind.LABEL, label[1])
    negative = inverted = absolute = False
    while text[:1] in ("-", "~", "!") and not _number(text):
        negative, inverted = negative or text[0] == "-", inverted or text[0] in "~!"
        text = text[1:]
    if text.startswith("|"):
        inner, _, rest = text[1:].partition("|")
        absolute, text = True, inner + rest
    bare = _plain(text)
    return MachineOperand(
        bare.kind, bare.text, bare.number, negative, inverted, absolute, bare.suffixes, bare.parts
    )


def _plain(text: str) -> MachineOperand:
    for pattern, kind, last in _REGISTERS:
        if found := pattern.match(text):
            number = int(found[1]) if found[1].isdigit() else last
            rest = text[found.end() :].split(".")[1:]
            suffixes = tuple(each for each in rest if each and each != "reuse")
            return MachineOperand(kind, found[0], number, suffixes=suffixes)
    if found := _CONSTANT.match(text):
        rest = text[found.end() :].split(".")[1:]
        bank = read_operand(found[1])
        suffixes = tuple(each for each in rest if each and each != "reuse")
        return MachineOperand(
            OperandKind.CONSTANT, text, suffixes=suffixes, parts=(bank, *_sum(found[2]))
        )
    address = _DESCRIPTOR.sub("", text)
    if address.startswith("["):
        inner, _, after = address[1:].partition("]")
        return MachineOperand(
            OperandKind.ADDRESS, text, suffixes=tuple(after.split(".")[1:]), parts=_sum(inner)
        )
    return MachineOperand(OperandKind.OTHER, text)


def _sum(text: str) -> tuple[MachineOperand, ...]:
    """What ``R2.64+UR4+-0x10`` adds up."""
    return tuple(read_operand(each) for each in re.split(r"\+(?!INF)", text) if each.strip())


def _number(text: str) -> bool:
    """Whether a sign belongs to a number."""
    return bool(re.match(r"-(?:0x|\d|INF|\.|QNAN|SNAN|NAN)", text))
