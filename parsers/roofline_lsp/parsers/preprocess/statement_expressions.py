"""GNU statement expressions, ``({ ...; value; })``, which the grammar does not know.

They become lambdas called in place, ``[&]{ ...; return value; }()``, which mean the same.
"""

from __future__ import annotations

import re

from roofline_lsp.parsers.preprocess.tokens import OPAQUE

_START = re.compile(rb"\(\{")
_BRACKET = re.compile(rb"[{}();]|" + OPAQUE.pattern)
_TYPEOF = re.compile(rb"(?<!\w)(?:__)?typeof(?:__)?(?=\s*\()")
_STATEMENT = re.compile(rb"\s*(?:(?:if|for|while|do|switch|return|goto|break|continue)\b|\{)")
_MAX_COUNT = 4096
_MAX_BYTES = 1 << 16


def rewrite_statement_expressions(text: bytes) -> tuple[bytes, set[int]]:
    """Gives the text with lambdas for statement expressions, and the 1-based lines it changed."""
    changed: set[int] = set()
    starts = [found.start() for found in _START.finditer(text)][:_MAX_COUNT]
    for start in reversed(starts):
        found = _find_end(text, start)
        if not found:
            continue
        end, value_start = found
        first = text.count(b"\n", 0, start) + 1
        changed.update(range(first, first + text.count(b"\n", start, end) + 1))
        text = text[:start] + _as_lambda(text[start:end], value_start - start) + text[end:]
    return text, changed


def _find_end(text: bytes, start: int) -> tuple[int, int] | None:
    """Where a statement expression ends and where its last statement begins."""
    depth = 0
    last = previous = text.index(b"{", start) + 1
    body = last
    for found in _BRACKET.finditer(text, start, start + _MAX_BYTES):
        bracket = found[0]
        if bracket in (b"(", b"{"):
            depth += 1
        elif bracket in (b")", b"}"):
            depth -= 1
            if depth == 1 and bracket == b"}":
                tail = text[found.end() : found.end() + 64].lstrip()[:1]
                return _close(text, found.end(), previous) if tail == b")" and last > body else None
        elif bracket == b";" and depth == 2:
            previous, last = last, found.end()
    return None


def _close(text: bytes, brace_end: int, value_start: int) -> tuple[int, int]:
    return text.index(b")", brace_end) + 1, value_start


def _as_lambda(expression: bytes, value_start: int) -> bytes:
    brace = expression.index(b"{")
    close = expression.rindex(b"}")
    head, tail = expression[brace + 1 : value_start], expression[value_start:close]
    value = b"" if _STATEMENT.match(tail) else b" return "
    body = head + value + (tail.lstrip(b" \t") if value else tail)
    between = expression[1:brace] + expression[close + 1 : -1]
    return b"[&]{" + _TYPEOF.sub(b"decltype", body) + b"}()" + b"\n" * between.count(b"\n")
