"""A hash of all code that a kernel runs; a measurement is valid while the hash is equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from roofline_core.program.units import Function


def by_name(functions: Iterable[Function]) -> dict[str, list[Function]]:
    """The functions that have a body, by their unqualified names."""
    found: dict[str, list[Function]] = {}
    for function in functions:
        if function.has_body:
            found.setdefault(function.name, []).append(function)
    return found


def body_hash(kernel: Function, functions: Mapping[str, Sequence[Function]]) -> str:
    """A short hash of a kernel's text and of all functions that it may call, as preprocessed.

    ``functions`` are those of its program, by ``by_name``. Comments and blanks do not count, nor
    where the code stands; the values of macros do, the numbers that the host passes do not.
    """
    seen: dict[int, Function] = {id(kernel): kernel}
    waiting = [kernel]
    while waiting:
        words = waiting.pop().words
        if words is None:
            continue
        for name in words.intersection(functions):
            for callee in functions[name]:
                if id(callee) not in seen and callee.name != "main":
                    seen[id(callee)] = callee
                    waiting.append(callee)
    called = sorted(each.fingerprint for each in seen.values() if each is not kernel)
    text = "\n".join((kernel.fingerprint, *called))
    return blake2b(text.encode(), digest_size=8).hexdigest()
