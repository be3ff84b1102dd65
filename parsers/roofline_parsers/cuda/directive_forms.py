"""What directives mean; the room of their language tells it, this one knows where they stand."""

from __future__ import annotations

from collections.abc import Callable

from roofline_core.program.directives import Directive
from roofline_core.program.records import record
from roofline_core.program.statements import Statement


@record(frozen=True, slots=True)
class DirectiveForms:
    """How directives are read, and what they make of the statements after them."""

    of_pragma: Callable[[str, int], Directive | None]
    """The directive of a pragma's text on a line; None if nothing is executed for it."""
    of_attribute: Callable[[str, int], Directive | None]
    """Likewise of the text in ``[[omp::directive("...")]]``."""
    stands_alone: Callable[[Directive], bool]
    """Whether no statement belongs to it."""
    on_device: Callable[[Directive, Statement | None], Callable[[], Statement | None] | None]
    """Gives what one GPU thread does for it; None if that is what the statement says."""
