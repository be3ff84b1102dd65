"""Rewrites what tree-sitter-cuda's grammar cannot hold, byte for byte, so columns stay.

All patterns begin with letters and look behind them for what must stand before: the regular
expression engine skips to these letters, and tries no other place.
"""

from __future__ import annotations

import re

from roofline_parsers.preprocess.constructed_pointers import brace_constructed_pointers
from roofline_parsers.preprocess.tokens import OPAQUE

_FLAT = rb"[^()]*"
_NESTED = _FLAT
for _ in range(4):
    _NESTED = _FLAT + rb"(?:\(" + _NESTED + rb"\)" + _FLAT + rb")*"
_PAREN = rb"\s*\(" + _NESTED + rb"\)"

_WITH_ARGUMENTS = rb"attribute(?:__)?|declspec|cluster_dims__|maxnreg__|block_size__"
_PLAIN = rb"device_builtin__|inline_hint__|nv_pure__|cudart_builtin__|tile_builtin__"
_REPLACED = (
    rb"align__(?=\s*\()|restrict(?!\w)|typeof(?:__)?(?=\s*\()|const(?:__)?(?!\w)|volatile__(?!\w)"
)
_BEFORE_FRIEND = (
    rb"__(?<!\w__)(?:host|device|forceinline|noinline|inline)__",
    rb"inline(?<!\winline)",
    rb"static(?<!\wstatic)",
    rb"constexpr(?<!\wconstexpr)",
)
_TO_FRIEND = rb"\s+(?:(?:" + rb"|".join(_BEFORE_FRIEND) + rb")\s+)*friend\b"
_FRIEND = re.compile(rb"|".join([*(word + _TO_FRIEND for word in _BEFORE_FRIEND), OPAQUE.pattern]))
_REFERENCE = rb"&\s*__restrict(?:__)?(?!\w)"
_LAMBDA = rb"\]\s*(?:__(?:host|device|global)__\s*)+(?=[({<]|->|mutable\b|noexcept\b)"

# Apart, as a pattern that begins with a literal is searched much faster than alternatives are.
_MARKS = (
    re.compile(rb"__(?:(?:" + _WITH_ARGUMENTS + rb")\s*\(|" + _PLAIN + rb"|" + _REPLACED + rb")"),
    re.compile(rb"&\s*__restrict"),
    re.compile(_LAMBDA),
    re.compile(rb"\*\s*\["),
)
_FIX = re.compile(
    rb"__(?:(?:"
    + _WITH_ARGUMENTS
    + rb")"
    + _PAREN
    + rb"|(?:"
    + _PLAIN
    + rb")(?!\w)|"
    + _REPLACED
    + rb")|"
    + _REFERENCE
    + rb"|"
    + _LAMBDA
    + rb"|new(?<!\wnew)\s+[\w:\s]{1,80}?(?:<[^<>;(){}]*>)?\s*\*[\s*]*\[|"
    + OPAQUE.pattern
)
_UNNAMED = re.compile(
    rb"enable_if(?<!\wenable_if)(?:_t)?\s*<[^;{}]{0,400}?>(?:\s*::\s*type)?\s*\*(?=\s*=\s*(?:nullptr|0)\b)"
)
"""An unnamed template parameter with a default, of which the grammar does not know the pointer."""
_UNSIGNED = re.compile(rb"unsigned(?<![\w.>:~]unsigned)(?=\((?!\s*[*&^])|\{)")
"""A conversion by the type's plain name, which the grammar takes for the type in a cast."""
_DEFAULT_TYPE = re.compile(
    rb"(?:typename(?<!\wtypename)|class(?<!\wclass))"
    rb"\s+\w+\s*=\s*(?:const\s+)?[\w:\s]{1,80}(?:<[\w:,\s]{1,80}>\s*)?"
    rb"(?:const\s*)?[\s*]*(?=[,>])"
)
_OF_DEFAULT = re.compile(rb"\bconst\b|\*")
_POINTERS = re.compile(
    rb"\*(?:\*\*?)?\s{0,8}(?:(?:const|restrict|__restrict(?:__)?)\s{0,8})?\.\.\.(?=\s{0,8}[A-Za-z_])"
)
"""The end of the type of a parameter pack of pointers, which the grammar does not know."""
_ALIGNED = re.compile(rb"__attribute(?:__)?\s*\(\s*\(\s*(?:__)?aligned(?:__)?\s*(\(.+\))\s*\)\s*\)")
_USING = re.compile(rb"typename(?<=\busing\stypename)(?=\s+[\w:<>,\s]{1,200};)")
_DESTRUCTOR = re.compile(rb"(::~\w+)(<[\w\s,]{1,100}>)(?=\s*\()")
_VISIBLE = re.compile(rb"[^\s]")
_QUALIFIER = re.compile(rb"__\w+__")
_PLAIN_QUALIFIERS = (b"__const__", b"__const", b"__volatile__")
_LAYOUT = re.compile(rb"\b_*(?:packed|aligned)_*\b")
_END_OF_FIELD = re.compile(rb"\s*;")
_EQUALS = re.compile(rb"\s*=")
_STATEMENT = re.compile(rb"\b(typedef|using)\b[^;{}()]*\Z")
"""A typedef or alias, as far as the place in question."""
_LOOK_BACK = 200
"""Bytes in which an alias may begin before its attribute."""
_CLASS = re.compile(rb"\b(?:struct|class|union)\b")
_CLASS_KEY = re.compile(rb"\b(?:struct|class|union)\s*\Z")


