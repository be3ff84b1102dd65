"""Executing statements; loops are in ``loops``."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from roofline_analysis.host.interpreter.expressions import either, name_value
from roofline_analysis.host.objects.construction import declared_value
from roofline_analysis.host.objects.initialisers import initialise
from roofline_analysis.host.state.machine import EXECUTORS, HostInterpreter, handles
from roofline_analysis.host.state.memory import Cell, ContentsPlace, HostPlace
from roofline_analysis.host.state.operators import convert, truth
from roofline_analysis.host.state.signals import BREAK, CONTINUE, RETURN, ProgramExit, Signal
from roofline_analysis.host.state.threads import KernelThreads
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import FunctionValue, OpaqueValue, Pointer, Scalar, Value
from roofline_core.program import statements as st
from roofline_core.program.expressions import InitList


@handles(EXECUTORS, st.Block)
def _block(m: HostInterpreter, node: st.Block) -> Signal | None:
    return run_body(m, node.body)


def run_body(m: HostInterpreter, body: tuple[st.Statement, ...]) -> Signal | None:
    """Execute statements in a scope of their own."""
    scopes = m.frame.scopes
    scopes.append({})
    try:
        for statement in body:
            signal = m.exec(statement)
            if signal is not None:
                return signal
        return None
    finally:
        scopes.pop()


@handles(EXECUTORS, st.Declare)
def _declare(m: HostInterpreter, node: st.Declare) -> Signal | None:
    for variable in node.variables:
        declare(m, variable)
    return None


def declare(m: HostInterpreter, variable: st.Variable) -> None:
    """Bring a variable into the innermost scope."""
    scope = m.frame.scopes[-1]
    if "extern" in variable.qualifiers:
        return
    if "static" in variable.qualifiers:
        known = m.statics.get(id(variable))
        if known is not None:
            scope[variable.name] = known
            return
    if variable.type.reference and variable.init is not None:
        place = m.place(variable.init)
        if variable.type.name == "auto" or place.name:
            scope[variable.name] = place
            return
    type, value = declared_value(m, variable)
    if value is not None:
        name_value(m, variable.name, value)
    cell = Cell(variable.name, type, value)
    scope[variable.name] = cell
    if "static" in variable.qualifiers:
        m.statics[id(variable)] = cell


@handles(EXECUTORS, st.Evaluate)
def _evaluate(m: HostInterpreter, node: st.Evaluate) -> Signal | None:
    m.eval(node.expression)
    return None


@handles(EXECUTORS, st.Return)
def _return(m: HostInterpreter, node: st.Return) -> Signal | None:
    frame = m.frame
    if node.value is None:
        return RETURN
    function = frame.function
    if function is not None and function.return_type.reference:
        place = m.place(node.value)
        if place.name:
            frame.result_place = place
            return RETURN
    if isinstance(node.value, InitList) and function is not None:
        frame.result = initialise(m, resolve(m, function.return_type), node.value, "")
        return RETURN
    value = m.eval(node.value)
    if function is not None and function.return_type.name != "auto":
        value = convert(m, value, resolve(m, function.return_type))
    frame.result = value
    return RETURN


@handles(EXECUTORS, st.Break)
def _break(m: HostInterpreter, node: st.Break) -> Signal | None:
    return BREAK


@handles(EXECUTORS, st.Continue)
def _continue(m: HostInterpreter, node: st.Continue) -> Signal | None:
    return CONTINUE


@handles(EXECUTORS, st.Label)
def _label(m: HostInterpreter, node: st.Label) -> Signal | None:
    return m.exec(node.body) if node.body is not None else None


@handles(EXECUTORS, st.Opaque)
def _opaque(m: HostInterpreter, node: st.Opaque) -> Signal | None:
    if node.text.lstrip().startswith("throw"):
        raise ProgramExit
    for part in node.parts:
        m.eval(part)
    return None


@handles(EXECUTORS, st.If)
def _if(m: HostInterpreter, node: st.If) -> Signal | None:
    scopes = m.frame.scopes
    scopes.append({})
    try:
        if node.init is not None:
            m.exec(node.init)
        condition = m.eval(node.condition)
        known = truth(m, condition)
        taken: st.Statement | None = node.then
        other = node.otherwise
        if known is False:
            taken, other = other, taken
        forced = m.forced and (m.wants(other) or (m.reach.leaves(taken) and not m.wants(taken)))
        if known is None or forced:
            if m.threads is not None:
                return _diverging(m, m.threads, node, condition)
            return _undecided(m, node)
        return m.exec(taken) if taken is not None else None
    finally:
        scopes.pop()


def _undecided(m: HostInterpreter, node: st.If) -> Signal | None:
    then, otherwise = node.then, node.otherwise
    ends = otherwise is not None and m.reach.leaves(otherwise, program=True)
    # Where one branch returns and the other ends the program, the program is the one that returns.
    if m.reach.leaves(then) and not (ends and not m.reach.leaves(then, program=True)):
        _leave(m, then)
        return _in_doubt(m, otherwise)
    if otherwise is not None and m.reach.leaves(otherwise):
        _leave(m, otherwise)
        return _in_doubt(m, then)
    return run_alternatives(
        m, [lambda: m.exec(then), lambda: m.exec(otherwise) if otherwise is not None else None]
    )


def _diverging(
    m: HostInterpreter, threads: KernelThreads, node: st.If, condition: Value
) -> Signal | None:
    """A branch that some threads of a kernel take: launches within are under its condition."""
    number = m.number(condition, "bool") if isinstance(condition, Scalar) else None
    guard = number.value if number is not None else None
    branches = [(node.then, True)]
    if node.otherwise is not None:
        branches.append((node.otherwise, False))
    for branch, holds in branches:
        if m.reach.leaves(branch):
            with threads.under(guard, holds=holds):
                _leave(m, branch)
            threads.stay(guard, holds=not holds)
            other = node.otherwise if holds else node.then
            return _in_doubt(m, other)

    def run(branch: st.Statement | None, holds: bool) -> Signal | None:
        with threads.under(guard, holds=holds):
            return m.exec(branch) if branch is not None else None

    return run_alternatives(m, [lambda: run(node.then, True), lambda: run(node.otherwise, False)])


def _leave(m: HostInterpreter, branch: st.Statement) -> None:
    """Execute a branch that leaves the function for its launches and its result alone."""
    frame = m.frame
    effects = m.reach.effects(branch)
    frame.may_be_left = frame.may_be_left or effects.left
    returns = effects.returns and m.quiet > 0
    if not (returns or m.reach.can_launch(branch)):
        return

    def run() -> Signal | None:
        signal = m.exec(branch)
        if signal is RETURN and returns:
            frame.alternatives.append(frame.result)
        return signal

    try_branch(m, run, keep=False)


def _in_doubt(m: HostInterpreter, node: st.Statement | None) -> Signal | None:
    # What follows the branch not taken is the normal course of the program.
    return m.exec(node) if node is not None else None


Branch = Callable[[], "Signal | None"]


def try_branch(
    m: HostInterpreter, branch: Branch, *, keep: bool
) -> tuple[Signal | None, list[tuple[HostPlace, Value | None]], bool]:
    """Execute a branch that may not be taken: its signal, its journal, whether it exited.

    What it wrote is undone unless ``keep``; the launches it met stay.
    """
    journal: list[tuple[HostPlace, Value | None]] = []
    m.journals.append(journal)
    depth, scopes = len(m.frames), len(m.frame.scopes)
    result, result_place = m.frame.result, m.frame.result_place
    m.doubt += 1
    ended = False
    signal = None
    try:
        signal = branch()
    except ProgramExit:
        ended = True
        del m.frames[depth:], m.frame.scopes[scopes:]
    finally:
        m.doubt -= 1
        if m.journals and m.journals[-1] is journal:
            m.journals.pop()
    if not keep or ended:
        m.rollback(journal)
        m.frame.result, m.frame.result_place = result, result_place
        return signal, [], ended
    return signal, journal, ended


def run_alternatives(m: HostInterpreter, branches: list[Branch]) -> Signal | None:
    """Execute alternatives of which the condition is undecided, and join what they wrote."""
    outcomes: list[dict[object, tuple[HostPlace, Value | None]]] = []
    signals: list[Signal | None] = []
    olds: dict[object, tuple[HostPlace, Value | None]] = {}
    for branch in branches:
        signal, journal, ended = try_branch(m, branch, keep=True)
        if ended:
            continue
        final: dict[object, tuple[HostPlace, Value | None]] = {}
        for place, old in journal:
            if isinstance(place, ContentsPlace):
                continue
            olds.setdefault(place.key(), (place, old))
            final[place.key()] = (place, place.get())
        # Contents that one branch made unknown stay unknown whichever branch is taken.
        m.rollback([entry for entry in journal if not isinstance(entry[0], ContentsPlace)])
        if m.journals:
            m.journals[-1].extend(e for e in journal if isinstance(e[0], ContentsPlace))
        signals.append(signal)
        if signal is None or signal is BREAK:
            outcomes.append(final)
    _join(m, outcomes, olds)
    if signals and all(signal is not None for signal in signals):
        return signals[-1]
    return None


def _join(
    m: HostInterpreter,
    outcomes: list[dict[object, tuple[HostPlace, Value | None]]],
    olds: dict[object, tuple[HostPlace, Value | None]],
) -> None:
    for key, (place, old) in olds.items():
        finals = [outcome[key][1] if key in outcome else old for outcome in outcomes]
        if not finals:
            continue
        m.store(place, joined(m, place, finals))


def joined(m: HostInterpreter, place: HostPlace, values: list[Value | None]) -> Value | None:
    """One value for several that a place may have."""
    known = [value for value in values if value is not None and not isinstance(value, OpaqueValue)]
    if not known:
        return next((value for value in values if value is not None), None)
    first = known[0]
    if isinstance(first, Scalar):
        scalars = [value for value in known if isinstance(value, Scalar)]
        if all(value.value == first.value for value in scalars):
            return first
        # The last alternative is the one where nothing special happens.
        usual = m.assumed_value(scalars[-1].value)
        why = "it depends on a condition that is not decided"
        return m.unknown(place.name or "a value", why, first.type_name, assumed=usual)
    if isinstance(first, FunctionValue):
        return reduce(either, [value for value in known if isinstance(value, FunctionValue)])
    if isinstance(first, Pointer):
        return next((v for v in known if isinstance(v, Pointer) and v.buffer is not None), first)
    return first


@handles(EXECUTORS, st.Switch)
def _switch(m: HostInterpreter, node: st.Switch) -> Signal | None:
    value = m.eval(node.value)
    number = m.number(value)
    selector = number.value.constant if number is not None else None
    if selector is None:
        starts = range(len(node.cases))
        branches: list[Branch] = [_case_runner(m, node, start) for start in starts]
        signal = run_alternatives(m, branches) if branches else None
        return None if signal is BREAK else signal
    chosen = None
    for position, case in enumerate(node.cases):
        if case.value is None:
            continue
        label = m.number(m.eval(case.value))
        if label is not None and label.value.constant == selector:
            chosen = position
            break
    if chosen is None:
        chosen = next((i for i, case in enumerate(node.cases) if case.value is None), None)
    return None if chosen is None else _case_runner(m, node, chosen)()


def _case_runner(m: HostInterpreter, node: st.Switch, start: int) -> Branch:
    def run() -> Signal | None:
        scopes = m.frame.scopes
        scopes.append({})
        try:
            for case in node.cases[start:]:
                for statement in case.body:
                    signal = m.exec(statement)
                    if signal is BREAK:
                        return None
                    if signal is not None:
                        return signal
            return None
        finally:
            scopes.pop()

    return run
