"""The regimes of a launch: how far its work-groups fill a device."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

ITEMS_PER_UNIT: Final = 2048
"""Work-items that a compute unit holds at a time, as most GPUs' do; OpenCL does not tell it."""
_ROUNDS: Final = 4
"""So many times as many groups as fill a device are the most that are launched. Assumed."""


class Regime(Enum):
    """LLMPerf's three regimes; the values are what tables and files have."""

    IDLE = "idle SMs"
    """Fewer groups than compute units."""
    UNDER_UTILISED = "under-utilised"
    """Each unit has a group, and could hold more."""
    FULLY_UTILISED = "fully utilised"
    """At least as many groups as the device holds at a time."""


@dataclass(frozen=True, slots=True)
class LaidOutFor:
    """The device that launches are laid out for."""

    units: int
    """Compute units."""
    items_per_unit: int = ITEMS_PER_UNIT
    """Work-items that a unit holds at a time."""

    def resident(self, group_items: int) -> int:
        """Groups of so many work-items that the device holds at a time."""
        return self.units * max(1, self.items_per_unit // group_items)


@dataclass(frozen=True, slots=True)
class GroupRange:
    """Numbers of work-groups, both ends included."""

    low: int
    high: int


def regime_of(groups: int, group_items: int, machine: LaidOutFor) -> Regime:
    """The regime of a launch of ``groups`` groups of ``group_items`` work-items."""
    if groups < machine.units:
        return Regime.IDLE
    if groups < machine.resident(group_items):
        return Regime.UNDER_UTILISED
    return Regime.FULLY_UTILISED


def group_ranges(
    group_items: int, machine: LaidOutFor, most_items: int
) -> dict[Regime, GroupRange]:
    """The numbers of groups of each regime, with no more than ``most_items`` work-items in all.

    A regime that no launch can be in is left out: a device of one unit is never idle.
    """
    full = machine.resident(group_items)
    most = min(_ROUNDS * full, most_items // group_items)
    bounds = {
        Regime.IDLE: (1, min(machine.units - 1, most)),
        Regime.UNDER_UTILISED: (machine.units, min(full - 1, most)),
        Regime.FULLY_UTILISED: (full, most),
    }
    return {regime: GroupRange(low, high) for regime, (low, high) in bounds.items() if low <= high}
