"""Alternatives: code of which the execution does not know whether it runs, and what it leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from roofline_analysis.host.interpreter.choices import either
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import ContentsPlace, HostPlace, TextPlace
from roofline_analysis.host.state.operators import FLOATING
from roofline_analysis.host.state.signals import BREAK, RETURN, ProgramExit, Signal
from roofline_analysis.host.values import (
    ARGUMENT_COUNT,
    FunctionValue,
    OpaqueValue,
    Pointer,
    Scalar,
    Text,
    Value,
)
from roofline_core.algebra.symbolic import Expr, apply
from roofline_core.program.types import Type

Branch = Callable[[], "Signal | None"]


def try_branch(
    interpreter: HostInterpreter, branch: Branch, *, keep: bool
) -> tuple[Signal | None, list[tuple[HostPlace, Value | None]], bool]:
    """Execute a branch that may not be taken: its signal, its journal, whether it exited.

    What it wrote is undone unless ``keep``; the launches it met stay.
    """
    journal: list[tuple[HostPlace, Value | None]] = []
    interpreter.journals.append(journal)
    depth, scopes = len(interpreter.frames), len(interpreter.frame.scopes)
    result, result_place = interpreter.frame.result, interpreter.frame.result_place
    interpreter.doubt += 1
    ended = False
    signal = None
    try:
        signal = branch()
    except ProgramExit:
        ended = True
        del interpreter.frames[depth:], interpreter.frame.scopes[scopes:]
    finally:
        interpreter.doubt -= 1
        if interpreter.journals and interpreter.journals[-1] is journal:
            interpreter.journals.pop()
    if not keep or ended:
        interpreter.rollback(journal)
        interpreter.frame.result, interpreter.frame.result_place = result, result_place
        return signal, [], ended
    return signal, journal, ended


def run_alternatives(
    interpreter: HostInterpreter, branches: list[Branch], condition: Expr | None = None
) -> Signal | None:
    """Execute alternatives of which the condition is undecided, and join what they wrote.

    ``condition``, where it is known as an expression, holds for the first of two.
    """
    outcomes: list[dict[object, tuple[HostPlace, Value | None]]] = []
    signals: list[Signal | None] = []
    olds: dict[object, tuple[HostPlace, Value | None]] = {}
    for branch in branches:
        signal, journal, ended = try_branch(interpreter, branch, keep=True)
        if ended:
            continue
        final: dict[object, tuple[HostPlace, Value | None]] = {}
        for place, old in journal:
            if isinstance(place, ContentsPlace):
                continue
            olds.setdefault(place.key(), (place, old))
            final[place.key()] = (place, place.get())
        # Contents that one branch made unknown stay unknown whichever branch is taken.
        interpreter.rollback(
            [entry for entry in journal if not isinstance(entry[0], ContentsPlace)]
        )
        if interpreter.journals:
            interpreter.journals[-1].extend(e for e in journal if isinstance(e[0], ContentsPlace))
        signals.append(signal)
        if signal is None or signal is BREAK:
            outcomes.append(final)
    _join(interpreter, outcomes, olds, condition if len(outcomes) == 2 else None)
    if signals and all(signal is not None for signal in signals):
        return signals[-1]
    if RETURN in signals:
        interpreter.frame.may_be_left = True
    return None


def _join(
    interpreter: HostInterpreter,
    outcomes: list[dict[object, tuple[HostPlace, Value | None]]],
    olds: dict[object, tuple[HostPlace, Value | None]],
    condition: Expr | None,
) -> None:
    for key, (place, old) in olds.items():
        finals = [outcome[key][1] if key in outcome else old for outcome in outcomes]
        if not finals:
            continue
        chosen = _chosen(interpreter, finals, condition) if condition is not None else None
        if condition is not None and _holds_without_arguments(interpreter, condition):
            finals.reverse()
        interpreter.store(place, chosen or joined(interpreter, place, finals))


def _holds_without_arguments(interpreter: HostInterpreter, condition: Expr) -> bool:
    """Whether a condition on the number of the program's arguments holds where it has none."""
    unknowns = [interpreter.unknowns.get(symbol) for symbol in condition.symbols()]
    if [each and each.name for each in unknowns] != [ARGUMENT_COUNT]:
        return False
    return bool(interpreter.assumed_value(condition))


def _chosen(
    interpreter: HostInterpreter, values: list[Value | None], condition: Expr
) -> Scalar | None:
    """The number that a condition on the unknowns of both values chooses; None for all others.

    Of conditions on something else, such as what a file holds, nothing says which way they go. Of
    numbers that have nothing to do with one another, as in ``if (most > n) most = n``, one may be
    what a grid is known to be. In a loop that is tried out, an index or chance may decide, too.
    """
    then, otherwise = values
    if not isinstance(then, Scalar) or not isinstance(otherwise, Scalar):
        return None
    asked = condition.symbols()
    sampled = interpreter.trials.stored is not None and asked <= interpreter.spreads.keys()
    if not asked or not (sampled or {then.value.symbols(), otherwise.value.symbols()} == {asked}):
        return None
    if then.type_name != otherwise.type_name:
        return None
    chosen = apply("select", condition, then.value, otherwise.value)
    return replace(otherwise, value=interpreter.bounded(chosen))


def joined(
    interpreter: HostInterpreter, place: HostPlace, values: list[Value | None]
) -> Value | None:
    """One value for several that a place may have, of which the last is the usual one."""
    if isinstance(place, TextPlace):
        texts = {value.value if isinstance(value, Text) else None for value in values}
        return values[0] if len(texts) == 1 else None
    known = [value for value in values if value is not None and not isinstance(value, OpaqueValue)]
    if not known:
        return next((value for value in values if value is not None), None)
    first = known[0]
    if isinstance(first, Scalar):
        scalars = [value for value in known if isinstance(value, Scalar)]
        if all(value.value == first.value for value in scalars):
            return first
        # The last alternative is the one where nothing special happens.
        usual = [each.value for each in reversed(scalars)]
        if first.type_name not in FLOATING:
            # What is negative mostly says that a number was not given.
            usual = [each for each in usual if not _is_negative(interpreter, each)] or usual
        name, why = place.name or "a value", "it depends on a condition that is not decided"
        return interpreter.unknown(name, why, first.type_name, assumed=usual[0])
    if isinstance(first, Text):
        same = all(isinstance(v, Text) and v.value == first.value for v in values if v is not None)
        why = "it depends on a condition that is not decided"
        return first if same else OpaqueValue(place.name or "a string", why, Type("std::string"))
    if isinstance(first, FunctionValue):
        return reduce(either, [value for value in known if isinstance(value, FunctionValue)])
    if isinstance(first, Pointer):
        return next((v for v in known if isinstance(v, Pointer) and v.buffer is not None), first)
    return first


def _is_negative(interpreter: HostInterpreter, number: Expr) -> bool:
    assumed = interpreter.assumed_value(number)
    return assumed is not None and assumed < 0
