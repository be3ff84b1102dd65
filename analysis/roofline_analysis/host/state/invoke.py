"""Executing the body of a function, method or lambda with given arguments."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.host.state.access import load, rvalue, to_rows
from roofline_analysis.host.state.havoc import forget_call
from roofline_analysis.host.state.interpreter_state import MAX_DEPTH, SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import AUTO, Cell, Closure, HostFrame, HostPlace
from roofline_analysis.host.state.names import method_scope
from roofline_analysis.host.state.operators import convert, copied
from roofline_analysis.host.state.packs import bind_pack
from roofline_analysis.host.state.signals import BudgetSpent, ProgramExit
from roofline_analysis.host.state.templates import bind, chosen_overload
from roofline_analysis.host.state.types import as_host_bindings, class_of, resolve
from roofline_analysis.host.values import (
    Aggregate,
    FunctionValue,
    OpaqueValue,
    Scalar,
    Value,
)
from roofline_analysis.language.scope import Scope
from roofline_core.algebra.symbolic import Expr, apply
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, TemplateParameter


def call(
    interpreter: HostInterpreter,
    value: FunctionValue,
    args: Sequence[HostPlace],
    this: Aggregate | None = None,
    object_type: Type | None = None,
) -> HostPlace | None:
    """Call the overload that fits; None where it has no body to execute.

    ``object_type`` is the type of the object as the call sees it: ``const``, a temporary.
    """
    first = value.functions[0]
    if first.owner is not None and this is None and "static" not in first.qualifiers:
        this = interpreter.frame.this if interpreter.frames else None
        caller = interpreter.frame.function if interpreter.frames else None
        if this is not None and caller is not None:
            object_type = Type(this.type.name, const="const" in caller.qualifiers)
    scope = method_scope(interpreter, first, this)
    chosen = chosen_overload(interpreter, value, args, scope, object_type)
    if chosen is None or chosen.function.body is None:
        return None
    function = chosen.function
    bindings: dict[str, Type | Expr] = {}
    if function.owner is not None:
        bindings = _class_names(interpreter, function, scope, this)
    if function.template_args is None or function.template_params:
        own = bind(
            interpreter, function.template_params, value.template_args, function, args, scope
        )
        bindings.update(own)
    place = invoke(interpreter, function, args, bindings, this)
    return place if chosen.certain else _in_doubt(interpreter, function, place)


def _in_doubt(interpreter: HostInterpreter, function: Function, place: HostPlace) -> HostPlace:
    """The result of a call that may mean another function, assumed to be what this one gave."""
    value = place.get()
    if not isinstance(value, Scalar):
        return place
    why = "what is known of the arguments does not tell which overload is called"
    name = f"result of {function.name}()"
    assumed = interpreter.assumed_value(value.value)
    return Cell("", AUTO, interpreter.unknown(name, why, value.type_name, assumed=assumed))


def _class_names(
    interpreter: HostInterpreter, function: Function, scope: Scope, this: Aggregate | None
) -> dict[str, Type | Expr]:
    """The template parameters of a method's class, symbolic ones of the caller's included."""
    if this is not None or interpreter.frame.owner is None:
        return as_host_bindings(scope.bindings)
    return {**interpreter.frame.bindings, **as_host_bindings(scope.bindings)}


def invoke(
    interpreter: HostInterpreter,
    function: Function,
    args: Sequence[HostPlace],
    bindings: dict[str, Type | Expr],
    this: Aggregate | None = None,
) -> HostPlace:
    """Execute a function; the place is a temporary unless it returns a reference."""
    body = function.body
    recursive = sum(frame.function is function for frame in interpreter.frames)
    if body is None or len(interpreter.frames) >= MAX_DEPTH or recursive > 12:
        return unknown_result(interpreter, function)
    owner = interpreter.symbols.find_struct(function.owner) if function.owner is not None else None
    quiet = not interpreter.reach.function_can_launch(function)
    left_out = (
        id(function) in interpreter.slow_calls or (interpreter.doubt and recursive > 2)
        if quiet
        else interpreter.alone and len(interpreter.frames) > 1
    )
    if left_out:
        forget_call(interpreter, function, args, this)
        return unknown_result(interpreter, function)
    saved_limit = interpreter.limit
    outermost = quiet and not interpreter.quiet
    if outermost:
        interpreter.limit = min(saved_limit, interpreter.steps + interpreter.options.call_budget)
    interpreter.quiet += quiet
    depth, journals, doubt = len(interpreter.frames), len(interpreter.journals), interpreter.doubt
    frame = interpreter.enter(function, bindings, this=this, owner=owner)
    guards = len(interpreter.threads.guards) if interpreter.threads is not None else 0
    try:
        bind_parameters(interpreter, function.params, args, frame.scopes[0])
        bind_pack(interpreter, function.template_params, function.params, args, frame.scopes[0])
        run_initialisers(interpreter, function)
        interpreter.exec(body)
    except RecursionError:
        del interpreter.frames[depth:], interpreter.journals[journals:]
        interpreter.doubt = doubt
        forget_call(interpreter, function, args, this)
        return unknown_result(interpreter, function)
    except ProgramExit:
        # An error exit at the end of a search that was not decided, say, is not what happens.
        if not (frame.may_be_left or (interpreter.forced and outermost)):
            raise
        interpreter.doubt = doubt
        forget_call(interpreter, function, args, this)
        return unknown_result(interpreter, function)
    except BudgetSpent:
        if not outermost or interpreter.spent:
            raise
        interpreter.slow_calls.add(id(function))
        del interpreter.frames[depth:], interpreter.journals[journals:]
        interpreter.doubt = doubt
        forget_call(interpreter, function, args, this)
        return unknown_result(interpreter, function)
    finally:
        del interpreter.frames[depth:]
        if interpreter.threads is not None:
            del interpreter.threads.guards[guards:]
        interpreter.quiet -= quiet
        if outermost and not interpreter.spent:
            interpreter.limit = saved_limit
    if frame.alternatives and frame.result_place is None:
        frame.result = _joined_result(interpreter, function, frame)
    return _result(interpreter, function, frame.result_place, frame.result)


def _joined_result(
    interpreter: HostInterpreter, function: Function, frame: HostFrame
) -> Value | None:
    """The result of a function that may have returned earlier than it was followed to."""
    last = frame.result
    if not isinstance(last, Scalar):
        return last
    bounded = _bounded([each for each in (last, *frame.alternatives) if isinstance(each, Scalar)])
    if bounded is not None:
        return Scalar(bounded, last.type_name, last.origin)
    for value in frame.alternatives:
        if not (isinstance(value, Scalar) and value.value == last.value):
            why = "the function may return earlier, on a condition that is not decided"
            name = f"result of {function.name}()"
            assumed = _usual(interpreter, (last, *frame.alternatives))
            return interpreter.unknown(name, why, last.type_name, assumed=assumed)
    return last


def _bounded(results: Sequence[Scalar]) -> Expr | None:
    """One number that a function computes, within the known ones that it may return instead.

    Those of 1 and less stand for what is empty or small, larger ones for a limit. None where it
    computes several numbers, or none.
    """
    computed = {each.value for each in results if each.value.constant is None}
    known = [each.value.constant for each in results if each.value.constant is not None]
    if len(computed) != 1 or not known:
        return None
    (number,) = computed
    limits = [each for each in known if each > 1]
    if limits:
        number = apply("min", number, min(limits))
    return apply("max", number, 1) if 1 in known else number


def _usual(interpreter: HostInterpreter, results: Sequence[Value | None]) -> float | None:
    """The value to assume of a function with several results: the smallest that is positive.

    Functions that return early mostly keep a count below a limit, such as that of blocks.
    """
    scalars = (each.value for each in results if isinstance(each, Scalar))
    values = [interpreter.assumed_value(each) for each in scalars]
    known = [each for each in values if each is not None]
    return min((each for each in known if each > 0), default=known[0] if known else None)


def _result(
    interpreter: HostInterpreter, function: Function, place: HostPlace | None, value: Value | None
) -> HostPlace:
    if place is not None:
        return place
    if value is None:
        if function.return_type.name == "void" and not function.return_type.pointers:
            return Cell("", AUTO, OpaqueValue(f"{function.name}()", "it returns nothing"))
        return unknown_result(interpreter, function)
    returned = resolve(interpreter, function.return_type)
    return Cell("", returned if returned.enumeration else AUTO, value)


def unknown_result(interpreter: HostInterpreter, function: Function) -> HostPlace:
    """What a call gives that was not followed."""
    type = resolve(interpreter, function.return_type)
    name = f"result of {function.name}()"
    known = type if type.name not in ("auto", "void") or type.pointers else None
    return Cell("", AUTO, OpaqueValue(name, "the function was not followed to its end", known))


def bind_parameters(
    interpreter: HostInterpreter,
    params: Sequence[Variable],
    args: Sequence[HostPlace],
    scope: dict[str, HostPlace],
) -> None:
    """Give parameters their arguments in the frame of the callee, defaults filled in."""
    for position, formal in enumerate(params):
        if not formal.name:
            continue
        type = resolve(interpreter, formal.type)
        if position >= len(args):
            value = interpreter.eval(formal.init) if formal.init is not None else None
            if value is not None:
                value = convert(interpreter, value, type)
            scope[formal.name] = Cell(formal.name, type, value)
            continue
        place = args[position]
        held = place.get()
        is_list = isinstance(held, Aggregate) and held.type.name == "initializer_list"
        if type.reference and not is_list and (place.name or type.name == "auto"):
            scope[formal.name] = seen_as(place, type)
            continue
        value = rvalue(interpreter, place) if type.reference and type.name != "auto" else None
        if isinstance(value, Aggregate) and value.type.name != "initializer_list":
            scope[formal.name] = Cell(formal.name, type, value)  # A temporary, not a copy of it.
        else:
            scope[formal.name] = Cell(formal.name, type, passed(interpreter, place, type))


def seen_as(place: HostPlace, type: Type) -> HostPlace:
    """What a reference of this (resolved) type names: an object that it sees as ``const``."""
    held = place.get()
    if not type.const or not isinstance(held, Aggregate) or place.type.const:
        return place
    return Cell(place.name, type if type.name != "auto" else place.type, held)


def sliced(interpreter: HostInterpreter, value: Value, type: Type) -> Value:
    """A copied object as one of the base class that it is copied to."""
    if isinstance(value, Aggregate) and value.type.name != type.name:
        lost = interpreter.types.classes.fields_above(value.type, type)
        if lost is not None:
            for name in lost.intersection(value.fields):
                del value.fields[name]
            value.type = type
    return value


def passed(interpreter: HostInterpreter, place: HostPlace, type: Type) -> Value:
    """An argument passed by value as a parameter of this (resolved) type."""
    value = rvalue(interpreter, place)
    if isinstance(value, Aggregate):
        if value.type.name == "initializer_list" and type.name not in SCALARS:
            return interpreter.construct(type, [Cell("", AUTO, v) for v in value.fields.values()])
        struct = class_of(interpreter, value.type) if place.name else None
        if (
            struct is not None
            and value.type.name == type.name
            and interpreter.symbols.copies_itself(struct)
        ):
            return interpreter.construct(type, [place])
        value = sliced(interpreter, copied(value) or value, type)
    if len(type.dims) > 1:
        return to_rows(value, type)
    if type.dims:
        type = type.pointee().pointer_to()
    return convert(interpreter, value, type)


def run_initialisers(interpreter: HostInterpreter, function: Function) -> None:
    """Execute a constructor's ``: field(args)`` list."""
    for name, args in function.initializers:
        interpreter.construct_field(name, args)


