"""Launch sites that ``main`` leaves out: the functions around them executed, callers first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from roofline_analysis.host.effects.launch_words import called_by
from roofline_analysis.host.effects.node_effects import function_effects
from roofline_analysis.host.effects.reach import runs_on_host
from roofline_analysis.host.from_outside import standalone
from roofline_analysis.host.libraries.opencl.handles import handles_of
from roofline_analysis.host.options import HostOptions, Stop
from roofline_analysis.host.state.instantiations import Bindings, instances_of
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_core.program.units import Dialect, Function
from roofline_core.settings.sources import is_reported_with

_SHARING: Final = 25
"""Functions around launch sites that share ``HostOptions.rest_budget``; of more, each adds to it.

This and the next two are limits on the work."""
_MOST_SHARES: Final = 4
"""The most shares that one function uses, where there are so many."""
_LAUNCHES_EACH: Final = 4
"""Distinct launches kept for each of them, where there are so many."""
_ALONE: Final = 640
"""Statements executed in a function around a launch site that nothing else has led to, and
without what it calls that may launch. This and the next are limits on the work."""
_CALL_ALONE: Final = 16
"""Statements executed in one call from there."""


def run_rest(interpreter: HostInterpreter) -> None:
    """Execute host functions around launch sites that were not reached, callers first."""
    around_sites = unreached(interpreter)
    if not around_sites:
        return
    asked = asked_for(interpreter)
    pending = list(filter(asked, around_sites))
    candidates = [
        f
        for f in interpreter.symbols.all_functions
        if f.name != "main"
        and runs_on_host(f)
        and interpreter.reach.function_can_launch(f)
        and f.has_body
    ]
    meant = list(filter(asked, candidates))
    called = interpreter.reach.called({f.name for f in meant})
    leading = interpreter.reach.leading_to(lambda site: id(site) not in interpreter.reached)
    roots = [
        f
        for f in meant
        if f.name not in called
        and (_may_reach_more(interpreter, f, leading) or _leads_to_template(interpreter, f))
    ]
    alone = {id(function) for function in pending}

    worth_it = partial(_is_worth_it, interpreter, alone, around_sites)
    too_long: set[int] = set()
    near = _near(interpreter)
    interpreter.options = _shared_out(interpreter.options, sum(map(near, around_sites)))
    around = list(filter(asked, _around_templates(candidates, around_sites)))
    naming = _Naming(interpreter, candidates)
    budget = interpreter.options.rest_budget
    for_each = budget + budget // _SHARING * len(naming.functions)
    passes = (
        (roots, False, worth_it, budget),
        (around, False, worth_it, budget),
        (naming.functions, False, naming.may_launch_more, for_each),
        (pending, False, worth_it, budget),
        (pending, True, worth_it, budget),
    )
    for functions, forced, useful, steps in passes:
        interpreter.forced = forced
        # What was too long before would be so again.
        functions.sort(key=lambda f: (id(f) in too_long, not near(f)))
        too_long |= _run_each(interpreter, functions, useful, steps)
    _run_alone(interpreter, [f for f in pending if near(f) and _has_unreached(interpreter, f)])


def _is_worth_it(
    interpreter: HostInterpreter,
    alone: set[int],
    around_sites: Sequence[Function],
    function: Function,
) -> bool:
    """Whether executing a function may reach a launch site that was not reached.

    ``alone`` are the identities of functions that are executed for their own sites.
    """
    if id(function) in alone:
        return _has_unreached(interpreter, function)
    return any(_has_unreached(interpreter, f) for f in around_sites) or _leads_to_template(
        interpreter, function
    )


def _run_alone(interpreter: HostInterpreter, functions: Sequence[Function]) -> None:
    """Execute functions around launch sites by themselves: what they call may cost too much.

    So the launch is known at least, with what the function itself says of it: the arguments of a
    template, the size of a block.
    """
    options = interpreter.options
    interpreter.options = replace(
        options, root_budget=_ALONE, call_budget=_CALL_ALONE, loop_trips=1
    )
    interpreter.forced = interpreter.alone = True
    _run_each(
        interpreter, functions, lambda f: _has_unreached(interpreter, f), _ALONE * len(functions)
    )
    interpreter.alone = False
    interpreter.options = options


class _Naming:
    """The functions that name a handle of an OpenCL kernel which is asked for.

    They launch it, by way of one function for all kernels, say, which alone tells of none.
    """

    def __init__(self, interpreter: HostInterpreter, candidates: Sequence[Function]) -> None:
        self._interpreter = interpreter
        self._handles = {
            kernel.name: handles_of(interpreter, {kernel.name})
            for kernel in _wanted(interpreter)
            if kernel.dialect is Dialect.OPENCL
        }
        handles = set().union(*self._handles.values())
        self.functions = [
            f for f in candidates if not function_effects(f).mentions.isdisjoint(handles)
        ]

    def may_launch_more(self, function: Function) -> bool:
        """Whether a function names the handle of a kernel of which no launch was met."""
        launched = {launch.kernel.name for launch in self._interpreter.launches.values()}
        mentions = function_effects(function).mentions
        return any(
            name not in launched and not mentions.isdisjoint(handles)
            for name, handles in self._handles.items()
        )


def _wanted(interpreter: HostInterpreter) -> list[Function]:
    """The kernels that are asked for."""
    kernels = [f for f in interpreter.symbols.all_functions if f.is_kernel and f.has_body]
    members = interpreter.options.members
    return [f for f in kernels if members is None or is_reported_with(f.path, members)]


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
    budget: int,
) -> set[int]:
    """Execute functions that nothing calls, one instance of each and then the others.

    ``budget`` is the number of statements after which no other is begun. Returned are the
    identities of those that did not come to their end.
    """
    end = interpreter.steps + budget
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
    standalone(interpreter, function, given)
    return len(interpreter.stops) == stops


def unreached(interpreter: HostInterpreter) -> list[Function]:
    """The functions around launch sites that were not reached."""
    return [f for f in interpreter.symbols.all_functions if _has_unreached(interpreter, f)]


def asked_for(interpreter: HostInterpreter) -> Callable[[Function], bool]:
    """Tells whether a function may lead to a launch of a kernel that is asked for."""
    wanted = _files_and_names(interpreter)
    if wanted is None:
        return lambda _: True
    files, names = wanted
    leading = interpreter.reach.leading_to_words(names, files)
    if leading is None:
        return lambda _: True
    return lambda function: not leading.isdisjoint(called_by(function))


def _near(interpreter: HostInterpreter) -> Callable[[Function], bool]:
    """Tells whether a function stands in a file that is asked for, or names a kernel of one."""
    wanted = _files_and_names(interpreter)
    if wanted is None:
        return lambda _: True
    files, names = wanted
    return lambda function: (
        function.path in files or function.words is None or not function.words.isdisjoint(names)
    )


def _files_and_names(interpreter: HostInterpreter) -> tuple[frozenset[Path], set[str]] | None:
    """The files that are asked for and the names that lead to their kernels; None: all are."""
    members = interpreter.options.members
    if members is None:
        return None
    wanted = _wanted(interpreter)
    names = interpreter.reach.launching_on_device({f.name for f in wanted})
    return members | {f.path for f in wanted}, names


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
