"""Abstract execution of a host program, from ``main`` and then from what ``main`` leaves out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.effects.class_numbers import class_numbers
from roofline_analysis.host.effects.node_effects import function_effects
from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.interpreter import calls, choices, creation, expressions, statements
from roofline_analysis.host.launches import contexts, offload
from roofline_analysis.host.launches.device_launches import follow_device_launches
from roofline_analysis.host.launches.sizes_by_role import assume_by_role
from roofline_analysis.host.launches.sizes_from_occupancy import assume_full_launches
from roofline_analysis.host.libraries.getopt import define_builtins
from roofline_analysis.host.loops import execution
from roofline_analysis.host.objects import construction, initialisers
from roofline_analysis.host.options import AskedProperties, HostOptions, HostResult, Stop
from roofline_analysis.host.state.access import is_class
from roofline_analysis.host.state.instantiations import Bindings, instances_of, record_instances
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter, HostParts
from roofline_analysis.host.state.invoke import invoke
from roofline_analysis.host.state.memory import Cell, HostPlace, Storage
from roofline_analysis.host.state.names import variable_type
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.state.reading import ReadingState
from roofline_analysis.host.state.signals import BudgetSpent, ProgramExit
from roofline_analysis.host.state.types import (
    class_bindings,
    known_bindings,
    owner_type,
    resolve,
)
from roofline_analysis.host.values import (
    ARGUMENT_COUNT,
    Aggregate,
    OpaqueValue,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_analysis.language.open_types import type_not_given
from roofline_analysis.names.usual_numbers import template_number
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.crash import guarded, internal_error
from roofline_core.program.errors import RooflineError
from roofline_core.program.stages import Stage, stage
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Program, TemplateParameter

_PARTS: Final = HostParts(
    evaluators={
        **expressions.EVALUATORS,
        **choices.EVALUATORS,
        **creation.EVALUATORS,
        **calls.EVALUATORS,
        **contexts.EVALUATORS,
    },
    locators={**expressions.LOCATORS, **choices.LOCATORS, **creation.LOCATORS, **calls.LOCATORS},
    executors={**statements.EXECUTORS, **execution.EXECUTORS, **offload.EXECUTORS},
    construct=construction.construct,
    construct_field=construction.construct_field,
    declared_value=construction.declared_value,
    initialise=initialisers.initialise,
    variable_type=variable_type,
)

_PROGRAM_NAME = "program"
_SHARING: Final = 25
"""Functions around launch sites that share ``HostOptions.rest_budget``; of more, each adds to it.

