"""What is guessed of how often the regions of a kernel run: branches and trips."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ablations.model import Replacement, Switch, Witness, differs, gives
from roofline_analysis.counting.branch_odds import TAKEN
from roofline_analysis.regions.kernel_summary import Role
from roofline_core.algebra.evaluate import Lane


def _product(one: Lane, other: Lane) -> Lane:
    return one * other


def _each_by_itself(odds: float, lanes: float) -> float:
    return odds


def _is_cut_short(trips: Any, args: Any) -> bool:
    return not np.array_equal(trips, args[2])


SWITCHES: Final = (
    Switch(
        "data_samples",
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
        "branch_odds.remainders",
        "a remainder or a masked number is any value as often as not",
        (gives("roofline_analysis.counting.branch_odds._of_remainder", None),),
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
            "roofline_analysis.counting.trip_estimates._strides_above",
        ),
    ),
    Switch(
        "execution.exit_share",
        "exits that data decides cut no known trips",
        (Replacement("roofline_analysis.counting.exits._EXIT_SHARE", 1.0),),
        Witness("roofline_analysis.counting.execution.cut_short", _is_cut_short),
    ),
    Switch(
        "execution.ended_by_exit",
        "the exit of an endless loop is not solved for",
        (gives("roofline_analysis.counting.execution.ended_by_exit", None),),
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
