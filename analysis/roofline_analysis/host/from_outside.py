"""Functions executed from outside: with unknown parameters, whatever ends them."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.effects.class_numbers import class_numbers
from roofline_analysis.host.options import Stop
from roofline_analysis.host.state.access import is_class
from roofline_analysis.host.state.instantiations import Bindings
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.invoke import invoke
from roofline_analysis.host.state.memory import Cell, HostPlace, Storage
from roofline_analysis.host.state.signals import BudgetSpent, ProgramExit
from roofline_analysis.host.state.types import (
    class_bindings,
    known_bindings,
    owner_type,
    resolve,
)
from roofline_analysis.host.values import (
    Aggregate,
    OpaqueValue,
    Pointer,
    Scalar,
    Value,
)
from roofline_analysis.language.open_types import type_not_given
from roofline_analysis.names.usual_numbers import template_number
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.crash import internal_error
from roofline_core.program.errors import RooflineError
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, TemplateParameter


def protected(
    interpreter: HostInterpreter,
    function: Function,
    args: Sequence[HostPlace],
    bindings: dict[str, Type | Expr],
    this: Aggregate | None,
) -> None:
    """Execute a function from outside; whatever ends it, the interpreter is left in order."""
    interpreter.enter(None, {})
    before = interpreter.steps
    try:
        invoke(interpreter, function, args, bindings, this)
    except ProgramExit:
        pass
    except BudgetSpent as spent:
        done = interpreter.steps - before - 1
        interpreter.stops.append(Stop(function.name, done, spent.path, spent.line))
    except RecursionError:
        interpreter.problem(
            f"'{function.name}' was not followed to its end: it nests too deeply", None
        )
    except RooflineError:
        raise
    except Exception as error:
        what = f"in host function '{function.name}', whose launches may be missing"
        line = function.name_span.line
        interpreter.faults.append(internal_error(error, what, function.path, line))
    finally:
        interpreter.frames.clear()
        interpreter.journals.clear()
        interpreter.repeat.clear()
        interpreter.doubt = interpreter.quiet = 0
        interpreter.limit = interpreter.options.statement_budget


def standalone(interpreter: HostInterpreter, function: Function, given: Bindings) -> None:
    """Execute an instance of a function with parameters and members of which nothing is known."""
    bindings: dict[str, Type | Expr] = {}
    this = None
    interpreter.enter(None, bindings)
    interpreter.doubt = 1
    owner = interpreter.symbols.find_struct(function.owner) if function.owner is not None else None
    numbers = {
        parameter.name: 0 if parameter.type.name == "bool" else template_number(parameter.name)
        for parameter in function.template_params
        if parameter.type is not None
        and parameter.name in class_numbers(function)
        and parameter.name not in given
    }
    for parameter in function.template_params:
        if parameter.name in numbers:
            bindings[parameter.name] = constant(numbers[parameter.name])
        elif parameter.type is not None:
            bindings[parameter.name] = _parameter_number(interpreter, function, parameter)
        elif isinstance(parameter.default, Type):
            bindings[parameter.name] = parameter.default
    if owner is not None:
        bindings.update(class_bindings(interpreter, Type(owner.qualified_name)))
        for parameter in owner.template_params:
            if parameter.type is not None and not parameter.pack and parameter.name not in bindings:
                bindings[parameter.name] = _parameter_number(interpreter, function, parameter)
    bindings.update(given)
    params = (*(owner.template_params if owner is not None else ()), *function.template_params)
    interpreter.open_types = tuple(
        p.name for p in params if p.type is None and not p.pack and p.name not in bindings
    )
    bindings.update({name: type_not_given(name) for name in interpreter.open_types})
    interpreter.open_numbers = numbers
    if owner is not None and "static" not in function.qualifiers:
        this = Aggregate(owner_type(owner, known_bindings(bindings)))
    args = [_unknown_argument(interpreter, formal, function) for formal in function.params]
    interpreter.frames.pop()
    interpreter.doubt = 1
    protected(interpreter, function, args, bindings, this)
    interpreter.open_types = ()
    interpreter.open_numbers = MappingProxyType({})


def _parameter_number(
    interpreter: HostInterpreter, function: Function, parameter: TemplateParameter
) -> Expr:
    why = f"{function.name}() is not instantiated in the program"
    if parameter.type is not None and parameter.type.name == "bool":
        return interpreter.unknown(parameter.name, why, "bool").value
    number = template_number(parameter.name)
    return interpreter.unknown(parameter.name, why, "int", assumed=number).value


def _unknown_argument(
    interpreter: HostInterpreter, formal: Variable, function: Function
) -> HostPlace:
    type = resolve(interpreter, formal.type)
    name = formal.name or "a parameter"
    why = f"no call of {function.name}() is followed"
    value: Value
    if type.name in SCALARS and not type.pointers:
        value = interpreter.unknown(name, why, type.name, line=formal.line)
    elif type.pointers or type.dims:
        element = type.pointee()
        value = Pointer(Storage(name, BufferSpace.DEVICE, None, element), ZERO, element)
    elif type.name == "dim3":
        fields: dict[str, Value] = {}
        for axis in "xyz":
            assumed = 64 if axis == "x" else 1
            extent = interpreter.unknown(f"{name}.{axis}", why, "unsigned int", assumed=assumed)
            fields[axis] = Scalar(extent.value, "unsigned int")
        value = Aggregate(type, fields)
    elif is_class(interpreter, type):
        value = Aggregate(Type(type.name, type.args))
    else:
        value = OpaqueValue(name, why, type if type.name != "auto" else None)
    return Cell(name, type, value)
