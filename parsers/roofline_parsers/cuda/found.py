"""The declarations that a scan of a file has found so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from roofline_core.program.expressions import Expression
from roofline_core.program.records import record
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Struct, TemplateParameter
from roofline_parsers.cuda.scopes import DeclarationScope


@dataclass(slots=True)
class ScanResult:
    """The declarations that a scan of a file has found so far."""

    functions: list[Function] = field(default_factory=list)
    instantiations: list[Function] = field(default_factory=list)
    class_instantiations: list[Type] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    aliases: dict[str, Type] = field(default_factory=dict)
    alias_params: dict[str, tuple[TemplateParameter, ...]] = field(default_factory=dict)
    enumerators: dict[str, Expression | int] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)
    used_names: dict[str, str] = field(default_factory=dict)
    enums: dict[str, Type] = field(default_factory=dict)
    pack_bytes: list[int | None] = field(default_factory=lambda: [None])
    """The limits that ``#pragma pack`` sets, the one in force last."""


@record(frozen=True, slots=True)
class FunctionExtent:
    """A function's byte offsets in the text."""

    start: int
    body: int
    """Start of the body; the end where there is none."""
    end: int
    function: Function
    scope: DeclarationScope
