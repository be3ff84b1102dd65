"""Numbers, characters and strings."""

from __future__ import annotations

import re
from functools import lru_cache

from roofline_core.program.expressions import Expression, Literal, Unknown
from roofline_core.program.units import Problem, Severity
from roofline_parsers.cuda.grammar import COMMENT, Node, kind
from roofline_parsers.cuda.lowering import EXPRESSIONS, Lowering, reads_expression

_STRING_CONTENT = kind("string_content")
_ESCAPE = kind("escape_sequence")
_RAW_CONTENT = kind("raw_string_content")
_SUFFIX = kind("literal_suffix")

_INTEGER = re.compile(r"([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)([uUlLzZ]*)")
_FLOAT = re.compile(
    r"([+-]?(?:0[xX][0-9a-fA-F.]+[pP][+-]?\d+|[\d.]+(?:[eE][+-]?\d+)?))([a-zA-Z_]\w*)?"
)
_FLOAT_TYPES = {
    "": "double",
    "f": "float",
    "l": "long double",
    "h": "half",
    "f16": "half",
    "bf16": "__nv_bfloat16",
    "f32": "float",
    "f64": "double",
}
_SIMPLE_ESCAPES = {
    "n": 10,
    "t": 9,
    "r": 13,
    "0": 0,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "e": 27,
}
_MAX_DIGITS = 400
"""The most characters of a number that has a value; a double has 309 digits before its point."""
_INTEGER_LIMITS = (
    # C++ [lex.icon]: a decimal literal takes the first signed type that holds it, any other base
    # the first of either sign.
    (1 << 31, "int", True),
    (1 << 32, "unsigned int", False),
    (1 << 63, "long", True),
    (1 << 64, "unsigned long", False),
)


def _integer_type(value: int, decimal: bool, suffix: str) -> str:
    unsigned = "u" in suffix
    longs = suffix.count("l")
    if longs == 0 and "z" in suffix:
        longs = 1
    name = "int"
    for limit, candidate, signed in _INTEGER_LIMITS:
        if longs and limit < 1 << 63:
            continue
        if signed or unsigned or not decimal:
            name = candidate
            if value < limit:
                break
    if unsigned and not name.startswith("unsigned"):
        name = "unsigned " + name
    return name + " long" if longs == 2 else name


@lru_cache(maxsize=4096)
def parse_number(text: str) -> tuple[int | float, str] | None:
    """The value and type of a number as C++ spells it; None if it is not one.

    >>> parse_number("1'000u")
    (1000, 'unsigned int')
    """
    text = text.replace("'", "")
    if len(text) > _MAX_DIGITS:
        return None
    match = _INTEGER.fullmatch(text)
    if match:
        sign, digits, suffix = match.groups()
        octal = len(digits) > 1 and digits.isdecimal() and digits[0] == "0"
        try:
            value = int(digits, 8 if octal else 0)
        except ValueError:
            return None
        if value >= 1 << 64:
            return None
        decimal = digits.isdecimal() and not octal
        return (-value if sign == "-" else value), _integer_type(value, decimal, suffix.lower())
    match = _FLOAT.fullmatch(text)
    if match is None:
        return None
    digits, suffix = match.group(1), match.group(2) or ""
    hexadecimal = "x" in digits.lower()
    if hexadecimal and not suffix and digits[-1] in "fF" and "p" not in digits.lower():
        return None
    type_name = _FLOAT_TYPES.get(suffix.lower())
    if type_name is None:
        return None
    try:
        return (float.fromhex(digits) if hexadecimal else float(digits)), type_name
    except (ValueError, OverflowError):
        return None


def _escape_code(escape: str) -> int | None:
    r"""The code of an escape sequence such as ``\x41``; None for a line continuation."""
    body = escape[1:]
    try:
        if body[:1] in ("x", "u", "U"):
            return int(body[1:].strip("{}"), 16)
        if body[:1].isdigit():
            return int(body, 8)
    except ValueError:
        return None
    if body.strip() == "":
        return None
    return _SIMPLE_ESCAPES.get(body[0], ord(body[0]))


def _escaped(escape: str) -> str:
    code = _escape_code(escape)
    return chr(code) if code is not None and code < 0x110000 else ""


@reads_expression("number_literal")
def _number(lo: Lowering, node: Node, depth: int) -> Expression:
    start = node.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    text = lo.names[start : node.end_byte]
    parsed = parse_number(text)
    if parsed is not None:
        return Literal(line, *parsed)
    shown = lo.brief(node)
    message = f"'{shown}' is no number that a type holds: its value is not known"
    lo.problems.append(Problem(Severity.WARNING, message, lo.source.path, line))
    return Unknown(line, shown)


@reads_expression("user_defined_literal")
def _user_defined(lo: Lowering, node: Node, depth: int) -> Expression:
    """``1.0h`` is a number to us; any other suffix leaves the literal as a part."""
    text = lo.text(node)
    parsed = parse_number(text)
    if parsed is not None:
        return Literal(lo.line_of(node), *parsed)
    parts = tuple(
        EXPRESSIONS[child.kind_id](lo, child, depth + 1)
        for child in node.children
        if child.kind_id != _SUFFIX
    )
    return Unknown(lo.line_of(node), text, parts)


@reads_expression("char_literal")
def _char(lo: Lowering, node: Node, depth: int) -> Expression:
    value = 0
    for child in node.named_children:
        text = lo.text(child)
        code = _escape_code(text) if child.kind_id == _ESCAPE else None
        for unit in [code] if code is not None else map(ord, text):
            value = (value << 8) | unit if unit < 256 else unit
    prefix = lo.text(node).partition("'")[0]
    type_name = {"L": "wchar_t", "u": "char16_t", "U": "char32_t", "u8": "char8_t"}.get(prefix)
    return Literal(lo.line_of(node), value, type_name or "char")


def _string_value(lo: Lowering, node: Node) -> str:
    pieces = []
    for child in node.children:
        if child.kind_id in (_STRING_CONTENT, _RAW_CONTENT):
            pieces.append(lo.text(child))
        elif child.kind_id == _ESCAPE:
            pieces.append(_escaped(lo.text(child)))
    return "".join(pieces)


@reads_expression("string_literal", "raw_string_literal")
def _string(lo: Lowering, node: Node, depth: int) -> Expression:
    return Literal(lo.line_of(node), _string_value(lo, node), "string")


@reads_expression("concatenated_string")
def _strings(lo: Lowering, node: Node, depth: int) -> Expression:
    """Adjacent strings joined; a name between them (``PRIu64``) is joined as text, unread."""
    line = lo.line_of(node)
    pieces = []
    for child in node.children:
        if child.kind_id != COMMENT:
            pieces.append(_string_value(lo, child))
    return Literal(line, "".join(pieces), "string")


@reads_expression("true")
def _true(lo: Lowering, node: Node, depth: int) -> Expression:
    return Literal(lo.line_of(node), 1, "bool")


@reads_expression("false")
def _false(lo: Lowering, node: Node, depth: int) -> Expression:
    return Literal(lo.line_of(node), 0, "bool")


@reads_expression("null")
def _null(lo: Lowering, node: Node, depth: int) -> Expression:
    return Literal(lo.line_of(node), None, "nullptr")
