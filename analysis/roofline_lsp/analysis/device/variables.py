"""A kernel's variables during the walk, as the parts that only look at them see them."""

from __future__ import annotations

from typing import Protocol

from roofline_lsp.analysis.device.machine import Machine
from roofline_lsp.analysis.device.values import DeviceValue
from roofline_lsp.analysis.layout import TypeResolver
from roofline_lsp.kernel.types import Type


class Variables(Protocol):
    """The walker, to modules that it imports itself."""

    machine: Machine
    types: TypeResolver
    slots: dict[int, DeviceValue]
    """What each variable holds."""
    slot_types: dict[int, Type]
