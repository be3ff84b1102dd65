"""Parameter packs: what one holds, and what an expansion of it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roofline_analysis.host.effects.traversal import walk
from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, HostPlace
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import OpaqueValue, Value
from roofline_core.program.expressions import Expression, Name
from roofline_core.program.records import record
from roofline_core.program.statements import Variable
from roofline_core.program.units import TemplateParameter

_COUNT = re.compile(r"sizeof\s*\.\.\.\s*\(\s*(\w+)\s*\)")


@record(frozen=True, slots=True)
class Pack(OpaqueValue):
    """The arguments that a parameter pack took; to any reader but an expansion it is opaque."""

    places: tuple[HostPlace, ...] = ()


def bind_pack(
    interpreter: HostInterpreter,
    templates: Sequence[TemplateParameter],
    params: Sequence[Variable],
    args: Sequence[HostPlace],
    scope: dict[str, HostPlace],
) -> None:
    """Give a pack among a function's parameters the arguments that no other parameter takes.

    The pack of their types gets the same value, so that ``sizeof...`` can count either.
    """
    packs = {parameter.name for parameter in templates if parameter.pack}
    for position, formal in enumerate(params):
        if formal.type.name in packs:
            taken = args[position : len(args) - (len(params) - position - 1)]
            places = tuple(_element(interpreter, formal, place) for place in taken)
            pack = Cell(formal.name, AUTO, Pack(formal.name, "it is a parameter pack", None, None,
            places))  # fmt: skip
            scope[formal.name] = scope[formal.type.name] = pack
            interpreter.packs = True
            return


def _element(interpreter: HostInterpreter, formal: Variable, place: HostPlace) -> HostPlace:
    if formal.type.reference and place.name:
        return place
    return Cell(place.name or formal.name, place.type, rvalue(interpreter, place))


def argument_places(interpreter: HostInterpreter, nodes: Sequence[Expression]) -> list[HostPlace]:
    """The places of a call's arguments, with packs expanded."""
    if not interpreter.packs:
        return [interpreter.place(node) for node in nodes]
    found: list[HostPlace] = []
    for node in nodes:
        expanded = expansion(interpreter, node)
        found += [interpreter.place(node)] if expanded is None else expanded
    return found


def expansion(interpreter: HostInterpreter, node: Expression) -> list[HostPlace] | None:
    """What an expansion of a pack stands for; None for an expression that mentions none."""
    packs = _packs_in(interpreter, node) if interpreter.packs else None
    return list(_each(interpreter, node, packs)) if packs else None


def _each(
    interpreter: HostInterpreter, node: Expression, packs: dict[str, Pack]
) -> Iterator[HostPlace]:
    scopes = interpreter.frame.scopes
    for position in range(min(len(pack.places) for pack in packs.values())):
        scopes.append({name: pack.places[position] for name, pack in packs.items()})
        try:
            yield interpreter.place(node)
        finally:
            scopes.pop()


def _packs_in(interpreter: HostInterpreter, node: Expression) -> dict[str, Pack]:
    found: dict[str, Pack] = {}
    for part in walk(node):
        if isinstance(part, Name) and part.name not in found:
            place = find_variable(interpreter, part.name)
            held = place.get() if place is not None else None
            if isinstance(held, Pack):
                found[part.name] = held
    return found


def pack_size(interpreter: HostInterpreter, text: str) -> Value | None:
    """The value of ``sizeof...(pack)``; None for any other text."""
    match = _COUNT.fullmatch(text.strip())
    place = find_variable(interpreter, match.group(1)) if match is not None else None
    held = place.get() if place is not None else None
    return integer(len(held.places), "unsigned long") if isinstance(held, Pack) else None
