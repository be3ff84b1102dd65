"""Every switch, and what cannot be switched off."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections.abc import Sequence
from typing import Final

from ablations import count_switches, device_switches, host_switches, traffic_switches
from ablations.model import Switch, Unswitched
from ablations.replacing import place_of

SWITCHES: Final[tuple[Switch, ...]] = (
    *host_switches.SWITCHES,
    *count_switches.SWITCHES,
    *traffic_switches.SWITCHES,
    *device_switches.SWITCHES,
)
UNSWITCHED: Final[tuple[Unswitched, ...]] = (
    *host_switches.UNSWITCHED,
    *traffic_switches.UNSWITCHED,
)


def chosen(names: Sequence[str]) -> tuple[Switch, ...]:
    """The switches of some names; a module's name stands for all of its. None named: all.

    Raises LookupError for a name that there is none of.
    """
    found = tuple(
        switch
        for switch in SWITCHES
        if not names or switch.name in names or switch.name.split(".")[0] in names
    )
    known = {part for switch in SWITCHES for part in (switch.name, switch.name.split(".")[0])}
    known |= {each.name for each in UNSWITCHED}
    for name in names:
        if name not in known:
            raise LookupError(f"there is no switch '{name}'; --list shows them")
    return found


def lines_of(switch: Switch) -> int:
    """Lines of code that would go with a heuristic, blank ones and comments included."""
    named = switch.removes or tuple(each.target for each in switch.replacements)
    return sum(map(lines_named, named))


def lines_named(target: str) -> int:
    """Lines of a module, class or function by its full dotted name; 1 for a constant."""
    with contextlib.suppress(ModuleNotFoundError):
        return len(inspect.getsource(importlib.import_module(target)).splitlines())
    value = place_of(target).value
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return 1
    return len(inspect.getsourcelines(inspect.unwrap(value))[0])
