"""Declarations of variables, parameters and fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofline_core.program.expressions import Expression, Name, Unknown
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_parsers.cuda.declarators import Declared, read_declarator, read_operator_cast
from roofline_parsers.cuda.expressions import arguments
from roofline_parsers.cuda.grammar import (
    ARGUMENTS,
    ATTRIBUTE,
    COMMA_TOKEN,
    COMMENT,
    DECLARATORS,
    EQUALS,
    ERROR,
    IDENTIFIER,
    INIT_DECLARATOR,
    INITIALIZER_LIST,
    OPERATOR_CAST,
    PARAMETERS,
    QUALIFIED_IDENTIFIER,
    SEMICOLON,
    TYPE_IDENTIFIER,
    Node,
    kind,
)
from roofline_parsers.cuda.lowering import Lowering, expression
from roofline_parsers.cuda.snippets import parse_arguments
from roofline_parsers.cuda.specifiers import Specifiers, read_specifiers
from roofline_parsers.cuda.type_names import plain_type, qualified_parts

_BINDING = kind("structured_binding_declarator")
_BITFIELD = kind("bitfield_clause")
_PARAMETER = frozenset(
    [
        kind("parameter_declaration"),
        kind("optional_parameter_declaration"),
        kind("variadic_parameter_declaration"),
        kind("explicit_object_parameter_declaration"),
    ]
)
_ONLY_TYPES = frozenset(
    [kind("abstract_pointer_declarator"), kind("abstract_reference_declarator")]
)
_PLAIN_PARAMETER = kind("parameter_declaration")
_NO_DECLARATORS = frozenset([COMMA_TOKEN, SEMICOLON, COMMENT, ERROR, _BITFIELD, ATTRIBUTE])
_AUTO = plain_type("auto")
_VOID = plain_type("void")


def read_variables(
    lo: Lowering, children: list[Node], depth: int, *, in_body: bool
) -> tuple[Specifiers, list[Variable], list[Declared]]:
    """Reads the children of a declaration: its specifiers, variables and function declarators.

    Inside a body, and elsewhere if its parameters name variables, ``dim3 block(n)`` is a variable
    with constructor arguments.
    """
    specifiers = read_specifiers(lo, children, depth)
    base = specifiers.type or _AUTO
    variables: list[Variable] = []
    functions: list[Declared] = []
    for node, init, assigned, width in _declarators(children[specifiers.rest :]):
        if node.kind_id == _BINDING:
            variables += _binding(lo, node, init, base, depth)
            continue
        if node.kind_id == OPERATOR_CAST:
            declared = read_operator_cast(lo, node, depth)
            if declared.function is not None:
                functions.append(declared)
            continue
        declared = read_declarator(lo, node, base, depth)
        args: tuple[Expression, ...] | None = None
        if declared.function is not None:
            args = _constructor_args(lo, declared.function, depth, in_body=in_body)
            if args is None:
                declared.type = declared.type if specifiers.type else _VOID
                functions.append(declared)
                continue
        made = _variable(lo, specifiers, declared, args, init, assigned, depth)
        if width is not None or specifiers.align is not None:
            bits = expression(lo, width.children[-1], depth) if width is not None else None
            made = replace(made, bits=bits, align=specifiers.align)
        variables.append(made)
    if in_body:
        lo.local_values.update(variable.name for variable in variables)
    return specifiers, variables, functions


_Item = tuple[Node, Node | None, bool, Node | None]


def _declarators(children: list[Node]) -> Iterator[_Item]:
    """Each declarator with its initializer, whether that follows a ``=``, and a field's width."""
    index = 0
    while index < len(children):
        child = children[index]
        index += 1
        kind_id = child.kind_id
        if kind_id in _NO_DECLARATORS or not child.is_named:
            continue
        if kind_id == INIT_DECLARATOR:
            parts = [c for c in child.children if c.kind_id not in (COMMENT, ERROR)]
            yield parts[0], parts[-1], len(parts) > 2, None
            continue
        # Fields and conditions write `declarator = value` without a node around it.
        following = children[index].kind_id if index < len(children) else 0
        if following == EQUALS and index + 1 < len(children):
            yield child, children[index + 1], True, None
            index += 2
        elif following == INITIALIZER_LIST:
            yield child, children[index], False, None
            index += 1
        elif following == _BITFIELD:
            yield child, None, False, children[index]
        else:
            yield child, None, False, None


