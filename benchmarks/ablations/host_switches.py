"""What the execution of host programs guesses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ablations.model import Replacement, Switch, Unswitched, Witness, differs, gives, skips
from roofline_lsp.analysis.host.closed_forms import Induction
from roofline_lsp.analysis.host.machine import Machine
from roofline_lsp.analysis.host.trials import NOTHING
from roofline_lsp.kernel import statements as st
from roofline_lsp.kernel.program import Function


def _unknown_induction(m: Machine, name: str, *_: Any) -> Induction:
    return Induction(name, None, None)


def _all_of(functions: Sequence[Function], words_of: Callable[..., Any]) -> list[Function]:
    return list(functions)


def _statements_alone(m: Machine, node: st.For | st.While) -> int:
    return max(1, m.reach.effects(node.body).statements)


SWITCHES: Final = (
    Switch(
        "draws",
        "no numbers are drawn from what the host stores",
        (
            gives("roofline_lsp.analysis.host.draws.drawn_from", None),
            gives("roofline_lsp.analysis.host.draws.passed_draws", {}),
        ),
        removes=("roofline_lsp.analysis.host.draws",),
    ),
    Switch(
        "draws.passed_draws",
        "kernels are told nothing of what arrays hold",
        (gives("roofline_lsp.analysis.host.draws.passed_draws", {}),),
    ),
    Switch(
        "trials",
        "no loop is tried out",
        (gives("roofline_lsp.analysis.host.trials.try_out", NOTHING),),
        removes=("roofline_lsp.analysis.host.trials",),
    ),
    Switch(
        "trials.growth",
        "what a trip adds to variables is not told",
        (gives("roofline_lsp.analysis.host.trials._growth", {}),),
    ),
    Switch(
        "trials.running_sum",
        "running sums are not recognised",
        (gives("roofline_lsp.analysis.host.trials._running_sum", None),),
        removes=(
            "roofline_lsp.analysis.host.trials._running_sum",
            "roofline_lsp.analysis.host.trials._summed",
            "roofline_lsp.analysis.host.trials._element",
        ),
    ),
    Switch(
        "realistic",
        "open sizes stay at 1024",
        (skips("roofline_lsp.analysis.host.realistic.assume_full_launches"),),
        Witness(
            "roofline_lsp.analysis.host.realistic._filling_size", lambda size, _: size is not None
        ),
        removes=("roofline_lsp.analysis.host.realistic",),
    ),
    Switch(
        "closed_forms.trip_count",
        "trips of loops are not computed",
        (gives("roofline_lsp.analysis.host.closed_forms.trip_count", None),),
        removes=("roofline_lsp.analysis.host.closed_forms",),
    ),
    Switch(
        "closed_forms.final_value",
        "what loops add to variables is not computed",
        (gives("roofline_lsp.analysis.host.closed_forms.final_value", None),),
        removes=(
            "roofline_lsp.analysis.host.closed_forms.final_value",
            "roofline_lsp.analysis.host.closed_forms._growth",
            "roofline_lsp.analysis.host.closed_forms._added",
            "roofline_lsp.analysis.host.closed_forms._growth_of_loop",
            "roofline_lsp.analysis.host.closed_forms._first_value",
            "roofline_lsp.analysis.host.closed_forms._growth_up_to",
        ),
    ),
    Switch(
        "closed_forms.geometric",
        "trips of loops that multiply or halve are not computed",
        (
            Replacement(
                "roofline_lsp.analysis.host.closed_forms._geometric",
                _unknown_induction,
                lambda found, _: found.trips is not None,
            ),
        ),
        removes=(
            "roofline_lsp.analysis.host.closed_forms._geometric",
            "roofline_lsp.analysis.host.closed_forms._moved",
        ),
    ),
    Switch(
        "closed_forms.growth_up_to",
        "additions that stop at a bound are not followed",
        (gives("roofline_lsp.analysis.host.closed_forms._growth_up_to", None),),
    ),
    Switch(
        "summary",
        "what a loop changes keeps the value of the last trip executed",
        (skips("roofline_lsp.analysis.host.summary.summarise"),),
        removes=("roofline_lsp.analysis.host.summary",),
    ),
    Switch(
        "summary.forget_element",
        "a store to one element forgets the whole array",
        (gives("roofline_lsp.analysis.host.summary._forget_element", False),),
    ),
    Switch(
        "summary.array_stored_to",
        "a store through a member forgets all that its object leads to",
        (gives("roofline_lsp.analysis.host.summary._array_stored_to", None),),
    ),
    Switch(
        "havoc",
        "code that is not followed changes nothing",
        (
            skips("roofline_lsp.analysis.host.havoc.forget_value"),
            skips("roofline_lsp.analysis.host.havoc.forget_reachable"),
            skips("roofline_lsp.analysis.host.havoc.forget_call"),
            skips("roofline_lsp.analysis.host.havoc.forget_names"),
            skips("roofline_lsp.analysis.host.havoc.forget_unknown_call"),
        ),
        removes=("roofline_lsp.analysis.host.havoc",),
    ),
    Switch(
        "contents",
        "kernels are told no numbers behind pointers",
        (gives("roofline_lsp.analysis.host.contents.contents_of", {}),),
        removes=("roofline_lsp.analysis.host.contents",),
    ),
    Switch(
        "loops.affordable",
        "a loop whose launches repeat is never executed to its end",
        (gives("roofline_lsp.analysis.host.loops._affordable", False),),
    ),
    Switch(
        "loops.cost",
        "loops in the body of a loop cost nothing more",
        (
            Replacement(
                "roofline_lsp.analysis.host.loops._cost",
                _statements_alone,
                lambda cost, args: differs(cost, _statements_alone(*args)),
            ),
        ),
    ),
    Switch(
        "launch_words.suspects",
        "every function is read, whatever its words",
        (
            Replacement(
                "roofline_lsp.analysis.host.launch_words.suspects",
                _all_of,
                lambda found, args: len(found) < len(args[0]),
            ),
        ),
        removes=("roofline_lsp.analysis.host.launch_words",),
    ),
)

UNSWITCHED: Final = (
    Unswitched(
        "reach",
        "roofline_lsp.analysis.host.reach",
        "says what code may change and launch; the execution of every loop and call asks it",
    ),
)
