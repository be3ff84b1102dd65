"""Directives and the statements they apply to, while a body is read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_core.program.directives import Directive
from roofline_core.program.records import record
from roofline_core.program.statements import Block, Directed, Statement
from roofline_parsers.cuda.directive_forms import DirectiveForms
from roofline_parsers.cuda.grammar import Node, kind
from roofline_parsers.cuda.lowering import Lowering

_ATTRIBUTE: Final = kind("attribute")
_DIRECTIVE: Final = re.compile(
    r'omp\s*::\s*directive\s*\(\s*"(.*?)(?<!\\)"\s*(?:,\s*(\d+)\s*,\s*"(.*)"\s*)?\)', re.DOTALL
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


@record(frozen=True, slots=True)
class Waiting:
    """A directive that has been read and whose statement has not."""

    directive: Directive
    forms: DirectiveForms
    start: tuple[int, int]
    """Where the pragma starts: 0-based row and column."""

    @property
    def stands_alone(self) -> bool:
        """Whether no statement belongs to it."""
        return self.forms.stands_alone(self.directive)


def pragma_directive(lo: Lowering, node: Node) -> Waiting | None:
    """The directive of a pragma's line; None if nothing is executed for it."""
    forms = lo.source.directives
    if forms is None:
        return None
    return _waiting(forms, forms.of_pragma(lo.text(node), lo.line_of(node)), node)


def attribute_directives(lo: Lowering, node: Node) -> list[Waiting]:
    """The directives of ``[[omp::directive("...")]]``, the form of a pragma inside a line."""
    found: list[Waiting] = []
    forms = lo.source.directives
    if forms is None:
        return found
    for attribute in node.children:
        if attribute.kind_id != _ATTRIBUTE:
            continue
        match = _DIRECTIVE.fullmatch(lo.text(attribute))
        if match is not None:
            text = _ESCAPE.sub(r"\1", match[1])
            directive = forms.of_attribute(text, lo.line_of(node))
            if directive is not None and match[2] is not None:
                file = Path(_ESCAPE.sub(r"\1", match[3]))
                directive = replace(directive, included_line=int(match[2]), included_file=file)
            waiting = _waiting(forms, directive, node)
            found += [] if waiting is None else [waiting]
    return found


def _waiting(forms: DirectiveForms, directive: Directive | None, node: Node) -> Waiting | None:
    if directive is None:
        return None
    point = node.start_point
    return Waiting(directive, forms, (point[0], point[1]))


def alone(lo: Lowering, waiting: Waiting) -> Statement:
    """The statement that a directive is by itself."""
    start = waiting.start
    span = lo.source.span(start, start)
    form = waiting.forms.on_device(waiting.directive, None)
    return Directed(waiting.directive.line, waiting.directive, None, span, form)


def attached(
    lo: Lowering, waiting: list[Waiting], node: Node, read: Statement | None
) -> Statement | None:
    """A statement under the directives before it, outermost first; None if there is nothing."""
    end = (node.end_point[0], node.end_point[1])
    for item in reversed(waiting):
        line = item.directive.line
        if item.stands_alone:
            before = alone(lo, item)
            read = before if read is None else Block(line, (before, read))
            continue
        body = Block(line, ()) if read is None else read
        span = lo.source.span(item.start, end)
        form = item.forms.on_device(item.directive, body)
        read = Directed(line, item.directive, body, span, form)
    return read
