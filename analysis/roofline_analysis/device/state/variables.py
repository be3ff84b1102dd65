"""A kernel's variables during the walk, as the parts that only look at them see them."""

from __future__ import annotations

from typing import Protocol

from roofline_analysis.device.costs.cost_model import Machine
from roofline_analysis.device.values import DeviceValue
from roofline_analysis.language.types_in_force import TypesInForce
from roofline_core.program.types import Type


class Variables(Protocol):
    """The walker, to modules that it imports itself."""

    machine: Machine
    types: TypesInForce
    slots: dict[int, DeviceValue]
    """What each variable holds."""
    slot_types: dict[int, Type]

    def bytes_of(self, type_: Type) -> int:
        """Bytes of a value; of a type whose size is not known a number that the summary names."""
        ...
