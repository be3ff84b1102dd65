"""Abstract execution of a host program, from ``main`` and then from what ``main`` leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.interpreter import calls, creation, expressions, statements  # noqa: F401  (the handlers register themselves)
from roofline_analysis.host.launches import contexts, offload  # noqa: F401  (the handlers register themselves)
from roofline_analysis.host.launches.device_launches import follow_device_launches
from roofline_analysis.host.launches.sizes_from_occupancy import assume_full_launches
from roofline_analysis.host.libraries.getopt import define_builtins
from roofline_analysis.host.loops import execution  # noqa: F401  (the handlers register themselves)
from roofline_analysis.host.options import AskedProperties, HostOptions, HostResult
from roofline_analysis.host.state.access import is_class
from roofline_analysis.host.state.instantiations import Bindings, instances_of, record_instances
from roofline_analysis.host.state.invoke import invoke
from roofline_analysis.host.state.machine import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import Cell, HostPlace, Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.state.signals import BudgetSpent, ProgramExit
from roofline_analysis.host.state.types import class_bindings, resolve
from roofline_analysis.host.values import Aggregate, OpaqueValue, Pointer, Scalar, Text, Value
from roofline_core.algebra.symbolic import ZERO, Expr, constant
from roofline_core.program.stages import Stage, stage
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Program, Struct

_PROGRAM_NAME = "program"
_MAX_MAINS = 4


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
    m = HostInterpreter(program, options)
    define_builtins(m)
    m.arguments = tuple(argv) if argv is not None else None
    _run_main(m)
    _run_main_again(m)
    _run_rest(m)
    follow_device_launches(m, _protected, _standalone)
    record_instances(m)
    assume_full_launches(m)
    properties = options.device_properties
    return HostResult(
        tuple(m.launches.values()),
        tuple(m.problems),
        tuple(m.library_calls),
        asks_device=not isinstance(properties, AskedProperties) or properties.asked,
    )


_DEVICE_SUFFIXES = frozenset((".cu", ".hip"))


def _run_main_again(m: HostInterpreter) -> None:
    """Follow ``main`` past the conditions that kept it from launch sites, such as error exits."""
    if m.spent or not any(_has_unreached(m, f) for f in m.symbols.all_functions):
        return
    m.globals.clear()
    m.statics.clear()
    m.parsed_options.clear()
    define_builtins(m)
    m.forced = True
    m.doubt = 1
    for main in _mains(m)[:1]:
        _protected(m, main, _main_arguments(m, main), {}, None)
    m.forced = False
    m.doubt = 0


def _mains(m: HostInterpreter) -> list[Function]:
    mains = [f for f in m.symbols.functions.get("main", ()) if f.owner is None and f.has_body]
    # A folder may hold several programs: the one that leads to launches is meant.
    mains.sort(
        key=lambda f: (not m.reach.function_can_launch(f), f.path.suffix not in _DEVICE_SUFFIXES)
    )
    return mains


def _run_main(m: HostInterpreter) -> None:
    mains = _mains(m)
    # Who can launch was found in time linear in the source; the limit is for what executes it.
    m.start_clock()
    for main in mains[:_MAX_MAINS]:
        if m.launches or m.spent:
            return
        _protected(m, main, _main_arguments(m, main), {}, None)


def _main_arguments(m: HostInterpreter, main: Function) -> list[HostPlace]:
    args: list[HostPlace] = []
    for position, formal in enumerate(main.params):
        type = resolve_plain(m, formal)
        value = (
            _argc(m) if position == 0 else _argv(m) if position == 1 else OpaqueValue("envp", "")
        )
        args.append(Cell("", type, value))
    return args


def resolve_plain(m: HostInterpreter, variable: Variable) -> Type:
    """A parameter's type outside any function."""
    m.enter(None, {})
    try:
        return resolve(m, variable.type)
    finally:
        m.frames.pop()


def _argc(m: HostInterpreter) -> Value:
    if m.arguments is not None:
        return integer(len(m.arguments) + 1, "int", m.origin("argc", None))
    return m.unknown("argc", "the command line is not known", "int", assumed=1)


def _argv(m: HostInterpreter) -> Value:
    text = Type("char", pointers=1)
    storage = Storage("argv", "host", None, text)
    if m.arguments is not None:
        storage.elements[0] = Text(_PROGRAM_NAME)
        for position, word in enumerate(m.arguments, start=1):
            storage.elements[position] = Text(word, m.origin(f"argv[{position}]", None))
        storage.elements[len(m.arguments) + 1] = Pointer(None, ZERO, Type("char"))
        storage.size_bytes = constant(8 * (len(m.arguments) + 1))
    else:
        storage.elements[0] = Text(_PROGRAM_NAME)
        for position in range(1, 32):
            why = "the command line is not known"
            storage.elements[position] = OpaqueValue(f"argv[{position}]", why, text)
    return Pointer(storage, ZERO, text)


