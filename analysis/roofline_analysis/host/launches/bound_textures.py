"""Texture references: globals that kernels name, bound to memory by the host program."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.values import Pointer, Value
from roofline_core.program.types import Type

_REFERENCES: Final = ("texture", "textureReference", "surface", "surfaceReference")


def is_reference(type_: Type) -> bool:
    """Whether this is a type of texture or surface references."""
    return type_.name.rpartition("::")[2] in _REFERENCES


def bound_textures(interpreter: HostInterpreter) -> dict[str, Value]:
    """The memory that the program's texture references are bound to, by their names."""
    found: dict[str, Value] = {}
    for place in interpreter.globals.values():
        held = place.get() if is_reference(place.type) else None
        if isinstance(held, Pointer) and held.buffer is not None:
            found[place.name] = held
    return found
