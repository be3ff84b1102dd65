"""From a kernel to its summary: the entry to the walk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.device.assigned import children
from roofline_analysis.device.costs.branch_folding import fold_branches
from roofline_analysis.device.costs.compilers import NVCC, CompilerProfile
from roofline_analysis.device.costs.fma import charge_all
from roofline_analysis.device.costs.sinking import fold, sink
from roofline_analysis.device.interpreter import conversion_operators, places
from roofline_analysis.device.interpreter.calls import call_result
from roofline_analysis.device.interpreter.expressions import evaluate
from roofline_analysis.device.interpreter.kernel_arguments import kernel_argument, required_block
from roofline_analysis.device.interpreter.statements import walk
from roofline_analysis.device.loops.walk import charge_overheads
from roofline_analysis.device.state import conversions, memory
from roofline_analysis.device.state.handed_values import (
    drawn_again,
    put_handed_values,
    put_tickets,
)
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter, DeviceParts
from roofline_analysis.device.state.parameters import parameter as parameter_value
from roofline_analysis.device.values import WARP_SIZE
from roofline_analysis.language.open_types import type_not_given
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.language.types import SCALARS, TYPE_NOT_GIVEN
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_core.program.stages import Stage, stage
from roofline_core.program.types import Type
from roofline_core.program.units import Function

_PARTS: Final = DeviceParts(
    evaluate=evaluate,
    execute=walk,
    call=call_result,
    place_of=places.place_of,
    field_place=places.field_place,
    dereference=places.dereference,
    coerce=conversions.coerce,
    converted=conversion_operators.converted,
    constant_of=conversions.constant_of,
    load=memory.load,
    store=memory.store,
)

NULL: Final = 0
"""What a pointer in an argument is bound to that a launch passes as null."""
_EXPRESSIONS_OF_ONE: Final = 10
"""So many expressions count as a statement where statements are longer than that."""


def new_interpreter(
    kernel: Function,
    types: TypeSystem,
    bindings: Mapping[str, Type | int] | None = None,
    warp_size: int = WARP_SIZE,
    compiler: CompilerProfile = NVCC,
) -> DeviceInterpreter:
    """The walk of a kernel before its first statement, none of its parameters declared."""
    return DeviceInterpreter(
        types.in_dialect(kernel.dialect), kernel, bindings or {}, _PARTS, warp_size, compiler
    )


@stage(Stage.WALK)
def summarise(
    kernel: Function,
    types: TypeSystem,
    bindings: Mapping[str, Type | int] | None = None,
    warp_size: int = WARP_SIZE,
    compiler: CompilerProfile = NVCC,
) -> KernelSummary:
    """Walk a kernel once, for one binding of its template parameters, warp size and compiler.

    Type parameters that ``bindings`` leaves out are taken for ``float`` or ``int``, which the
    summary's ``unknown_sizes`` names; value parameters become symbols, as kernel arguments do.
    ``bindings`` also names pointers of the arguments that are null, by path (``p.data``): the code
    stays as it is for any, but what is tested is counted as for null.
    """
    interpreter = new_interpreter(kernel, types, bindings, warp_size, compiler)
    _take_template_parameters(interpreter, kernel)
    _declare_arguments(interpreter, kernel)
    interpreter.null_arguments = _null_arguments(kernel, bindings or {})
    if kernel.body is not None:
        try:
            walk(interpreter, kernel.body)
        except RecursionError:
            interpreter.note("calls are nested too deeply to be followed", kernel.span.line)
            interpreter.costs.operations.keep_all()
    _name_types_not_given(interpreter, types.in_dialect(kernel.dialect).not_given)
    interpreter.local_arrays.emit(interpreter)
    operations = interpreter.costs.operations
    used = operations.used()
    if interpreter.costs.compiler.sinks_floats:
        if not operations.all_used:
            sink(used)
        fold(used, interpreter.costs.root)
    if not operations.all_used:
        fold_branches(used, interpreter.costs.root, interpreter.costs.compiler)
    slow_paths = charge_all(
        used,
        keeps_needed=interpreter.costs.compiler.keeps_needed_products,
    )
    charge_overheads(interpreter.costs.root, interpreter.costs.compiler)
    for path in slow_paths:  # No part of what makes loops long, nor of their copies' budget.
        if path.parent is not None:
            path.parent.children.append(path)
    handed = interpreter.handed.meanings()
    tickets, numbers = interpreter.handed.tickets, interpreter.loop_notes.numbers
    handed |= drawn_again(numbers, handed, tickets)
    put_handed_values(interpreter.costs.root, handed)
    put_tickets(interpreter.costs.root, handed, tickets)
    summary = KernelSummary(
        kernel=kernel,
        root=interpreter.costs.root,
        params=tuple(p.name for p in kernel.params),
        arrays=tuple(interpreter.arrays.values()),
        shared_bytes=interpreter.shared_bytes,
        assumptions=tuple(interpreter.assumptions),
        value_counts=interpreter.costs.value_counts,
        meanings=interpreter.meanings | handed,
        tickets=tickets,
        loop_numbers=numbers,
        problems=tuple(interpreter.problems),
        barriers=interpreter.handed.barriers,
        required_block=required_block(interpreter),
        asks_warp_size=interpreter.asks_warp_size,
        unknown_sizes=interpreter.unknown_sizes,
        is_whole=not interpreter.gave_up,
        statements=max(interpreter.statements, interpreter.expressions // _EXPRESSIONS_OF_ONE),
        moves_share=interpreter.costs.compiler.moves_share,
    )
    interpreter.close()
    return summary


def _take_template_parameters(interpreter: DeviceInterpreter, kernel: Function) -> None:
    """Give those that no binding names a symbol, their default or a type that is taken for them."""
    for parameter in kernel.template_params:
        if parameter.name in interpreter.types.scope.bindings:
            continue
        if parameter.type is not None:
            interpreter.constants[parameter.name] = parameter_value(
                interpreter, parameter.name, parameter.type
            )
        elif isinstance(parameter.default, Type):
            interpreter.types.bind(parameter.name, interpreter.types.resolve(parameter.default))
        else:
            taken = type_not_given(parameter.name)
            interpreter.types.bind(parameter.name, taken)
            interpreter.unknown_sizes[parameter.name] = SCALARS[taken.name]


def _declare_arguments(interpreter: DeviceInterpreter, kernel: Function) -> None:
    for variable in kernel.params:
        if variable.name:
            value = kernel_argument(interpreter, variable)
            place = interpreter.declare(
                variable.name, interpreter.types.resolve(variable.type), value
            )
            interpreter.arguments[place.slot] = variable.name


def _null_arguments(kernel: Function, bindings: Mapping[str, Type | int]) -> frozenset[str]:
    """The pointers of the arguments that are null, by path."""
    names = {parameter.name for parameter in kernel.params}
    return frozenset(
        path for path, value in bindings.items() if value == NULL and path.split(".")[0] in names
    )


def _name_types_not_given(interpreter: DeviceInterpreter, not_given: Mapping[str, Type]) -> None:
    """Note the sizes of the types that no source defines."""
    if not not_given:
        return
    kernel = interpreter.kernel
    used = {variable.type.name for variable in kernel.params}
    if kernel.body is not None:
        used |= {each.name for each in _types_in(kernel.body)}
    for name in sorted(used.intersection(not_given)):
        size = interpreter.types.size(not_given[name])
        interpreter.unknown_sizes[name] = size or SCALARS[TYPE_NOT_GIVEN.name]


def _types_in(node: object) -> Iterator[Type]:
    """The types that a statement names."""
    for child in children(node):
        named = getattr(child, "type", None)
        if isinstance(named, Type):
            yield named
        yield from _types_in(child)
