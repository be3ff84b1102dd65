"""From a kernel to its summary: the entry to the walk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.device.costs.fma import charge_all
from roofline_analysis.device.interpreter import places
from roofline_analysis.device.interpreter.expressions import evaluate
from roofline_analysis.device.interpreter.kernel_arguments import kernel_argument, required_block
from roofline_analysis.device.interpreter.statements import walk
from roofline_analysis.device.state import conversions, memory
from roofline_analysis.device.state.walker import DeviceInterpreter, Parts
from roofline_analysis.device.values import WARP_SIZE
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.language.types import SCALARS
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_core.program.stages import Stage, stage
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_PARTS: Final = Parts(
    evaluate=evaluate,
    execute=walk,
    place_of=places.place_of,
    field_place=places.field_place,
    dereference=places.dereference,
    coerce=conversions.coerce,
    constant_of=conversions.constant_of,
    load=memory.load,
    store=memory.store,
)


_TYPE_NOT_GIVEN: Final = Type("float")
"""What a type parameter is taken for that no launch and no instantiation fixes."""


def new_walker(
    kernel: Function,
    types: TypeSystem,
    bindings: Mapping[str, Type | int] | None = None,
    warp_size: int = WARP_SIZE,
) -> DeviceInterpreter:
    """The walk of a kernel before its first statement, none of its parameters declared."""
    return DeviceInterpreter(
        types.in_dialect(kernel.dialect), kernel, bindings or {}, _PARTS, warp_size
    )


@stage(Stage.WALK)
def summarise(
    kernel: Function,
    types: TypeSystem,
    bindings: Mapping[str, Type | int] | None = None,
    warp_size: int = WARP_SIZE,
) -> KernelSummary:
    """Walk a kernel once, for one binding of its template parameters and one size of warps.

    Type parameters that ``bindings`` leaves out are taken for ``float``, which the summary's
    ``unknown_sizes`` names; value parameters become symbols, as kernel arguments do.
    """
    walker = new_walker(kernel, types, bindings, warp_size)
    for parameter in kernel.template_params:
        if parameter.name in walker.types.scope.bindings:
            continue
        if parameter.type is not None:
            walker.constants[parameter.name] = walker.parameter(parameter.name, parameter.type)
        elif isinstance(parameter.default, Type):
            walker.types.bind(parameter.name, walker.types.resolve(parameter.default))
        else:
            walker.types.bind(parameter.name, _TYPE_NOT_GIVEN)
            walker.unknown_sizes[parameter.name] = SCALARS[_TYPE_NOT_GIVEN.name]
    for variable in kernel.params:
        if variable.name:
            value = kernel_argument(walker, variable)
            place = walker.declare(variable.name, walker.types.resolve(variable.type), value)
            walker.arguments[place.slot] = variable.name
    if kernel.body is not None:
        try:
            walk(walker, kernel.body)
        except RecursionError:
            walker.note("calls are nested too deeply to be followed", kernel.span.line)
            walker.machine.operations.keep_all()
    walker.local_arrays.emit(walker)
    charge_all(walker.machine.operations.used())
    return KernelSummary(
        kernel=kernel,
        root=walker.machine.root,
        params=tuple(p.name for p in kernel.params),
        arrays=tuple(walker.arrays.values()),
        shared_bytes=walker.shared_bytes,
        assumptions=tuple(walker.assumptions),
        meanings=walker.meanings,
        problems=tuple(walker.problems),
        barriers=walker.barriers,
        required_block=required_block(walker),
        asks_warp_size=walker.asks_warp_size,
        unknown_sizes=walker.unknown_sizes,
    )
