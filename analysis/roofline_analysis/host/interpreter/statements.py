"""Executing statements; loops are in ``loops``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from roofline_analysis.host.interpreter.alternatives import (
    Branch,
    run_alternatives,
    try_branch,
)
from roofline_analysis.host.objects.construction import declared_value
from roofline_analysis.host.objects.initialisers import initialise
from roofline_analysis.host.state.interpreter_state import Executors, HostInterpreter
from roofline_analysis.host.state.invoke import seen_as
from roofline_analysis.host.state.memory import Cell
from roofline_analysis.host.state.named_values import name_value
from roofline_analysis.host.state.operators import convert, truth
from roofline_analysis.host.state.path_conditions import condition_of, hold, opposite, under
from roofline_analysis.host.state.signals import BREAK, CONTINUE, RETURN, ProgramExit, Signal
from roofline_analysis.host.state.threads import KernelThreads
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import Scalar, Value
from roofline_core.algebra.symbolic import Expr, apply
from roofline_core.program import statements as st
from roofline_core.program.expressions import Expression, InitList


def _block(interpreter: HostInterpreter, node: st.Block) -> Signal | None:
    return run_body(interpreter, node.body)


def run_body(interpreter: HostInterpreter, body: tuple[st.Statement, ...]) -> Signal | None:
    """Execute statements in a scope of their own."""
    frame = interpreter.frame
    known = len(frame.path_conditions)
    frame.scopes.append({})
    try:
        for statement in body:
            signal = interpreter.exec(statement)
            if signal is not None:
                return signal
        return None
    finally:
        frame.scopes.pop()
        del frame.path_conditions[known:]


def _declare(interpreter: HostInterpreter, node: st.Declare) -> Signal | None:
    for variable in node.variables:
        declare(interpreter, variable)
    return None


def declare(interpreter: HostInterpreter, variable: st.Variable) -> None:
    """Bring a variable into the innermost scope."""
    scope = interpreter.frame.scopes[-1]
    if "extern" in variable.qualifiers:
        return
    if "static" in variable.qualifiers:
        known = interpreter.statics.get(id(variable))
        if known is not None:
            scope[variable.name] = known
            return
    if variable.type.reference and variable.init is not None:
        place = interpreter.place(variable.init)
        if variable.type.name == "auto" or place.name:
            scope[variable.name] = seen_as(place, resolve(interpreter, variable.type))
            return
    if variable.type.pointers and variable.init is not None:
        # It is in scope there: ``T *p = malloc(n * sizeof *p)``.
        scope[variable.name] = Cell(variable.name, resolve(interpreter, variable.type))
    type, value = declared_value(interpreter, variable)
    if value is not None:
        name_value(interpreter, variable.name, value)
    cell = Cell(variable.name, type, value)
    scope[variable.name] = cell
    if "static" in variable.qualifiers:
        interpreter.statics[id(variable)] = cell


def _evaluate(interpreter: HostInterpreter, node: st.Evaluate) -> Signal | None:
    interpreter.eval(node.expression)
    return None


def _return(interpreter: HostInterpreter, node: st.Return) -> Signal | None:
    frame = interpreter.frame
    if node.value is None:
        return RETURN
    function = frame.function
    if function is not None and resolve(interpreter, function.return_type).reference:
        place = interpreter.place(node.value)
        if place.name:
            frame.result_place = place
            return RETURN
    if isinstance(node.value, InitList) and function is not None:
        frame.result = initialise(
            interpreter, resolve(interpreter, function.return_type), node.value, ""
        )
        return RETURN
    value = interpreter.eval(node.value)
    if function is not None and function.return_type.name != "auto":
        value = convert(interpreter, value, resolve(interpreter, function.return_type))
    frame.result = value
    return RETURN


def _break(interpreter: HostInterpreter, node: st.Break) -> Signal | None:
    return BREAK


def _continue(interpreter: HostInterpreter, node: st.Continue) -> Signal | None:
    return CONTINUE


def _label(interpreter: HostInterpreter, node: st.Label) -> Signal | None:
    return interpreter.exec(node.body) if node.body is not None else None


def _opaque(interpreter: HostInterpreter, node: st.Opaque) -> Signal | None:
    if node.text.lstrip().startswith("throw"):
        raise ProgramExit
    for part in node.parts:
        interpreter.eval(part)
    return None


def _if(interpreter: HostInterpreter, node: st.If) -> Signal | None:
    scopes = interpreter.frame.scopes
    scopes.append({})
    try:
        if node.init is not None:
            interpreter.exec(node.init)
        condition = interpreter.eval(node.condition)
        known = truth(interpreter, condition)
        taken: st.Statement | None = node.then
        other = node.otherwise
        if known is False:
            taken, other = other, taken
        forced = interpreter.forced and (
            interpreter.wants(other)
            or (interpreter.reach.leaves(taken) and not interpreter.wants(taken))
        )
        if known is None or forced:
            if interpreter.threads is not None:
                return _diverging(interpreter, interpreter.threads, node, condition)
            return _undecided(interpreter, node, condition_of(condition))
        return interpreter.exec(taken) if taken is not None else None
    finally:
        scopes.pop()


def _undecided(interpreter: HostInterpreter, node: st.If, condition: Expr | None) -> Signal | None:
    then, otherwise = node.then, node.otherwise
    ends = otherwise is not None and interpreter.reach.leaves(otherwise, program=True)
    # Where one branch returns and the other ends the program, the program is the one that returns.
    if interpreter.reach.leaves(then) and not (
        ends and not interpreter.reach.leaves(then, program=True)
    ):
        with under(interpreter, condition):
            _leave(interpreter, then)
        hold(interpreter, opposite(condition))
        return _in_doubt(interpreter, otherwise)
    if otherwise is not None and interpreter.reach.leaves(otherwise):
        with under(interpreter, opposite(condition)):
            _leave(interpreter, otherwise)
        hold(interpreter, condition)
        return _in_doubt(interpreter, then)

    branches: list[Branch] = [
        partial(_run_under, interpreter, then, condition),
        partial(_run_under, interpreter, otherwise, opposite(condition)),
    ]
    return run_alternatives(interpreter, branches, condition)


def _run_under(
    interpreter: HostInterpreter, branch: st.Statement | None, holds: Expr | None
) -> Signal | None:
    """Execute a branch under its condition."""
    with under(interpreter, holds):
        return interpreter.exec(branch) if branch is not None else None


def _diverging(
    interpreter: HostInterpreter, threads: KernelThreads, node: st.If, condition: Value
) -> Signal | None:
    """A branch that some threads of a kernel take: launches within are under its condition."""
    number = interpreter.number(condition, "bool") if isinstance(condition, Scalar) else None
    guard = number.value if number is not None else None
    branches = [(node.then, True)]
    if node.otherwise is not None:
        branches.append((node.otherwise, False))
    for branch, holds in branches:
        if interpreter.reach.leaves(branch):
            with threads.under(guard, holds=holds):
                _leave(interpreter, branch)
            threads.stay(guard, holds=not holds)
            other = node.otherwise if holds else node.then
            return _in_doubt(interpreter, other)

    run = partial(_run_for_threads, interpreter, threads, guard)
    return run_alternatives(
        interpreter, [partial(run, node.then, True), partial(run, node.otherwise, False)]
    )


def _run_for_threads(
    interpreter: HostInterpreter,
    threads: KernelThreads,
    guard: Expr | None,
    branch: st.Statement | None,
    holds: bool,
) -> Signal | None:
    """Execute a branch for the threads for which the condition ``guard`` is ``holds``."""
    with threads.under(guard, holds=holds):
        return interpreter.exec(branch) if branch is not None else None


def _leave(interpreter: HostInterpreter, branch: st.Statement) -> None:
    """Execute a branch that leaves the function for its launches and its result alone."""
    frame = interpreter.frame
    effects = interpreter.reach.effects(branch)
    if not interpreter.reach.leaves(branch, program=True):
        interpreter.undecided_jumps += 1
    frame.may_be_left = frame.may_be_left or effects.left
    returns = effects.returns and interpreter.quiet > 0 and not _differs(frame.alternatives)
    if not (returns or interpreter.reach.can_launch(branch)):
        return

    def run() -> Signal | None:
        """Execute the branch; what it returns becomes one of the call's alternatives."""
        signal = interpreter.exec(branch)
        if signal is RETURN and returns:
            frame.alternatives.append(frame.result)
        return signal

    try_branch(interpreter, run, keep=False)


