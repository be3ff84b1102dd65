"""Abstract execution of a host program, from ``main`` and then from what ``main`` leaves out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.from_outside import protected, standalone
from roofline_analysis.host.interpreter import calls, choices, creation, expressions, statements
from roofline_analysis.host.launches import contexts, offload
from roofline_analysis.host.launches.device_launches import follow_device_launches
from roofline_analysis.host.launches.sizes_by_role import assume_by_role
from roofline_analysis.host.launches.sizes_from_occupancy import assume_full_launches
from roofline_analysis.host.left_out import asked_for, run_rest, unreached
from roofline_analysis.host.libraries.getopt import define_builtins
from roofline_analysis.host.loops import execution
from roofline_analysis.host.objects import construction, initialisers
from roofline_analysis.host.options import AskedProperties, HostOptions, HostResult
from roofline_analysis.host.state.instantiations import record_instances
from roofline_analysis.host.state.interpreter_state import HostInterpreter, HostParts
from roofline_analysis.host.state.memory import Cell, HostPlace, Storage
from roofline_analysis.host.state.names import variable_type
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.state.reading import ReadingState
from roofline_analysis.host.state.types import (
    resolve,
)
from roofline_analysis.host.values import (
    ARGUMENT_COUNT,
    OpaqueValue,
    Pointer,
    Text,
    Value,
)
from roofline_core.algebra.symbolic import ZERO, constant
from roofline_core.program.crash import guarded
from roofline_core.program.stages import Stage, stage
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Program

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
        run_rest,
        lambda state: follow_device_launches(state, protected, standalone),
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
    left = [] if interpreter.spent else unreached(interpreter)
    if not left or not any(map(asked_for(interpreter), left)):
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
        protected(interpreter, main, _main_arguments(interpreter, main), {}, None)
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
        protected(interpreter, main, _main_arguments(interpreter, main), {}, None)


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
