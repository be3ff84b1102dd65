"""Integer expressions of ``#if``, after macro expansion.

Arithmetic is that of 64-bit ``intmax_t`` and ``uintmax_t``, as the C++ standard asks.
"""

from __future__ import annotations

import re

from roofline_core.program.records import record

_TOKEN = re.compile(
    rb"\s+|(?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)"
    rb"|(?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\[\s\S])+')|(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)"
    rb"|(?P<op>&&|\|\||<<|>>|<=|>=|==|!=|[-+*/%<>!~&|^?:(),])|(?P<other>[\s\S])"
)
_INTEGER = re.compile(rb"(0[xX][\da-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)([uUlLzZ]*)")
_ESCAPES = {b"n": 10, b"t": 9, b"r": 13, b"a": 7, b"b": 8, b"f": 12, b"v": 11, b"e": 27}
_CODE = re.compile(rb"\\(x[\da-fA-F]+|[0-7]{1,3}|[\s\S])|([^\\])")
_WORD_OPERATORS = {
    b"and": b"&&", b"or": b"||", b"not": b"!", b"bitand": b"&", b"bitor": b"|", b"xor": b"^",
    b"compl": b"~", b"not_eq": b"!=",
}  # fmt: skip
_PRECEDENCE = {
    b"*": 10, b"/": 10, b"%": 10, b"+": 9, b"-": 9, b"<<": 8, b">>": 8, b"<": 7, b"<=": 7, b">": 7,
    b">=": 7, b"==": 6, b"!=": 6, b"&": 5, b"^": 4, b"|": 3, b"&&": 2, b"||": 1,
}  # fmt: skip
_MAX_DEPTH = 32
_MAX_DIGITS = 400
_MASK = (1 << 64) - 1


class ConditionError(Exception):
    """The text is no integer constant expression; the message says why."""


@record(frozen=True, slots=True)
class _Value:
    number: int
    unsigned: bool = False

    @classmethod
    def wrap(cls, number: int, unsigned: bool) -> _Value:
        """The 64-bit value: two's complement if it is signed, modulo 2^64 if not."""
        number &= _MASK
        if not unsigned and number >> 63:
            number -= 1 << 64
        return cls(number, unsigned)


_FALSE = _Value(0)
_TRUE = _Value(1)


def evaluate(text: bytes) -> int:
    """The value of an expression without macros or ``defined``; other names count as 0.

    Raises ConditionError if it cannot be read.
    """
    parser = _Parser(text)
    value = parser.conditional(True)
    if parser.kind != "end":
        raise ConditionError(f"unexpected {_show(parser.token)}")
    return value.number


def _show(token: bytes) -> str:
    return repr(token.decode("utf-8", "replace")) if token else "end of line"