_JOINED = re.compile(
    rb"sizeof(?<!\wsizeof)\s*\([^()]*\)\s*[-+](?=\.?\d)|>>>+"
    rb"|long(?:(?<=[(!]long)(?=\()|(?<=[=(,<+\-*/%&|^!?\s]long)(?=\{))"
    rb"|short(?:(?<=[(!]short)(?=\()|(?<=[=(,<+\-*/%&|^!?\s]short)(?=\{))|" + OPAQUE.pattern
)
_OF_WIDTH = {b"long": b"int64_t", b"short": b"int16_t"}
_MARKS_OF_JOINED = (b"sizeof", b">>>", b"(long(", b"(short(", b"long{", b"short{", b"!long(")
_MOST_BEFORE = 1000
"""Bytes before ``>>>`` in which the launch may begin that it ends."""


def separate_tokens(text: bytes) -> tuple[bytes, frozenset[int]]:
    """Puts spaces where the grammar takes two tokens for one.

    - ``sizeof(type)-1`` becomes ``sizeof(type)- 1``: it is taken for the size of ``(type)-1``;
    - ``n::v<A<B<T>>>`` becomes ``n::v<A<B<T> > >``: its end is taken for that of a launch;
    - ``(long(i) < n)`` becomes ``(int64_t(i) < n)``: it is taken for a cast to ``long (i)``.

    Gives the text and the 1-based lines whose columns are others now.
    """
    if not any(mark in text for mark in _MARKS_OF_JOINED):
        return text, frozenset()
    lines: set[int] = set()

    def spaced(found: re.Match[bytes]) -> bytes:
        """The match with a space added; comments and strings as they are."""
        whole = found[0]
        signed = whole.startswith(b"sizeof")
        if whole in _OF_WIDTH:
            lines.add(text.count(b"\n", 0, found.end()) + 1)
            return _OF_WIDTH[whole]
        before = text[max(0, found.start() - _MOST_BEFORE) : found.start()]
        if not signed and (whole[:1] != b">" or before.rfind(b"<<<") > before.rfind(b";")):
            return whole
        lines.add(text.count(b"\n", 0, found.end()) + 1)
        return whole + b" " if signed else b" ".join([b">"] * len(whole))

    spaced_text = _JOINED.sub(spaced, text)
    return spaced_text, frozenset(lines)


def fix_for_grammar(text: bytes) -> bytes:
    """Gives a text of the same length and lines that tree-sitter-cuda reads without errors.

    - ``__align__(n)``, and ``__attribute__((aligned(n)))`` of a class, become ``alignas(n)``;
    - ``__restrict`` becomes ``restrict``, ``__const__`` ``const``, ``__typeof__(x)``
      ``decltype(x)``;
    - ``__device__ friend`` becomes ``friend __device__``;
    - a lambda's ``__device__`` becomes ``[[device]]``;
    - ``new T*[n]`` becomes ``new T [n]``: host memory whose element size nothing asks for;
    - ``__attribute__((packed))`` and ``aligned`` of a class or a field stay, and after the name of
      a typedef; elsewhere in a typedef or alias ``aligned`` becomes ``alignas``;
    - ``enable_if_t<c> * = nullptr`` among template parameters becomes ``enable_if_t<c> = nullptr``;
    - ``unsigned(x)`` and ``unsigned{x}`` become ``uint32_t(x)`` and ``uint32_t{x}``;
    - ``typename P = T const *`` becomes ``typename P = T``: the grammar has no such default;
    - ``using typename A::b;`` becomes ``using A::b;``;
    - ``A<T>::~A<T>()`` becomes ``A<T>::~A()``;
    - ``T *... x`` becomes ``T ... x``, of which ``T`` is the pointer;
    - ``T *p(x + n);`` becomes ``T *p{x + n};``;
    - other attributes, and a lambda's or reference's other qualifiers, become spaces.
    """
    if any(mark.search(text) for mark in _MARKS):
        text = _FIX.sub(_replacement, text)
    if b"enable_if" in text:
        text = _UNNAMED.sub(lambda found: found[0][:-1] + b" ", text)
    if b"unsigned(" in text or b"unsigned{" in text:
        text = _UNSIGNED.sub(b"uint32_t", text)
    if b"template" in text:
        text = _DEFAULT_TYPE.sub(_without_pointer, text)
        text = _USING.sub(lambda found: _blank(found[0]), text)
        text = _DESTRUCTOR.sub(lambda found: found[1] + _blank(found[2]), text)
    text = brace_constructed_pointers(text)
    if b"..." in text:
        text = _POINTERS.sub(lambda found: _blank(found[0][:-3]) + b"...", text)
    return _FRIEND.sub(_friend_first, text) if b"friend" in text else text


