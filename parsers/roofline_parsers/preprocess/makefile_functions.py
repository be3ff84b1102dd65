"""The text functions of makefiles: ``$(patsubst ...)`` and its kin."""

from __future__ import annotations

from collections.abc import Callable


def _patsubst(arguments: list[str]) -> str:
    if len(arguments) != 3:
        return ""
    pattern, replacement, text = arguments
    if "%" not in pattern:
        return " ".join(replacement if word == pattern else word for word in text.split())
    before, _, after = pattern.partition("%")
    words = []
    for word in text.split():
        fits = word.startswith(before) and word.endswith(after)
        stem = word[len(before) : len(word) - len(after)]
        words.append(replacement.replace("%", stem, 1) if fits else word)
    return " ".join(words)


def _subst(arguments: list[str]) -> str:
    return arguments[2].replace(arguments[0], arguments[1]) if len(arguments) == 3 else ""


def _affix(arguments: list[str], prefix: bool) -> str:
    if len(arguments) != 2:
        return ""
    affix, text = arguments
    return " ".join(affix + word if prefix else word + affix for word in text.split())


FUNCTIONS: dict[str, Callable[[list[str]], str]] = {
    "patsubst": _patsubst,
    "subst": _subst,
    "addprefix": lambda arguments: _affix(arguments, True),
    "addsuffix": lambda arguments: _affix(arguments, False),
    "strip": lambda arguments: " ".join(",".join(arguments).split()),
    "shell": lambda _: "",
    "wildcard": lambda _: "",
}
