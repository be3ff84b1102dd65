"""OpenMP directives in host code: target regions, which launch kernels, and all others."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.effects.node_effects import root_name
from roofline_analysis.host.launches.contexts import record
from roofline_analysis.host.launches.launch_forms import Shape
from roofline_analysis.host.launches.offload_geometry import OffloadRequest, offload_geometry
from roofline_analysis.host.launches.written_contents import forget_written
from roofline_analysis.host.state.havoc import forget_value
from roofline_analysis.host.state.interpreter_state import Executors, HostInterpreter
from roofline_analysis.host.state.memory import HostPlace
from roofline_analysis.host.state.signals import Signal
from roofline_analysis.host.state.templates import bind
from roofline_analysis.host.values import LaunchContext, Origin, Scalar
from roofline_core.algebra.symbolic import ONE, ZERO, Expr
from roofline_core.program.expressions import Expression
from roofline_core.program.statements import Directed, Offload
from roofline_core.program.types import Type


def _directed(interpreter: HostInterpreter, node: Directed) -> Signal | None:
    return interpreter.exec(node.body) if node.body is not None else None


def _offload(interpreter: HostInterpreter, node: Offload) -> Signal | None:
    """Record the launch of a target region and forget what its kernel may write."""
    places = [interpreter.place(argument) for argument in node.args]
    teams_asked, limit, trips = (
        _number(interpreter, each) for each in (node.teams, node.thread_limit, node.trips)
    )
    # A parallel region inside cannot ask for more threads than were launched.
    asked = _number(interpreter, node.threads) if node.directive.clause("num_threads") else None
    request = OffloadRequest(node.mode, *map(_value, (teams_asked, limit, asked, trips)))
    teams, threads = offload_geometry(request, interpreter.assumed_value)
    interpreter.count_launch()
    kernel = node.kernel
    # The kernel is a part of the function around it and sees that one's template parameters.
    bindings: dict[str, Type | Expr] = dict(interpreter.frame.bindings)
    own = [p for p in kernel.template_params if p.name not in bindings]
    bindings.update(bind(interpreter, own, None, kernel, places))
    shape = Shape(
        (teams, ONE, ONE),
        (threads, ONE, ONE),
        ZERO,
        _origin(teams_asked, trips),
        _origin(asked, limit),
    )
    launch = record(interpreter, node, kernel, bindings, shape, places)
    _forget_written(interpreter, node, places, launch)
    return None


def _number(interpreter: HostInterpreter, node: Expression | None) -> Scalar | None:
    return interpreter.number(interpreter.eval(node), "int") if node is not None else None


def _value(number: Scalar | None) -> Expr | None:
    return number.value if number is not None else None


def _origin(*numbers: Scalar | None) -> Origin | None:
    """Where the first of some numbers that is given came from."""
    return next((number.origin for number in numbers if number is not None), None)


def _forget_written(
    interpreter: HostInterpreter,
    node: Offload,
    places: list[HostPlace],
    launch: LaunchContext | None,
) -> None:
    effects = interpreter.reach.effects(node)
    stored = {root_name(store) for store in effects.stores}
    parameters = [parameter.name for parameter in node.kernel.params]
    for position, (argument, place) in enumerate(zip(node.args, places, strict=False)):
        name = root_name(argument)
        held = place.get()
        if name in effects.names and isinstance(held, Scalar):
            forget_value(interpreter, place, "a target region assigns it")
        elif name in stored or name in effects.names:
            named = position < len(parameters)
            parameter = parameters[position] if named else ""
            forget_written(interpreter, place, parameter, launch if named else None)


EXECUTORS: Final[Executors] = {
    Directed: _directed,
    Offload: _offload,
}
