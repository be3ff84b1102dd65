"""Generator expressions: ``$<CONDITION:text>``, as far as a default build tells their value.

https://cmake.org/cmake/help/latest/manual/cmake-generator-expressions.7.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from roofline_parsers.preprocess.cmake.conditions import Truth, is_constant, negated
from roofline_parsers.preprocess.cmake.values import UNKNOWN

_MOST_NESTED: Final = 40
_BITS: Final = {True: "1", False: "0", None: UNKNOWN}
_LITERALS: Final = {"COMMA": ",", "SEMICOLON": ";", "ANGLE-R": ">", "QUOTE": '"'}
_PLAIN: Final = frozenset({"BUILD_INTERFACE", "BUILD_LOCAL_INTERFACE", "GENEX_EVAL"})
_COMPILERS: Final = {"C": "GNU", "CXX": "GNU", "CUDA": "NVIDIA"}


def evaluated(text: str, language: str, build: str) -> str:
    """A text with its generator expressions replaced; ``UNKNOWN`` for those without a known value.

    ``language`` is that of the file, ``CUDA`` or ``CXX``, ``build`` the value of
    ``CMAKE_BUILD_TYPE``.
    """
    if "$<" not in text:
        return text
    made: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        if text.startswith("$<", at) and len(made) <= _MOST_NESTED:
            made.append([])
            at += 2
            continue
        if text[at] == ">" and len(made) > 1:
            inner = "".join(made.pop())
            made[-1].append(_value(inner, language, build))
            at += 1
            continue
        end = min(
            (p for p in (text.find("$<", at + 1), text.find(">", at + 1)) if p > 0), default=-1
        )
        end = len(text) if end < 0 else end
        made[-1].append(text[at:end])
        at = end
    return "".join("".join(pieces) for pieces in made)


def _value(inner: str, language: str, build: str) -> str:
    head, colon, rest = inner.partition(":")
    if not colon:
        return _LITERALS.get(head, UNKNOWN)
    if head in {"0", "1"}:
        return rest if head == "1" else ""
    if head in _PLAIN:
        return rest
    if head == "INSTALL_INTERFACE":
        return ""
    if head == "IF":
        chosen = rest.split(",", 2)
        if len(chosen) == 3 and chosen[0] in {"0", "1"}:
            return chosen[1] if chosen[0] == "1" else chosen[2]
        return UNKNOWN
    test = _TESTS.get(head)
    return UNKNOWN if test is None else _BITS[test(rest, language, build)]


def _bool(text: str, _language: str, _build: str) -> Truth:
    return None if UNKNOWN in text else is_constant(text) is not False


def _bits(text: str) -> list[Truth]:
    return [{"1": True, "0": False}.get(bit) for bit in text.split(",")]


def _and(text: str, _language: str, _build: str) -> Truth:
    bits = _bits(text)
    return False if False in bits else None if None in bits else True


def _or(text: str, _language: str, _build: str) -> Truth:
    bits = _bits(text)
    return True if True in bits else None if None in bits else False


def _not(text: str, _language: str, _build: str) -> Truth:
    return negated(_bits(text)[0])


def _equal(text: str, _language: str, _build: str) -> Truth:
    left, _, right = text.partition(",")
    return None if UNKNOWN in text else left == right


def _config(text: str, _language: str, build: str) -> Truth:
    return None if UNKNOWN in build else build.upper() in text.upper().split(",")


def _language_is(text: str, language: str, _build: str) -> Truth:
    return language in text.split(",")


def _language_and_id(text: str, language: str, _build: str) -> Truth:
    wanted, *names = text.split(",")
    return wanted == language and _COMPILERS.get(language) in names


def _compiler_of(language: str) -> Callable[[str, str, str], Truth]:
    def test(text: str, _language: str, _build: str) -> Truth:
        """Whether the list, with commas, names the compiler assumed for the language."""
        return _COMPILERS[language] in text.split(",")

    return test


def _platform(text: str, _language: str, _build: str) -> Truth:
    return "Linux" in text.split(",")


_TESTS: Final[dict[str, Callable[[str, str, str], Truth]]] = {
    "AND": _and,
    "BOOL": _bool,
    "COMPILE_LANGUAGE": _language_is,
    "COMPILE_LANG_AND_ID": _language_and_id,
    "CONFIG": _config,
    "CUDA_COMPILER_ID": _compiler_of("CUDA"),
    "CXX_COMPILER_ID": _compiler_of("CXX"),
    "C_COMPILER_ID": _compiler_of("C"),
    "NOT": _not,
    "OR": _or,
    "PLATFORM_ID": _platform,
    "STREQUAL": _equal,
}