def call_closure(
    interpreter: HostInterpreter, closure: Closure, args: Sequence[HostPlace]
) -> HostPlace:
    """Call a lambda in the scope it was made in."""
    node, frame = closure.function, closure.frame
    if node is None or frame is None or len(interpreter.frames) >= MAX_DEPTH:
        return Cell("", AUTO, OpaqueValue("result of a lambda", "it was not followed"))
    inner = interpreter.enter(
        frame.function, dict(frame.bindings), this=frame.this, owner=frame.owner
    )
    inner.scopes = [*frame.scopes, {}]
    try:
        for formal, place in zip(node.params, args, strict=False):
            if formal.type.name == "auto":
                inner.scopes[-1][formal.name] = (
                    place
                    if formal.type.reference
                    else Cell(formal.name, AUTO, load(interpreter, place))
                )
        rest = [p for p in node.params if p.name not in inner.scopes[-1]]
        positions = [place for p, place in zip(node.params, args, strict=False) if p in rest]
        bind_parameters(interpreter, rest, positions, inner.scopes[-1])
        if node.params and len(args) > len(node.params) and node.params[-1].type.name == "auto":
            pack = TemplateParameter("auto", None, None, pack=True)
            bind_pack(
                interpreter,
                [pack],
                node.params[-1:],
                args[len(node.params) - 1 :],
                inner.scopes[-1],
            )
        interpreter.exec(node.body)
    finally:
        interpreter.frames.pop()
    if inner.result_place is not None:
        return inner.result_place
    return Cell("", AUTO, inner.result or OpaqueValue("a lambda", "it returns nothing"))