def _differs(results: Sequence[Value | None]) -> bool:
    """Whether what a function may return is no single number, so that no further one matters."""
    if not results:
        return False
    first, last = results[0], results[-1]
    if isinstance(first, Scalar) and isinstance(last, Scalar):
        return first.value != last.value
    return True


def _in_doubt(interpreter: HostInterpreter, node: st.Statement | None) -> Signal | None:
    # What follows the branch not taken is the normal course of the program.
    return interpreter.exec(node) if node is not None else None


def _switch(interpreter: HostInterpreter, node: st.Switch) -> Signal | None:
    value = interpreter.eval(node.value)
    number = interpreter.number(value)
    selector = number.value.constant if number is not None else None
    if selector is None:
        starts = range(len(node.cases))
        branches: list[Branch] = [
            partial(_run_cases, interpreter, node, start, number) for start in starts
        ]
        signal = run_alternatives(interpreter, branches) if branches else None
        return None if signal is BREAK else signal
    chosen = None
    for position, case in enumerate(node.cases):
        if case.value is None:
            continue
        label = interpreter.number(interpreter.eval(case.value))
        if label is not None and label.value.constant == selector:
            chosen = position
            break
    if chosen is None:
        chosen = next((i for i, case in enumerate(node.cases) if case.value is None), None)
    return None if chosen is None else _run_cases(interpreter, node, chosen)


def _run_cases(
    interpreter: HostInterpreter, node: st.Switch, start: int, selected: Scalar | None = None
) -> Signal | None:
    """Execute the cases from ``start`` on, each falling through to the next, in their own scope.

    The signal that leaves the switch; None after its end or a ``break``. ``selected`` is the
    number that is not known and that the first case's label is taken to equal.
    """
    with under(interpreter, _is_label(interpreter, selected, node.cases[start].value)):
        scopes = interpreter.frame.scopes
        scopes.append({})
        try:
            for case in node.cases[start:]:
                for statement in case.body:
                    signal = interpreter.exec(statement)
                    if signal is BREAK:
                        return None
                    if signal is not None:
                        return signal
            return None
        finally:
            scopes.pop()


def _is_label(
    interpreter: HostInterpreter, selected: Scalar | None, written: Expression | None
) -> Expr | None:
    """That a selected number is a label's; None for the default, or where nothing is selected."""
    if selected is None or written is None:
        return None
    label = interpreter.number(interpreter.eval(written))
    return (
        condition_of(Scalar(apply("eq", selected.value - label.value), "bool")) if label else None
    )


EXECUTORS: Final[Executors] = {
    st.Block: _block,
    st.Declare: _declare,
    st.Evaluate: _evaluate,
    st.Return: _return,
    st.Break: _break,
    st.Continue: _continue,
    st.Label: _label,
    st.Opaque: _opaque,
    st.If: _if,
    st.Switch: _switch,
}