This and the next two are limits on the work."""
_MOST_SHARES: Final = 4
"""The most shares that one function uses, where there are so many."""
_LAUNCHES_EACH: Final = 4
"""Distinct launches kept for each of them, where there are so many."""
_MAX_MAINS = 4
"""The most functions ``main`` that are executed, until one launches. A limit on the work."""


def new_interpreter(program: Program, options: HostOptions) -> HostInterpreter:
    """The execution of a program before its first statement."""
    return HostInterpreter(program, options, _PARTS)


@stage(Stage.HOST)
def execute_host(
    program: Program, argv: Sequence[str] | None, options: HostOptions | None = None
) -> HostResult:
    """Follow the host code of a program to its kernel launches.

    ``argv`` are the arguments after the program's name; None if they are not known, which makes
    ``argc`` and each argument a named unknown. Launches come in the order they are met from
    ``main``; launch sites that ``main`` does not lead to follow, from executing the functions
    around them with unknown parameters, marked as not certain. Never raises on odd input: what is
    not understood becomes a named unknown or a problem.
    """
    options = HostOptions() if options is None else options
    interpreter = new_interpreter(program, options)
    define_builtins(interpreter)
    interpreter.arguments = tuple(argv) if argv is not None else None
    path = program.units[0].path if program.units else Path()
    for step in (
        _run_main,
        _run_main_again,
        _run_rest,
        lambda state: follow_device_launches(state, _protected, _standalone),
        record_instances,
        assume_by_role,
        assume_full_launches,
    ):
        _step(interpreter, step, path)
    properties = options.device_properties
    return HostResult(
        tuple(interpreter.launches.values()),
        tuple(interpreter.problems),
        tuple(interpreter.library_calls),
        tuple(interpreter.closures.values()),
        tuple(interpreter.faults),
        tuple(interpreter.stops),
        asks_device=not isinstance(properties, AskedProperties) or properties.asked,
    )


def _step(
    interpreter: HostInterpreter, step: Callable[[HostInterpreter], None], path: Path
) -> None:
    """Take one step of the execution; what fails in it costs that step alone."""
    guarded(
        lambda: step(interpreter),
        interpreter.faults,
        "in host code, whose launches may be missing",
        path,
        None,
    )


_DEVICE_SUFFIXES = frozenset((".cu", ".hip"))


def _run_main_again(interpreter: HostInterpreter) -> None:
    """Follow ``main`` past the conditions that kept it from launch sites, such as error exits."""
    if interpreter.spent or not any(
        _has_unreached(interpreter, f) for f in interpreter.symbols.all_functions
    ):
        return
    interpreter.globals.clear()
    interpreter.statics.clear()
    interpreter.parsed_options.clear()
    interpreter.reading = ReadingState(interpreter.reading.left)
    define_builtins(interpreter)
    interpreter.forced = True
    interpreter.doubt = 1
    options = interpreter.options
    budget = min(options.statement_budget, interpreter.steps + options.again_budget)
    interpreter.options = replace(options, statement_budget=budget)
    interpreter.limit = budget
    for main in _mains(interpreter)[:1]:
        _protected(interpreter, main, _main_arguments(interpreter, main), {}, None)
    interpreter.options = options
    interpreter.limit = options.statement_budget
    interpreter.forced = False
    interpreter.doubt = 0


def _mains(interpreter: HostInterpreter) -> list[Function]:
    mains = [
        f for f in interpreter.symbols.functions.get("main", ()) if f.owner is None and f.has_body
    ]
    # A folder may hold several programs: the one that leads to launches is meant.
    mains.sort(
        key=lambda f: (
            not interpreter.reach.function_can_launch(f),
            f.path.suffix not in _DEVICE_SUFFIXES,
        )
    )
    return mains


def _run_main(interpreter: HostInterpreter) -> None:
    mains = _mains(interpreter)
    for main in mains[:_MAX_MAINS]:
        if interpreter.launches or interpreter.spent:
            return
        _protected(interpreter, main, _main_arguments(interpreter, main), {}, None)


def _main_arguments(interpreter: HostInterpreter, main: Function) -> list[HostPlace]:
    args: list[HostPlace] = []
    for position, formal in enumerate(main.params):
        type = resolve_plain(interpreter, formal)
        value = (
            _argc(interpreter)
            if position == 0
            else _argv(interpreter)
            if position == 1
            else OpaqueValue("envp", "")
        )
        args.append(Cell("", type, value))
    return args


def resolve_plain(interpreter: HostInterpreter, variable: Variable) -> Type:
    """A parameter's type outside any function."""
    interpreter.enter(None, {})
    try:
        return resolve(interpreter, variable.type)
    finally:
        interpreter.frames.pop()


def _argc(interpreter: HostInterpreter) -> Value:
    if interpreter.arguments is not None:
        return integer(
            len(interpreter.arguments) + 1, "int", interpreter.origin(ARGUMENT_COUNT, None)
        )
    return interpreter.unknown(ARGUMENT_COUNT, "the command line is not known", "int", assumed=1)


def _argv(interpreter: HostInterpreter) -> Value:
    text = Type("char", pointers=1)
    storage = Storage("argv", BufferSpace.HOST, None, text)
    if interpreter.arguments is not None:
        storage.elements[0] = Text(_PROGRAM_NAME)
        for position, word in enumerate(interpreter.arguments, start=1):
            storage.elements[position] = Text(word, interpreter.origin(f"argv[{position}]", None))
        storage.elements[len(interpreter.arguments) + 1] = Pointer(None, ZERO, Type("char"))
        storage.size_bytes = constant(8 * (len(interpreter.arguments) + 1))
    else:
        storage.elements[0] = Text(_PROGRAM_NAME)
        for position in range(1, 32):
            why = "the command line is not known"
            storage.elements[position] = OpaqueValue(f"argv[{position}]", why, text)
    return Pointer(storage, ZERO, text)


