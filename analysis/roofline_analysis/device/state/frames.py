"""Functions being walked: the names in sight, and what a function has returned so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from roofline_analysis.device.values import DeviceValue, Place
from roofline_analysis.language import scope as language
from roofline_analysis.language.scope import Binding
from roofline_analysis.language.types_in_force import InForce
from roofline_analysis.regions.kernel_summary import Region
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function


@dataclass(slots=True)
class BlockScope:
    """Names of a block, looked up through the blocks around it."""

    names: dict[str, Place]
    parent: BlockScope | None = None
    references: dict[str, Type] = field(default_factory=dict)
    """The types that references are declared with; what they name may be of a derived class."""

    def find(self, name: str) -> Place | None:
        """The variable of this name that is in sight."""
        scope: BlockScope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def seen_as(self, name: str) -> Type | None:
        """The type that a reference in sight is declared with; None for any other variable."""
        scope: BlockScope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.references.get(name)
            scope = scope.parent
        return None


@dataclass(slots=True)
class DeviceFrame:
    """One function being walked."""

    function: Function | None
    returns: list[DeviceValue | Place] = field(default_factory=list)
    """What its ``return`` statements give: a place where it returns a reference."""
    conditions: list[Expr | None] = field(default_factory=list)
    """For each of these: what must hold to come there, if all before were passed by."""
    returns_reference: bool = False
    this: Place | None = None
    first_slot: int = 0
    """The variables from here on end with the function."""
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    """The function's template parameters, as far as they are known."""
    loop_around: Region | None = None
    """The innermost loop around its call, which its ``return`` statements do not end."""
    region_around: Region | None = None
    """The region in which it is called."""


def function_around(frames: list[DeviceFrame]) -> Function | None:
    """The innermost function being walked, that around a lambda for its body."""
    return next((f.function for f in reversed(frames) if f.function is not None), None)


@record(frozen=True, slots=True, eq=False)
class Names:
    """The name bindings in a function's body."""

    local: dict[str, Place]
    """Variables of its own to begin with."""
    types: language.Scope
    """Template parameters and the class around."""
    constants: dict[str, DeviceValue]
    """Template parameters whose numbers are not known, such as the kernel's own."""
    parent: BlockScope | None = None
    """The variables around a lambda."""


Entered = tuple[BlockScope, InForce, dict[str, DeviceValue]]
"""The state that ``DeviceInterpreter.enter`` returns for ``leave``."""