def _variable(
    lo: Lowering,
    specifiers: Specifiers,
    declared: Declared,
    args: tuple[Expression, ...] | None,
    init: Node | None,
    assigned: bool,
    depth: int,
) -> Variable:
    value: Expression | None = None
    name = declared.name
    line = lo.line_of(name) if name is not None else 0
    if init is not None:
        # ``T x[2]{a, b}`` is ``T x[2] = {a, b}``.
        elements = init.kind_id == INITIALIZER_LIST and declared.type.dims
        if not assigned and not elements and init.kind_id in (ARGUMENTS, INITIALIZER_LIST):
            args = arguments(lo, init, depth + 1)
        else:
            value = expression(lo, init, depth)
    open_or_reference = declared.type.name == _AUTO.name or declared.type.reference
    if open_or_reference and args is not None and len(args) == 1:
        (value,), args = args, None  # ``auto x(y)`` and ``T &x{y}`` are ``auto x = y``.
    text = "" if name is None else lo.names[name.start_byte : name.end_byte]
    if text in lo.local_types:
        del lo.local_types[text]
    return Variable(text, declared.type, line, value, args, frozenset(specifiers.qualifiers))


def _binding(lo: Lowering, node: Node, init: Node | None, base: Type, depth: int) -> list[Variable]:
    """``auto [a, b] = f()``: each name is what a numbered subscript of the value would give."""
    value = expression(lo, init, depth) if init is not None else None
    names = [child for child in node.named_children if child.kind_id == IDENTIFIER]
    line = lo.line_of(node)
    return [
        Variable(
            lo.text(name),
            base,
            line,
            None if value is None else Unknown(line, f"{lo.text(name)} of a binding", (value,)),
        )
        for name in names
    ]


def _constructor_args(
    lo: Lowering, function: Node, depth: int, *, in_body: bool
) -> tuple[Expression, ...] | None:
    """The constructor arguments of ``T x(a, b)``; None if it declares a function.

    Inside a body it is a variable unless its parameters are clearly such; elsewhere only if one of
    them is a variable's name.
    """
    if len(function.children) != 2 or function.children[1].kind_id != PARAMETERS:
        return None
    listed = function.children[1]
    parameters = [c for c in listed.children if c.is_named and c.kind_id != COMMENT]
    if not parameters or not all(_may_be_value(lo, item, depth) for item in parameters):
        return None
    args = parse_arguments(lo, listed, depth)
    if args is None or in_body:
        return args
    return args if any(isinstance(a, Name) and lo.is_value(a.name) for a in args) else None


def _may_be_value(lo: Lowering, node: Node, depth: int) -> bool:
    """Whether what was taken for a parameter can be an expression.

    ``n``, ``a * b``, ``x[3]``, ``ns::n`` and ``V<T>::f()`` can; ``int``, ``T name``, ``T*``,
    ``const T`` and a name known to be a type cannot.
    """
    children = [c for c in node.children if c.kind_id != COMMENT]
    if node.kind_id != _PLAIN_PARAMETER or not 1 <= len(children) <= 2:
        return False
    head, *rest = children
    if head.kind_id == TYPE_IDENTIFIER:
        if lo.is_type(lo.text(head)):
            return False
    elif head.kind_id == QUALIFIED_IDENTIFIER:
        name, args, _ = qualified_parts(lo, head, depth)
        if lo.is_type(name.rpartition("::")[2]) or (args is not None and not rest):
            return False
    else:
        return False
    return not rest or (rest[0].kind_id in DECLARATORS and rest[0].kind_id not in _ONLY_TYPES)


def read_parameters(lo: Lowering, function: Node, depth: int) -> tuple[Variable, ...]:
    """The parameters of a function or lambda declarator; ``(void)`` has none."""
    found: list[Variable] = []
    for child in function.children:
        if child.kind_id == PARAMETERS:
            for parameter in child.children:
                if parameter.kind_id in _PARAMETER:
                    found.append(read_parameter(lo, parameter, depth))
            break
    if len(found) == 1 and not found[0].name and found[0].type == _VOID:
        return ()
    return tuple(found)


def read_parameter(lo: Lowering, node: Node, depth: int) -> Variable:
    """One parameter, its default as ``init``."""
    children = node.children
    specifiers = read_specifiers(lo, children, depth)
    declarator: Node | None = None
    init: Expression | None = None
    after_equals = False
    for child in children[specifiers.rest :]:
        if child.kind_id == EQUALS:
            after_equals = True
        elif not child.is_named or child.kind_id in (COMMENT, ERROR):
            continue
        elif after_equals:
            init = expression(lo, child, depth)
        elif declarator is None:
            declarator = child
    declared = read_declarator(lo, declarator, specifiers.type or _AUTO, depth)
    name = "" if declared.name is None else lo.text(declared.name)
    return Variable(
        name,
        declared.type,
        lo.line_of(node),
        init,
        qualifiers=frozenset(specifiers.qualifiers),
    )
