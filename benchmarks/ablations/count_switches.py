"""What is guessed of how often the regions of a kernel run: branches and trips."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ablations.model import Replacement, Switch, Witness, differs, gives
from roofline_analysis.counting.branch_odds import EQUALS_ARGUMENT, TAKEN, BranchOdds
from roofline_analysis.counting.trip_estimates import ASSUMED_WHILE, Estimate
from roofline_analysis.regions.kernel_summary import Role
from roofline_core.algebra.evaluate import Lane
from roofline_core.algebra.symbolic import Expr


def _label_alone(odds: BranchOdds, difference: Expr) -> float | None:
    return EQUALS_ARGUMENT if odds._names_a_label(difference) else None


def _product(one: Lane, other: Lane) -> Lane:
    return one * other


def _as_any_loop(*_: Any) -> Estimate:
    return Estimate(ASSUMED_WHILE, "it goes on until data ends it")


def _each_by_itself(odds: float, lanes: float) -> float:
    return odds


def _is_cut_short(trips: Any, args: Any) -> bool:
    return not np.array_equal(trips, args[3])


SWITCHES: Final = (
    Switch(
        "drawn_numbers",
        "branches are not judged by numbers such as arrays hold",
        (gives("roofline_analysis.counting.data_samples.DrawnNumbers.share", None),),
        removes=("roofline_analysis.counting.data_samples",),
    ),
    Switch(
        "branch_odds.joint",
        "conditions of a branch are judged one by one",
        (gives("roofline_analysis.counting.branch_odds.BranchOdds.together", None),),
    ),
    Switch(
        "branch_odds.comparisons",
        "no comparison has odds of its own",
        (gives("roofline_analysis.counting.branch_odds.BranchOdds._of_comparison", None),),
        removes=(
            "roofline_analysis.counting.branch_odds.BranchOdds._of_comparison",
            "roofline_analysis.counting.branch_odds.BranchOdds._of_equality",
            "roofline_analysis.counting.branch_odds.BranchOdds._names_a_label",
            "roofline_analysis.counting.branch_odds._is_tiny",
        ),
    ),
    Switch(
        "branch_odds.an_argument",
        "a loaded number is an argument as often as not",
        (gives("roofline_analysis.counting.branch_odds.BranchOdds._names_a_label", False),),
    ),
    Switch(
        "branch_odds.next_to_nothing",
        "a magnitude is tiny as often as not",
        (gives("roofline_analysis.counting.branch_odds._is_tiny", None),),
    ),
    Switch(
        "branch_odds.remainders",
        "a remainder or a masked number is any value as often as not",
        (
            Replacement(
                "roofline_analysis.counting.branch_odds.BranchOdds._of_equality",
                _label_alone,
                lambda share, _: share not in (None, EQUALS_ARGUMENT),
            ),
        ),
    ),
    Switch(
        "branch_odds.leaving",
        "sides that leave are taken as often as others",
        (Replacement("roofline_analysis.counting.branch_odds.EXITING", TAKEN),),
        Witness(
            "roofline_analysis.counting.branch_odds.BranchOdds._assumed",
            lambda _, args: args[0]._role is not Role.TAKEN,
        ),
    ),
    Switch(
        "branch_odds.both",
        "conditions that data decides are independent",
        (
            Replacement(
                "roofline_analysis.counting.branch_odds.both",
                _product,
                lambda share, args: not np.array_equal(share, _product(*args)),
            ),
        ),
    ),
    Switch(
        "trip_estimates.assumed_trips",
        "a loop of which nothing is known runs once instead of 16 times",
        (
            Replacement("roofline_analysis.counting.trip_estimates.ASSUMED_TRIPS", 1.0),
            Replacement("roofline_analysis.counting.trip_estimates.ASSUMED_WHILE", 1.0),
        ),
        Witness("roofline_analysis.counting.trip_estimates.TripEstimates.of"),
    ),
    Switch(
        "trip_estimates.segments",
        "an array's elements are not shared out over rows",
        (gives("roofline_analysis.counting.trip_estimates.TripEstimates._segment", None),),
    ),
    Switch(
        "trip_estimates.bounds",
        "loops run past the ends of arrays",
        (gives("roofline_analysis.counting.trip_estimates.TripEstimates._bound", ("", math.inf)),),
        removes=(
            "roofline_analysis.counting.trip_estimates.TripEstimates._bound",
            "roofline_analysis.counting.trip_estimates.TripEstimates._is_one_number",
            "roofline_analysis.counting.trip_estimates._strides_above",
        ),
    ),
    Switch(
        "trip_estimates.one_number",
        "a loop to a number that all threads load does not run to the array's end",
        (gives("roofline_analysis.counting.trip_estimates.TripEstimates._is_one_number", False),),
    ),
    Switch(
        "trip_estimates.searches",
        "a search that halves a range runs as any loop",
        (
            Replacement(
                "roofline_analysis.counting.trip_estimates.TripEstimates._search", _as_any_loop
            ),
        ),
        removes=(
            "roofline_analysis.counting.trip_estimates.TripEstimates._search",
            "roofline_analysis.counting.trip_estimates.TripEstimates._mean_difference",
        ),
    ),
    Switch(
        "execution.exit_share",
        "exits that data decides cut no known trips",
        (Replacement("roofline_analysis.counting.execution._EXIT_SHARE", 1.0),),
        Witness("roofline_analysis.counting.execution._Counter._cut_short", _is_cut_short),
    ),
    Switch(
        "execution.ended_by_exit",
        "the exit of an endless loop is not solved for",
        (gives("roofline_analysis.counting.execution._Counter._ended_by_exit", None),),
    ),
    Switch(
        "execution.exact_share",
        "affine conditions are counted on the sample alone",
        (gives("roofline_analysis.counting.execution._Counter._exact_share", None),),
    ),
    Switch(
        "execution.exact_trips",
        "strided loops are counted on the sample alone",
        (gives("roofline_analysis.counting.execution._Counter._exact_trips", None),),
    ),
    Switch(
        "execution.chance_of_any",
        "warps go where data sends them as seldom as each lane",
        (
            Replacement(
                "roofline_analysis.counting.warps.chance_of_any",
                _each_by_itself,
                lambda chance, args: differs(chance, args[0]),
            ),
        ),
    ),
)
