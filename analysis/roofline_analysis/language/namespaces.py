"""Names written out where a namespace has another one: ``namespace m = a::b``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MAX_NAMESPACE_ALIASES: Final = 4
"""Aliases of namespaces within one name that are written out."""


def without_namespace_aliases(name: str, namespace_of: Callable[[str], str | None]) -> str:
    """A name with ``a::b::`` in the place of ``m::``, of aliases of aliases too.

    ``namespace_of`` says what a name in front of ``::`` stands for; None where it is no alias.
    """
    for _ in range(MAX_NAMESPACE_ALIASES if "::" in name else 0):
        written = _written_once(name, namespace_of)
        if written == name:
            break
        name = written
    return name


def _written_once(name: str, namespace_of: Callable[[str], str | None]) -> str:
    prefix, _, rest = name.rpartition("::")
    while prefix:
        space = namespace_of(prefix)
        if space is not None:
            return f"{space}::{rest}"
        prefix, _, last = prefix.rpartition("::")
        rest = f"{last}::{rest}"
    return name


def same_name(one: str, other: str) -> bool:
    """Whether two names may be of one thing: either may be written without its namespaces."""
    return one == other or one.endswith(f"::{other}") or other.endswith(f"::{one}")
