"""Functions that may lead to a launch, judged by the words of their texts.

Parsing a body costs far more than a search for words, and most functions of large headers need
nothing else. The words err towards "may launch".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Final
from weakref import WeakKeyDictionary

from roofline_analysis.host.effects.gpu_library_names import runs_kernels
from roofline_analysis.language.opencl_headers import ENQUEUE_ARGS, LAUNCH_CALLS
from roofline_analysis.language.symbols import last_component
from roofline_core.program.units import Function

_WORD: Final = re.compile(r"[^\W\d]\w*")
_LAUNCH_WORDS: Final = frozenset(("<<<", "thrust", "rocprim", *LAUNCH_CALLS, ENQUEUE_ARGS))


def called_by(function: Function) -> list[str]:
    """The simple names that a call of a function can have."""
    names = [function.name]
    if function.name == "operator()" and function.owner:
        names.append(last_component(function.owner))
    return names


def first_word(name: str) -> str:
    """A word that stands in every text that mentions a function: ``operator`` of ``operator()``."""
    found = _WORD.search(name)
    return found[0] if found else name


_answers: Final[WeakKeyDictionary[frozenset[str], bool]] = WeakKeyDictionary()
"""For the words of texts that are in use: those of earlier texts go with them."""


def may_launch(words: frozenset[str]) -> bool:
    """Whether a text with these words can have launches, or calls of libraries that launch."""
    found = _answers.get(words)
    if found is None:
        found = _answers[words] = _may_launch(words)
    return found


def _may_launch(words: frozenset[str]) -> bool:
    return not words.isdisjoint(_LAUNCH_WORDS) or any(
        word.startswith("Device") or runs_kernels(word)
        for word in words
        if word.startswith(("Device", "cu", "hip", "roc"))
    )


def suspects(
    functions: Sequence[Function],
    words_of: Callable[[Function], frozenset[str] | None],
    tables: Mapping[str, Set[str]] = MappingProxyType({}),
) -> list[Function]:
    """The functions whose words, or those of functions that they mention, may launch.

    ``words_of`` returns None for a function whose body must be parsed. ``tables`` are variables
    that hold functions, with the functions' names.
    """
    keys = {id(f): {first_word(name) for name in called_by(f)} for f in functions}
    known = set().union(tables, *keys.values())
    mentioned_by: dict[str, set[str]] = {}
    for table, held in tables.items():
        for name in held:
            mentioned_by.setdefault(first_word(name), set()).add(table)
    work: list[str] = []
    for function in functions:
        words = words_of(function)
        if words is None:
            work += keys[id(function)]
            continue
        if may_launch(words):
            work += keys[id(function)]
        for word in known & words:
            mentioned_by.setdefault(word, set()).update(keys[id(function)])
    reached: set[str] = set()
    while work:
        key = work.pop()
        if key not in reached:
            reached.add(key)
            work += mentioned_by.get(key, ())
    return [f for f in functions if not keys[id(f)].isdisjoint(reached)]
