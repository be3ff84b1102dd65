"""What OpenMP's directives mean where they stand in a function."""

from __future__ import annotations

from typing import Final

from roofline_core.program.directives import Directive
from roofline_parsers.cuda.directive_forms import DirectiveForms
from roofline_parsers.openmp.directives import (
    DECLARATIVE,
    STANDALONE,
    read_directive,
    read_omp,
)
from roofline_parsers.openmp.orphans import device_form


def _of_pragma(text: str, line: int) -> Directive | None:
    return _executed(read_directive(text, line))


def _of_attribute(text: str, line: int) -> Directive | None:
    return _executed(read_omp(text, line))


def _executed(directive: Directive | None) -> Directive | None:
    """The directive; None for one that only declares something."""
    declares = directive is not None and directive.constructs[0] in DECLARATIVE
    return None if declares else directive


def _stands_alone(directive: Directive) -> bool:
    name = directive.constructs[0]
    if name == "ordered":
        return any(clause.name in ("depend", "doacross") for clause in directive.clauses)
    return name in STANDALONE


OPENMP: Final = DirectiveForms(_of_pragma, _of_attribute, _stands_alone, device_form)
