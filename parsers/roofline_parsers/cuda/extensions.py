"""What other languages add to the reading of C++: the rooms above hand it in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from roofline_core.program.records import record
from roofline_core.program.units import Dialect, Function, TranslationUnit
from roofline_parsers.cuda.directive_forms import DirectiveForms
from roofline_parsers.cuda.found import ScanResult
from roofline_parsers.cuda.source import ParserInput


@record(frozen=True, slots=True)
class DialectForms:
    """What a dialect has besides C++."""

    type_names: frozenset[str]
    """Types that it knows without a declaration."""
    functions: Callable[[Iterable[Function]], tuple[Function, ...]]
    """The functions of a file, in its terms."""


@record(frozen=True, slots=True)
class Extensions:
    """What is read besides CUDA's C++."""

    dialects: Mapping[Dialect, DialectForms] = field(default_factory=dict)
    directives: DirectiveForms | None = None
    """None: pragmas of a language are left out."""
    outline: Callable[[ScanResult, ParserInput, Sequence[TranslationUnit]], None] | None = None
    """Makes kernels of regions inside functions, with what the included files declare."""