def _without_pointer(found: re.Match[bytes]) -> bytes:
    """The default of a template parameter without ``const`` and ``*``."""
    return _OF_DEFAULT.sub(lambda word: _blank(word[0]), found[0])


def _friend_first(found: re.Match[bytes]) -> bytes:
    """Puts ``friend`` before the other specifiers, which go if they stand on another line."""
    whole = found[0]
    if not whole.endswith(b"friend") or whole[:1] in (b"/", b'"', b"'"):
        return whole
    others = whole.removesuffix(b"friend")
    if b"\n" in others:
        return _blank(others) + b"friend"
    return b"friend " + others.rstrip().ljust(len(others) - 1)


def _blank(text: bytes) -> bytes:
    return _VISIBLE.sub(b" ", text)


def _replacement(found: re.Match[bytes]) -> bytes:
    whole = found[0]
    kind = whole[:1]
    if kind == b"]":
        marked = whole.replace(b"__device__", b"[[device]]", 1)
        return _QUALIFIER.sub(lambda word: _blank(word[0]), marked)
    if kind == b"&":
        return b"&" + _blank(whole[1:])
    if kind == b"n":
        return re.sub(rb"\bconst\b|\*", lambda word: _blank(word[0]), whole)
    if kind != b"_":
        return whole
    if whole == b"__align__":
        return b"  alignas"
    if whole == b"__restrict":
        return b"  restrict"
    if whole.startswith(b"__typeof"):
        return b"decltype".ljust(len(whole))
    if whole in _PLAIN_QUALIFIERS:
        return whole.strip(b"_").ljust(len(whole))
    aligned = _ALIGNED.fullmatch(whole)
    if aligned and _CLASS_KEY.search(found.string, max(0, found.start() - 16), found.start()):
        return (b"alignas" + aligned[1]).ljust(len(whole))
    if aligned and (asked := _of_alias(found)):
        return (asked % aligned[1]).ljust(len(whole))
    return whole if _LAYOUT.search(whole) and _has_place(found) else _blank(whole)


def _of_alias(found: re.Match[bytes]) -> bytes:
    """The form of ``aligned`` in ``typedef float T`` and ``using T = float``; empty elsewhere."""
    before = _STATEMENT.search(found.string, max(0, found.start() - _LOOK_BACK), found.start())
    if before is None:
        return b""
    if before[1] == b"using":
        named = _EQUALS.match(found.string, found.end())
        return b"[[gnu::aligned%s]]" if named else b"alignas%s"
    return b"" if _END_OF_FIELD.match(found.string, found.end()) else b"alignas%s"


def _has_place(found: re.Match[bytes]) -> bool:
    """Whether an attribute stands where the grammar has one: after a class key, body or field."""
    before = found.string[max(0, found.start() - 16) : found.start()]
    if _CLASS_KEY.search(before) or before.rstrip().endswith(b"}"):
        return True
    if not _END_OF_FIELD.match(found.string, found.end()):
        return False
    begin = max(0, found.start() - _LOOK_BACK)
    if _STATEMENT.search(found.string, begin, found.start()):
        return True
    return _in_class(found.string, found.start())


def _in_class(text: bytes, position: int) -> bool:
    """Whether the innermost braces around a position are a class's."""
    depth = 0
    while (position := max(text.rfind(b"{", 0, position), text.rfind(b"}", 0, position))) >= 0:
        depth += 1 if text[position : position + 1] == b"}" else -1
        if depth < 0:
            start = max(text.rfind(mark, 0, position) for mark in (b";", b"}", b"{"))
            return _CLASS.search(text, start + 1, position) is not None
    return False