def _protected(
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


def _run_rest(interpreter: HostInterpreter) -> None:
    """Execute host functions around launch sites that were not reached, callers first."""
    pending = [f for f in interpreter.symbols.all_functions if _has_unreached(interpreter, f)]
    if not pending:
        return
    candidates = [
        f
        for f in interpreter.symbols.all_functions
        if f.name != "main"
        and runs_on_host(f)
        and interpreter.reach.function_can_launch(f)
        and f.has_body
    ]
    called = interpreter.reach.called({f.name for f in candidates})
    leading = interpreter.reach.leading_to(lambda site: id(site) not in interpreter.reached)
    roots = [
        f
        for f in candidates
        if f.name not in called
        and (_may_reach_more(interpreter, f, leading) or _leads_to_template(interpreter, f))
    ]
    alone = {id(function) for function in pending}

    def worth_it(function: Function) -> bool:
        """Whether executing the function may reach a launch site that was not reached."""
        if id(function) in alone:
            return _has_unreached(interpreter, function)
        return any(_has_unreached(interpreter, f) for f in pending) or _leads_to_template(
            interpreter, function
        )

    too_long: set[int] = set()
    interpreter.options = _shared_out(interpreter.options, len(pending))
    around = _around_templates(candidates, pending)
    for functions, forced in ((roots, False), (around, False), (pending, False), (pending, True)):
        interpreter.forced = forced
        # What was too long before would be so again.
        functions.sort(key=lambda f: id(f) in too_long)
        too_long |= _run_each(interpreter, functions, worth_it)


def _around_templates(
    candidates: Sequence[Function], pending: Sequence[Function]
) -> list[Function]:
    """The functions that call the templates among others, by way of templates alone.

    They say what a template's parameters are, whoever calls them: a virtual function, which no
    call is known to mean, say.
    """
    wanted = {function.name for function in pending if function.template_params}
    found: dict[int, Function] = {}
    while wanted:
        callers = [
            f
            for f in candidates
            if id(f) not in found and not (function_effects(f).mentions.isdisjoint(wanted))
        ]
        found |= {id(f): f for f in callers}
        wanted = {f.name for f in callers if f.template_params}
    return [f for f in found.values() if not f.template_params]


def _run_each(
    interpreter: HostInterpreter,
    functions: Sequence[Function],
    worth_it: Callable[[Function], bool],
) -> set[int]:
    """Execute functions that nothing calls, one instance of each and then the others.

    The identities of those that did not come to their end.
    """
    end = interpreter.steps + interpreter.options.rest_budget
    too_long: set[int] = set()
    left: list[tuple[Function, Bindings]] = []
    for function in filter(worth_it, functions):
        if interpreter.steps < end:
            first, *more = _instances(interpreter, function)
            if not _run_root(interpreter, function, first):
                too_long.add(id(function))
            left += [(function, given) for given in more]
        elif interpreter.forced:
            line = function.name_span.line
            interpreter.stops.append(Stop(function.name, 0, function.path, line))
    for function, given in left:
        if interpreter.steps < end:
            _run_root(interpreter, function, given)
    return too_long


def _shared_out(options: HostOptions, functions: int) -> HostOptions:
    """The limits where so many functions around launch sites are left.

    In a large library each has a share of its own, and none can use up what others need.
    """
    if functions <= _SHARING:
        return options
    each = options.rest_budget // _SHARING
    return replace(
        options,
        rest_budget=each * functions,
        root_budget=min(options.root_budget, _MOST_SHARES * each),
        call_budget=min(options.call_budget, each),
        loop_budget=min(options.loop_budget, each),
        max_launches=max(options.max_launches, _LAUNCHES_EACH * functions),
    )


def _instances(interpreter: HostInterpreter, function: Function) -> list[Bindings]:
    """The instances of a function that the program names; without any, that of nothing known."""
    return [each.bindings for each in instances_of(interpreter, function)] or [{}]


def _run_root(interpreter: HostInterpreter, function: Function, given: Bindings) -> bool:
    """Execute one instance of a function that nothing calls; whether it came to its end."""
    stops = len(interpreter.stops)
    limit = interpreter.steps + interpreter.options.root_budget
    interpreter.options = replace(interpreter.options, statement_budget=limit)
    interpreter.limit = limit
    _standalone(interpreter, function, given)
    return len(interpreter.stops) == stops


def _has_unreached(interpreter: HostInterpreter, function: Function) -> bool:
    if not runs_on_host(function):
        return False
    return any(id(site) not in interpreter.reached for site in interpreter.reach.sites(function))


def _may_reach_more(interpreter: HostInterpreter, function: Function, leading: set[str]) -> bool:
    """Whether a function that no other names may lead to launch sites that were not reached.

    ``leading`` has the names of all that lead to one. What a table of functions led to has been
    followed as it is called.
    """
    mentions = function_effects(function).mentions
    return _has_unreached(interpreter, function) or not mentions.isdisjoint(leading)


def _leads_to_template(interpreter: HostInterpreter, function: Function) -> bool:
    """Whether a function calls a template that launches, each call perhaps another kernel."""
    mentions = function_effects(function).mentions
    return any(
        bool(callee.template_params) and interpreter.reach.function_can_launch(callee)
        for name in sorted(mentions & interpreter.reach.launching)
        for callee in interpreter.symbols.functions.get(name, ())
    )


def _standalone(interpreter: HostInterpreter, function: Function, given: Bindings) -> None:
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
    _protected(interpreter, function, args, bindings, this)
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
