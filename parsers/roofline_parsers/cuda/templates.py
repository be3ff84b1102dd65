"""Template parameters."""

from __future__ import annotations

from roofline_core.program.units import TemplateParameter
from roofline_parsers.cuda.grammar import COMMENT, ERROR, TYPE_IDENTIFIER, Node, kind
from roofline_parsers.cuda.lowering import Lowering
from roofline_parsers.cuda.scopes import TemplateParams
from roofline_parsers.cuda.type_names import type_of
from roofline_parsers.cuda.variables import read_parameter

_TYPE_PARAMETERS = frozenset(
    map(
        kind,
        (
            "type_parameter_declaration",
            "variadic_type_parameter_declaration",
            "optional_type_parameter_declaration",
            "template_template_parameter_declaration",
        ),
    )
)
_VALUE_PARAMETERS = frozenset(
    map(
        kind,
        (
            "parameter_declaration",
            "optional_parameter_declaration",
            "variadic_parameter_declaration",
        ),
    )
)
_VARIADIC_TYPE = kind("variadic_type_parameter_declaration")
_TEMPLATE_TEMPLATE = kind("template_template_parameter_declaration")
_VARIADIC_VALUE = kind("variadic_parameter_declaration")


def read_template_parameters(lo: Lowering, node: Node, depth: int) -> TemplateParams:
    """The parameters of a ``template <...>`` list; each type among them becomes known."""
    found = []
    for child in node.children:
        kind_id = child.kind_id
        if kind_id in _VALUE_PARAMETERS:
            variable = read_parameter(lo, child, depth)
            pack = kind_id == _VARIADIC_VALUE
            found.append(TemplateParameter(variable.name, variable.type, variable.init, pack))
            lo.local_values.add(variable.name)
        elif kind_id in _TYPE_PARAMETERS:
            found.append(_type_parameter(lo, child, depth))
    return tuple(found)


def _type_parameter(lo: Lowering, node: Node, depth: int) -> TemplateParameter:
    if node.kind_id == _TEMPLATE_TEMPLATE:
        return _type_parameter(lo, node.children[-1], depth)
    named = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
    name = lo.text(named[0]) if named and named[0].kind_id == TYPE_IDENTIFIER else ""
    rest = named[1:] if name else named
    default = type_of(lo, rest[-1], depth) if rest else None
    if name:
        lo.local_types[name] = None
    return TemplateParameter(name, None, default, node.kind_id == _VARIADIC_TYPE)
