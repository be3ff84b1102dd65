"""What the execution of host programs guesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from ablations.model import Replacement, Switch, Unswitched, Witness, differs, gives, skips
from roofline_analysis.host.loops.loop_probe import NOTHING
from roofline_analysis.host.loops.scalar_evolution import Induction
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_core.program import statements as st
from roofline_core.program.units import Function


def _unknown_induction(interpreter: HostInterpreter, name: str, *_: Any) -> Induction:
    return Induction(name, None, None)


def _all_of(
    functions: Sequence[Function],
    words_of: Callable[..., Any],
    tables: Mapping[str, Any] = MappingProxyType({}),
) -> list[Function]:
    return list(functions)


def _statements_alone(interpreter: HostInterpreter, node: st.For | st.While) -> int:
    return max(1, interpreter.reach.effects(node.body).statements)


SWITCHES: Final = (
    Switch(
        "sampled_contents",
        "no numbers are drawn from what the host stores",
        (
            gives("roofline_analysis.host.state.array_samples.drawn_where", (1.0, None)),
            gives("roofline_analysis.host.launches.sampled_contents.passed_draws", {}),
        ),
        removes=("roofline_analysis.host.state.array_samples",),
    ),
    Switch(
        "sampled_contents.passed_draws",
        "kernels are told nothing of what arrays hold",
        (gives("roofline_analysis.host.launches.sampled_contents.passed_draws", {}),),
    ),
    Switch(
        "sampled_contents.elements",
        "elements of sampled arrays are not known in loops of the host",
        (gives("roofline_analysis.host.state.access._sampled", None),),
    ),
    Switch(
        "written_samples",
        "nothing is known of what kernels write",
        (gives("roofline_analysis.host.launches.written_contents._array_of", None),),
        removes=(
            "roofline_analysis.host.launches.written_contents",
            "roofline_analysis.verdict.written_samples",
        ),
    ),
    Switch(
        "loop_probe",
        "no loop is tried out",
        (gives("roofline_analysis.host.loops.loop_probe.try_out", NOTHING),),
        removes=("roofline_analysis.host.loops.loop_probe",),
    ),
    Switch(
        "loop_probe.growth",
        "what a trip adds to variables is not told",
        (gives("roofline_analysis.host.loops.loop_probe._growth", {}),),
    ),
    Switch(
        "loop_probe.running_sum",
        "running sums are not recognised",
        (gives("roofline_analysis.host.loops.loop_probe._running_sum", None),),
        removes=(
            "roofline_analysis.host.loops.loop_probe._running_sum",
            "roofline_analysis.host.loops.loop_probe._summed",
            "roofline_analysis.host.loops.loop_probe._element",
        ),
    ),
    Switch(
        "sizes_from_occupancy",
        "open sizes stay at 1024",
        (skips("roofline_analysis.host.launches.sizes_from_occupancy.assume_full_launches"),),
        Witness(
            "roofline_analysis.host.launches.sizes_from_occupancy._filling_size",
            lambda size, _: size is not None,
        ),
        removes=("roofline_analysis.host.launches.sizes_from_occupancy",),
    ),
    Switch(
        "scalar_evolution.trip_count",
        "trips of loops are not computed",
        (gives("roofline_analysis.host.loops.scalar_evolution.trip_count", None),),
        removes=("roofline_analysis.host.loops.scalar_evolution",),
    ),
    Switch(
        "final_values.final_value",
        "what loops add to variables is not computed",
        (gives("roofline_analysis.host.loops.final_values.final_value", None),),
        removes=(
            "roofline_analysis.host.loops.final_values.final_value",
            "roofline_analysis.host.loops.final_values._growth",
            "roofline_analysis.host.loops.final_values._added",
            "roofline_analysis.host.loops.final_values._growth_of_loop",
            "roofline_analysis.host.loops.final_values._first_value",
            "roofline_analysis.host.loops.final_values._growth_up_to",
        ),
    ),
    Switch(
        "scalar_evolution.geometric",
        "trips of loops that multiply or halve are not computed",
        (
            Replacement(
                "roofline_analysis.host.loops.scalar_evolution._geometric",
                _unknown_induction,
                lambda found, _: found.trips is not None,
            ),
        ),
        removes=(
            "roofline_analysis.host.loops.scalar_evolution._geometric",
            "roofline_analysis.host.loops.scalar_evolution._moved",
        ),
    ),
    Switch(
        "final_values.growth_up_to",
        "additions that stop at a bound are not followed",
        (gives("roofline_analysis.host.loops.final_values._growth_up_to", None),),
    ),
    Switch(
        "summary",
        "what a loop changes keeps the value of the last trip executed",
        (skips("roofline_analysis.host.loops.summary.summarise"),),
        removes=("roofline_analysis.host.loops.summary",),
    ),
    Switch(
        "summary.forget_element",
        "a store to one element forgets the whole array",
        (gives("roofline_analysis.host.loops.summary._forget_element", False),),
    ),
    Switch(
        "summary.array_stored_to",
        "a store through a member forgets all that its object leads to",
        (gives("roofline_analysis.host.loops.summary._array_stored_to", None),),
    ),
    Switch(
        "havoc",
        "code that is not followed changes nothing",
        (
            skips("roofline_analysis.host.state.havoc.forget_value"),
            skips("roofline_analysis.host.state.havoc.forget_reachable"),
            skips("roofline_analysis.host.state.havoc.forget_call"),
            skips("roofline_analysis.host.state.havoc.forget_names"),
            skips("roofline_analysis.host.state.havoc.forget_unknown_call"),
        ),
        removes=("roofline_analysis.host.state.havoc",),
    ),
    Switch(
        "contents",
        "kernels are told no numbers behind pointers",
        (gives("roofline_analysis.host.launches.contents.contents_of", {}),),
        removes=("roofline_analysis.host.launches.contents",),
    ),
    Switch(
        "loops.affordable",
        "a loop whose launches repeat is never executed to its end",
        (gives("roofline_analysis.host.loops.execution._affordable", False),),
    ),
    Switch(
        "loops.cost",
        "loops in the body of a loop cost nothing more",
        (
            Replacement(
                "roofline_analysis.host.loops.execution._cost",
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
                "roofline_analysis.host.effects.launch_words.suspects",
                _all_of,
                lambda found, args: len(found) < len(args[0]),
            ),
        ),
    ),
)

UNSWITCHED: Final = (
    Unswitched(
        "reach",
        "roofline_analysis.host.effects.reach",
        "says what code may change and launch; the execution of every loop and call asks it",
    ),
)
