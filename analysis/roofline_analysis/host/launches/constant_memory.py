"""What lies in constant memory at a launch: variables that the host copied to, or initialised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.host.launches.contents import Contents, numbers_of
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import HostPlace, Storage
from roofline_analysis.host.state.names import global_place
from roofline_analysis.host.values import Aggregate, Scalar, Value
from roofline_core.program.units import Function

_MOST: Final = 64
"""The most variables whose values are kept with a launch. A limit on the work."""


def constant_values(interpreter: HostInterpreter, kernel: Function) -> Mapping[str, Value]:
    """Numbers and objects in constant memory by name, but for names of the kernel's parameters."""
    found: dict[str, Value] = {}
    for name, place in _variables(interpreter, kernel):
        value = place.get()
        if isinstance(value, Scalar | Aggregate):
            found[name] = value
    return found


def constant_contents(interpreter: HostInterpreter, kernel: Function) -> dict[str, Contents]:
    """The known integers of arrays in constant memory, by name and bytes from the start."""
    found: dict[str, Contents] = {}
    for name, place in _variables(interpreter, kernel):
        held = place.get()
        numbers = numbers_of(interpreter, held) if isinstance(held, Storage) else []
        if numbers:
            found[name] = dict(numbers)
    return found


def _variables(interpreter: HostInterpreter, kernel: Function) -> Iterator[tuple[str, HostPlace]]:
    """The variables in constant memory whose contents the host's code says."""
    hidden = {parameter.name for parameter in kernel.params}
    seen = 0
    for name, entries in interpreter.symbols.globals.items():
        held = [each for each in entries if "__constant__" in each.variable.qualifiers]
        if len(held) > 1:  # each file has its own
            held = [each for each in held if each.path == kernel.path]
        if len(held) != 1 or name in hidden or seen >= _MOST:
            continue
        seen += 1
        variable = held[0].variable
        if variable.init is not None or variable.name in interpreter.copied_symbols:
            yield variable.name, global_place(interpreter, variable)