class _Parser:
    """Precedence climbing. ``live`` is False in operands that short circuits skip."""

    def __init__(self, text: bytes) -> None:
        self._tokens = _TOKEN.finditer(text)
        self._depth = 0
        self.kind = ""
        self.token = b""
        self._advance()

    def _advance(self) -> None:
        for found in self._tokens:
            if found.lastgroup:
                self.kind, self.token = found.lastgroup, found[0]
                if self.kind == "name" and self.token in _WORD_OPERATORS:
                    self.kind, self.token = "op", _WORD_OPERATORS[self.token]
                return
        self.kind, self.token = "end", b""

    def _accept(self, operator: bytes) -> bool:
        if self.kind == "op" and self.token == operator:
            self._advance()
            return True
        return False

    def _expect(self, operator: bytes) -> None:
        if not self._accept(operator):
            raise ConditionError(f"expected {_show(operator)} before {_show(self.token)}")

    def conditional(self, live: bool) -> _Value:
        """``condition ? a : b``."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ConditionError("the expression nests too deeply")
        condition = self._binary(1, live)
        if self._accept(b"?"):
            chosen = self.conditional(live and condition.number != 0)
            self._expect(b":")
            other = self.conditional(live and condition.number == 0)
            unsigned = chosen.unsigned or other.unsigned
            condition = _Value.wrap((chosen if condition.number else other).number, unsigned)
        self._depth -= 1
        return condition

    def _binary(self, lowest: int, live: bool) -> _Value:
        left = self._unary(live)
        while self.kind == "op" and _PRECEDENCE.get(self.token, 0) >= lowest:
            operator = self.token
            self._advance()
            needed = live
            if operator in (b"&&", b"||"):
                needed = live and (left.number != 0) == (operator == b"&&")
            right = self._binary(_PRECEDENCE[operator] + 1, needed)
            left = _apply(operator, left, right, live)
        return left

    def _unary(self, live: bool) -> _Value:
        prefix: list[bytes] = []
        while self.kind == "op" and self.token in (b"+", b"-", b"!", b"~"):
            prefix.append(self.token)
            self._advance()
        value = self._primary(live)
        for operator in reversed(prefix):
            if operator == b"!":
                value = _FALSE if value.number else _TRUE
            elif operator == b"-":
                value = _Value.wrap(-value.number, value.unsigned)
            elif operator == b"~":
                value = _Value.wrap(~value.number, value.unsigned)
        return value

    def _primary(self, live: bool) -> _Value:
        kind, token = self.kind, self.token
        self._advance()
        if kind == "number":
            return _integer(token)
        if kind == "char":
            return _character(token)
        if kind == "op" and token == b"(":
            value = self.conditional(live)
            while self._accept(b","):
                value = self.conditional(live)
            self._expect(b")")
            return value
        if kind == "name":
            if self._accept(b"("):
                self._skip_arguments()
            return _TRUE if token == b"true" else _FALSE
        raise ConditionError(f"expected a value before {_show(token)}")

    def _skip_arguments(self) -> None:
        """Of a function-like macro that is not defined, such as ``__has_feature(x)``."""
        depth = 1
        while depth:
            if self.kind == "end":
                raise ConditionError("expected ')' before end of line")
            depth += (self.token == b"(") - (self.token == b")")
            self._advance()


def _apply(operator: bytes, left: _Value, right: _Value, live: bool) -> _Value:
    if operator == b"&&":
        return _TRUE if left.number and right.number else _FALSE
    if operator == b"||":
        return _TRUE if left.number or right.number else _FALSE
    if operator in (b"<<", b">>"):
        return _shift(left, right.number if operator == b"<<" else -right.number)
    unsigned = left.unsigned or right.unsigned
    a, b = (left.number & _MASK, right.number & _MASK) if unsigned else (left.number, right.number)
    if operator in (b"/", b"%"):
        if not b:
            if live:
                raise ConditionError("division by zero")
            return _FALSE
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _Value.wrap(quotient if operator == b"/" else a - quotient * b, unsigned)
    compared = {
        b"<": a < b, b"<=": a <= b, b">": a > b, b">=": a >= b, b"==": a == b, b"!=": a != b
    }.get(operator)  # fmt: skip
    if compared is not None:
        return _TRUE if compared else _FALSE
    number = {
        b"*": a * b, b"+": a + b, b"-": a - b, b"&": a & b, b"^": a ^ b, b"|": a | b
    }[operator]  # fmt: skip
    return _Value.wrap(number, unsigned)


def _shift(left: _Value, count: int) -> _Value:
    if count >= 0:
        return _Value.wrap(left.number << count if count < 64 else 0, left.unsigned)
    return _Value.wrap(left.number >> min(-count, 64), left.unsigned)


def _integer(token: bytes) -> _Value:
    found = _INTEGER.fullmatch(token.replace(b"'", b""))
    if not found or len(token) > _MAX_DIGITS:
        raise ConditionError(f"{_show(token[:40])} is no integer")
    digits, suffix = found[1], found[2].lower()
    octal = len(digits) > 1 and digits.isdigit() and digits[0] == ord("0")
    number = int(digits, 8) if octal else int(digits, 0)
    return _Value.wrap(number, b"u" in suffix or number >> 63 != 0)


def _character(token: bytes) -> _Value:
    """A character's code; several in one pair of quotes are joined, as GNU cpp does."""
    number = 0
    body = token[token.index(b"'") + 1 : -1]
    for found in _CODE.finditer(body):
        escape = found[1]
        if escape is None:
            code = found[2][0]
        elif escape[:1] == b"x":
            code = int(escape[1:9], 16)
        elif escape[:1].isdigit():
            code = int(escape, 8)
        else:
            code = _ESCAPES.get(escape, escape[0])
        number = (number << 8 | code & 0xFF) & 0xFFFFFFFF
    return _Value.wrap(number - 256 if len(body) == 1 and number > 127 else number, False)
