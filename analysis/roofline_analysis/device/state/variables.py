"""The interpreter's read-only interface to a kernel's variables."""

from __future__ import annotations

from typing import Protocol

from roofline_analysis.device.costs.cost_model import CostModel
from roofline_analysis.device.values import DeviceValue
from roofline_analysis.language.types_in_force import TypesInForce
from roofline_core.program.types import Type


class Variables(Protocol):
    """The part of the interpreter that modules imported by the interpreter use."""

    costs: CostModel
    types: TypesInForce
    slots: dict[int, DeviceValue]
    """The value of each variable, by slot."""
    slot_types: dict[int, Type]

    def bytes_of(self, type_: Type) -> int:
        """Bytes of a value; for a type of unknown size an assumed number, named in the summary."""
        ...