def _protected(
    m: HostInterpreter,
    function: Function,
    args: Sequence[HostPlace],
    bindings: dict[str, Type | Expr],
    this: Aggregate | None,
) -> None:
    """Execute a function from outside; whatever ends it, the machine is left in order."""
    m.enter(None, {})
    try:
        invoke(m, function, args, bindings, this)
    except ProgramExit:
        pass
    except BudgetSpent:
        m.problem(f"'{function.name}' was not followed to its end: it takes too long", None)
    except RecursionError:
        m.problem(f"'{function.name}' was not followed to its end: it nests too deeply", None)
    finally:
        m.frames.clear()
        m.journals.clear()
        m.repeat.clear()
        m.doubt = m.quiet = 0
        m.limit = m.options.statement_budget


def _run_rest(m: HostInterpreter) -> None:
    """Execute host functions around launch sites that were not reached, callers first."""
    pending = [f for f in m.symbols.all_functions if _has_unreached(m, f)]
    if not pending:
        return
    candidates = [
        f
        for f in m.symbols.all_functions
        if f.name != "main" and runs_on_host(f) and m.reach.function_can_launch(f) and f.has_body
    ]
    called = m.reach.called({f.name for f in candidates})
    roots = [f for f in candidates if f.name not in called]
    for position, function in enumerate([*roots, *pending, *pending]):
        m.forced = position >= len(roots) + len(pending)
        if function in pending and not _has_unreached(m, function):
            continue
        if not any(_has_unreached(m, f) for f in pending):
            return
        m.options = replace(
            m.options, statement_budget=max(m.options.statement_budget, m.steps + 20_000)
        )
        m.limit = m.options.statement_budget
        if m.steps and m.spent:
            return
        instances = [bindings for _, bindings in instances_of(m, function)]
        for given in instances or [{}]:
            _standalone(m, function, given)


def _has_unreached(m: HostInterpreter, function: Function) -> bool:
    if not runs_on_host(function):
        return False
    return any(id(site) not in m.reached for site in m.reach.sites(function))


def _standalone(m: HostInterpreter, function: Function, given: Bindings) -> None:
    bindings: dict[str, Type | Expr] = {}
    this = None
    m.enter(None, bindings)
    m.doubt = 1
    owner = m.symbols.find_struct(function.owner) if function.owner is not None else None
    for parameter in function.template_params:
        if parameter.type is not None:
            bindings[parameter.name] = _parameter_number(m, function, parameter.name)
        elif isinstance(parameter.default, Type):
            bindings[parameter.name] = parameter.default
    if owner is not None:
        bindings.update(class_bindings(m, Type(owner.qualified_name)))
    bindings.update(given)
    if owner is not None and "static" not in function.qualifiers:
        this = Aggregate(_class_type(owner))
    args = [_unknown_argument(m, formal, function) for formal in function.params]
    m.frames.pop()
    m.doubt = 1
    _protected(m, function, args, bindings, this)


def _class_type(owner: Struct) -> Type:
    return Type(owner.qualified_name)


def _parameter_number(m: HostInterpreter, function: Function, name: str) -> Expr:
    why = f"{function.name}() is not instantiated in the program"
    return m.unknown(name, why, "int", assumed=32).value


def _unknown_argument(m: HostInterpreter, formal: Variable, function: Function) -> HostPlace:
    type = resolve(m, formal.type)
    name = formal.name or "a parameter"
    why = f"no call of {function.name}() is followed"
    value: Value
    if type.name in SCALARS and not type.pointers:
        value = m.unknown(name, why, type.name, line=formal.line)
    elif type.pointers or type.dims:
        element = type.pointee()
        value = Pointer(Storage(name, "device", None, element), ZERO, element)
    elif type.name == "dim3":
        fields: dict[str, Value] = {}
        for axis in "xyz":
            assumed = 64 if axis == "x" else 1
            extent = m.unknown(f"{name}.{axis}", why, "unsigned int", assumed=assumed)
            fields[axis] = Scalar(extent.value, "unsigned int")
        value = Aggregate(type, fields)
    elif is_class(m, type):
        value = Aggregate(Type(type.name, type.args))
    else:
        value = OpaqueValue(name, why, type if type.name != "auto" else None)
    return Cell(name, type, value)
