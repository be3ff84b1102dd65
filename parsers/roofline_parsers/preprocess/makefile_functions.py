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


def _kept(arguments: list[str], wanted: bool) -> str:
    """``$(filter ...)`` and ``$(filter-out ...)``."""
    if len(arguments) != 2:
        return ""
    patterns = [pattern.partition("%") for pattern in arguments[0].split()[:_MAX_PATTERNS]]
    return " ".join(
        word
        for word in arguments[1].split()
        if any(_fits(word, *pattern) for pattern in patterns) == wanted
    )


def _fits(word: str, before: str, percent: str, after: str) -> bool:
    if not percent:
        return word == before
    long_enough = len(word) >= len(before) + len(after)
    return long_enough and word.startswith(before) and word.endswith(after)


def _each(change: Callable[[str], str]) -> Callable[[list[str]], str]:
    return lambda arguments: " ".join(change(word) for word in ",".join(arguments).split())


def _folder(word: str) -> str:
    head, slash, _ = word.rpartition("/")
    return head + slash if slash else "./"


def _without_suffix(word: str) -> str:
    head, dot, tail = word.rpartition(".")
    return head if dot and "/" not in tail else word


def _place(arguments: list[str], at: int) -> str:
    words = ",".join(arguments).split()
    return words[at] if words else ""


def _word(arguments: list[str]) -> str:
    if len(arguments) != 2 or not arguments[0].isdecimal() or len(arguments[0]) > 6:
        return ""
    words, at = arguments[1].split(), int(arguments[0]) - 1
    return words[at] if 0 <= at < len(words) else ""


def _if(arguments: list[str]) -> str:
    return arguments[1] if arguments[0] and len(arguments) > 1 else ",".join(arguments[2:])


def _shell(arguments: list[str]) -> str:
    """What is known of a machine with Linux and CUDA; of all else nothing, as nothing is run."""
    command = " ".join(",".join(arguments).partition("2>")[0].split())
    return _KNOWN_COMMANDS.get(command, "")


_MAX_PATTERNS = 100
_KNOWN_COMMANDS = {
    "which nvcc": "nvcc",
    "command -v nvcc": "nvcc",
    "uname": "Linux",
    "uname -s": "Linux",
    "uname -o": "GNU/Linux",
    "uname -m": "x86_64",
    "uname -p": "x86_64",
    "uname -i": "x86_64",
}

FUNCTIONS: dict[str, Callable[[list[str]], str]] = {
    "patsubst": _patsubst,
    "subst": _subst,
    "addprefix": lambda arguments: _affix(arguments, True),
    "addsuffix": lambda arguments: _affix(arguments, False),
    "strip": lambda arguments: " ".join(",".join(arguments).split()),
    "filter": lambda arguments: _kept(arguments, True),
    "filter-out": lambda arguments: _kept(arguments, False),
    "findstring": lambda arguments: (
        arguments[0] if len(arguments) == 2 and arguments[0] in arguments[1] else ""
    ),
    "dir": _each(_folder),
    "notdir": _each(lambda word: word.rpartition("/")[2]),
    "basename": _each(_without_suffix),
    "suffix": _each(lambda word: word[len(_without_suffix(word)) :]),
    "firstword": lambda arguments: _place(arguments, 0),
    "lastword": lambda arguments: _place(arguments, -1),
    "word": _word,
    "words": lambda arguments: str(len(",".join(arguments).split())),
    "sort": lambda arguments: " ".join(sorted(set(",".join(arguments).split()))),
    "if": _if,
    "or": lambda arguments: next((each for each in arguments if each), ""),
    "and": lambda arguments: arguments[-1] if all(arguments) else "",
    "info": lambda _: "",
    "warning": lambda _: "",
    "error": lambda _: "",
    "call": lambda _: "",
    "foreach": lambda _: "",
    "eval": lambda _: "",
    "shell": _shell,
    "wildcard": lambda _: "",
}
