"""From the text of an ``#if`` to a truth value: ``defined``, ``__has_include``, macros."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from roofline_parsers.preprocess.conditions import evaluate
from roofline_parsers.preprocess.expansion import Expander
from roofline_parsers.preprocess.tokens import lex

_DEFINED = re.compile(
    rb"\bdefined(?:\s*\(\s*([A-Za-z_$\x80-\xff][\w$\x80-\xff]*)\s*\)"
    rb"|\s+([A-Za-z_$\x80-\xff][\w$\x80-\xff]*))"
)
_HAS_INCLUDE = re.compile(
    rb'\b__has_include(?:_next)?\s*\(\s*(?:<([^>\n]*)>|"([^"\n]*)"|([^()]*))\s*\)'
)
_GPU_SUPPORT = re.compile(
    rb"\b(?:[A-Za-z]\w*_)?(?:(?:WITH|USE|USING|HAVE|HAS|ENABLE|BUILD|SUPPORT)_(?:CUDA|GPU)"
    rb"|(?:CUDA|GPU)_(?:ENABLED?|SUPPORT|AVAILABLE|FOUND))\b"
    rb"|\b(?!\w*(?:NO|NOT|NON|OFF|WITHOUT|DISABLED?|SKIP|AVOID|HIP|ROCM|CPU|HOST)_)\w*_CUDA\b"
)
"""Macros by which a project's build says that it has a GPU: where CUDA is compiled, it has one."""
_MAX_INLINED = 8
"""Levels of macros between an ``#if`` and the ``defined`` that they hide."""
ALWAYS_DEFINED = frozenset(
    [
        b"__has_include",
        b"__has_include_next",
        b"__has_attribute",
        b"__has_cpp_attribute",
        b"__has_builtin",
    ]
)
"""Operators of GCC 10 and later that ``#ifdef`` finds. All but the first two give 0 here."""


HasInclude = Callable[[bytes, bool], bool]
"""Takes a header's name and whether quotes stood around it."""


class ConditionReader:
    """Decides the conditions of one file."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander

    def is_true(self, text: bytes, has_include: HasInclude) -> bool:
        """Whether a condition holds.

        Raises ConditionError if it cannot be read and ExpansionBudgetError if it is too big.
        """
        text = self._resolve(text, has_include)
        tokens = lex(text)
        for _ in range(_MAX_INLINED):
            hiding = {token for token in tokens if self._hides_defined(token)}
            if not hiding:
                break
            bodies = [self._body(token) if token in hiding else token for token in tokens]
            text = self._resolve(b"".join(bodies), has_include)
            tokens = lex(text)
        macros = self._expander.macros
        if not macros.keys().isdisjoint(tokens):
            expanded = self._expander.join(self._expander.expand(tokens))
            text = self._resolve(expanded, has_include)
        if self._is_cuda:
            text = _GPU_SUPPORT.sub(lambda found: found[0] if found[0] in macros else b"1", text)
        return evaluate(text) != 0

    def _hides_defined(self, name: bytes) -> bool:
        """Whether an object-like macro leads to ``defined``, whose operand must not expand."""
        macros = self._expander.macros
        if name not in macros or macros[name].params is not None:
            return False
        seen: set[bytes] = set()
        waiting = [name]
        while waiting:
            macro = macros.get(waiting.pop())
            if macro is not None and macro.name not in seen:
                seen.add(macro.name)
                if b"defined" in macro.words:
                    return True
                waiting += macro.words
        return False

    def _body(self, name: bytes) -> bytes:
        return b" " + self._expander.macros[name].body + b" "

    def is_defined(self, name: bytes) -> bool:
        """What ``#ifdef`` asks; of CUDA code, a macro that says so of the build is defined."""
        return (
            name in self._expander.macros
            or name in ALWAYS_DEFINED
            or (self._is_cuda and _GPU_SUPPORT.fullmatch(name) is not None)
        )

    @property
    def _is_cuda(self) -> bool:
        return b"__CUDACC__" in self._expander.macros

    def _resolve(self, text: bytes, has_include: HasInclude) -> bytes:
        """Replaces ``defined`` and ``__has_include`` by their values."""
        if b"__has_include" in text:
            text = _HAS_INCLUDE.sub(partial(self._header_value, has_include), text)
        if b"defined" in text:
            text = _DEFINED.sub(self._defined_value, text)
        return text

    def _defined_value(self, found: re.Match[bytes]) -> bytes:
        return b" 1 " if self.is_defined(found[1] or found[2]) else b" 0 "

    def _header_value(self, has_include: HasInclude, found: re.Match[bytes]) -> bytes:
        name, quoted = found[1] or found[2], found[2] is not None
        if found[3] is not None:
            text = self._expander.join(self._expander.expand(lex(found[3]))).strip()
            if text[:1] not in (b"<", b'"'):
                return b" 0 "
            name, quoted = text[1:-1].strip(), text[:1] == b'"'
        return b" 1 " if name and has_include(name, quoted) else b" 0 "
