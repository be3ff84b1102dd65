"""Function headers, kernels and methods; bodies are read when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from roofline_core.program.expressions import Expression
from roofline_core.program.records import record
from roofline_core.program.units import Function, Problem
from roofline_parsers.cuda.bodies import BodyReader, has_launches
from roofline_parsers.cuda.declarators import (
    Declared,
    function_qualifiers,
    read_declarator,
    read_operator_cast,
    spelled,
    trailing_return,
)
from roofline_parsers.cuda.expressions import arguments
from roofline_parsers.cuda.grammar import (
    ARGUMENTS,
    COMMENT,
    COMPOUND,
    DESTRUCTOR_NAME,
    ERROR,
    INITIALIZER_LIST,
    OPERATOR_CAST,
    OPERATOR_NAME,
    QUALIFIED_IDENTIFIER,
    TEMPLATE_FUNCTION,
    TEMPLATE_METHOD,
    TRY,
    Node,
    kind,
)
from roofline_parsers.cuda.lowering import Lowering
from roofline_parsers.cuda.scopes import DeclarationScope, KnownNames, lowering_for
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.cuda.specifiers import Specifiers, read_specifiers
from roofline_parsers.cuda.type_names import (
    TemplateArgs,
    canonical,
    plain_type,
    qualified_parts,
    template_parts,
)
from roofline_parsers.cuda.variables import read_parameters

Initializers = tuple[tuple[str, tuple[Expression, ...]], ...]

_INITIALIZERS = kind("field_initializer_list")
_INITIALIZER = kind("field_initializer")
_CLAUSES = frozenset(
    map(kind, ("default_method_clause", "delete_method_clause", "pure_virtual_clause"))
)


@dataclass(slots=True)
class _FunctionName:
    name: str
    path: str
    """The qualification written with the name: ``S::In`` of ``S::In::f``."""
    node: Node
    """The node of the name alone."""
    template_args: TemplateArgs | None = None
    scope_args: TemplateArgs = ()
    """The arguments of the class in the qualification."""
    scope_templates: int = 0
    """How many classes of the qualification have template arguments."""


def _last_name(lo: Lowering, node: Node) -> tuple[Node, int]:
    """The last component of a qualified name, and how many before it have arguments."""
    templates = 0
    while node.kind_id == QUALIFIED_IDENTIFIER:
        children = [c for c in node.children if c.is_named and c.kind_id not in (COMMENT, ERROR)]
        templates += sum(1 for child in children[:-1] if child.kind_id not in _SCOPE_NAMES)
        if not children:
            break
        node = children[-1]
    return node, templates


_SCOPE_NAMES = frozenset(
    map(kind, ("namespace_identifier", "identifier", "type_identifier", "qualified_identifier"))
)


def _read_name(lo: Lowering, node: Node, depth: int) -> _FunctionName:
    last, templates = _last_name(lo, node)
    path = ""
    scope_args: TemplateArgs = ()
    if last is not node:
        full, _, scope_args = qualified_parts(lo, node, depth)
        path = full.rpartition("::")[0]
        if last.kind_id == OPERATOR_NAME:
            path = full[: full.rindex("operator")].removesuffix("::")
    args: TemplateArgs | None = None
    name_node = last
    if last.kind_id in (TEMPLATE_FUNCTION, TEMPLATE_METHOD):
        name, args = template_parts(lo, last, depth)
        name_node = last.children[0]
    elif last.kind_id == OPERATOR_CAST:
        name = f"operator {spelled(read_operator_cast(lo, last, depth).type)}"
    elif last.kind_id in (OPERATOR_NAME, DESTRUCTOR_NAME):
        words = lo.text(last).removeprefix("operator").split()
        symbol = " ".join(words) if words and words[0].isalpha() else "".join(words)
        if last.kind_id == DESTRUCTOR_NAME:
            name = symbol
        else:
            name = f"operator {symbol}" if symbol[:1].isalpha() else f"operator{symbol}"
    else:
        name = lo.text(last)
    return _FunctionName(name, path, name_node, args, scope_args, templates)


def read_function(
    source: ParserInput,
    known: KnownNames,
    node: Node,
    scope: DeclarationScope,
    depth: int,
) -> Function | None:
    """A function with a body (or ``= default``); None if no name can be found in it."""
    lo = lowering_for(source, known, scope)
    specifiers = read_specifiers(lo, node.children, depth)
    declarator: Node | None = None
    body: Node | None = None
    initializers: Node | None = None
    for index, child in enumerate(node.children):
        kind_id = child.kind_id
        if kind_id in (COMPOUND, TRY):
            body = child
        elif kind_id == _INITIALIZERS:
            initializers = child
        elif index < specifiers.rest or kind_id in _NO_DECLARATORS:
            continue
        elif declarator is None and child.is_named:
            declarator = child
    if declarator is None:
        # `S::operator float() { ... }`: what looks like a type is the name.
        declarator, specifiers.type = specifiers.type_node, None
    if declarator is None:
        return None
    declared = _declared(lo, declarator, specifiers, depth)
    if declared is None:
        return None
    fields = () if initializers is None else _read_initializers(lo, initializers, depth)
    parts = FunctionParts(node, specifiers, declared, body, fields)
    return make_function(lo, known, parts, scope, depth)


_NO_DECLARATORS = _CLAUSES | {COMMENT, ERROR}


def _declared(lo: Lowering, node: Node, specifiers: Specifiers, depth: int) -> Declared | None:
    """Reads a function's declarator; None if there is no function in it."""
    last, _ = _last_name(lo, node)
    if last.kind_id == OPERATOR_CAST:
        declared = read_operator_cast(lo, last, depth)
        declared.name = node
        return declared if declared.function is not None else None
    declared = read_declarator(lo, node, specifiers.type or plain_type("void"), depth)
    return declared if declared.function is not None and declared.name is not None else None


@record(frozen=True, slots=True)
class FunctionParts:
    """What a function's declaration consists of."""

    node: Node
    """The whole declaration: what the function's span covers."""
    specifiers: Specifiers
    declared: Declared
    body: Node | None = None
    initializers: Initializers = ()
    instantiation: bool = False
    """Whether it stands after a plain ``template``."""


def make_function(
    lo: Lowering, known: KnownNames, parts: FunctionParts, scope: DeclarationScope, depth: int
) -> Function:
    """A function from its declaration."""
    node, specifiers, declared, body = parts.node, parts.specifiers, parts.declared, parts.body
    source = lo.source
    by_constexpr = "constexpr" in specifiers.qualifiers and not specifiers.const_written
    if declared.type.const and by_constexpr:
        declared.type = replace(declared.type, const=False)
    if specifiers.type_node is not None and lo.text(specifiers.type_node) == "decltype(auto)":
        declared.type = replace(declared.type, reference=True)
    assert declared.name is not None
    assert declared.function is not None
    name = _read_name(lo, declared.name, depth)
    scoped, _, word = declared.type.name.rpartition("::")
    if word == "operator" and lo.text(name.node).isidentifier():
        # `__device__ operator float()` is taken for a plain function `float` of type `operator`.
        declared.type = replace(
            declared.type, name=canonical(name.name), args=name.template_args or ()
        )
        name = _FunctionName(f"operator {spelled(declared.type)}", scoped, name.node)
    qualifiers = specifiers.qualifiers | function_qualifiers(lo, declared.function)
    if scope.extern_c:
        qualifiers.add('extern "C"')
    if scope.constrained:
        qualifiers.add("requires")
    owner = scope.owner
    if name.path and name.path.rpartition("::")[2] not in known.namespaces:
        owner = scope.prefix + name.path
    own = scope.template_lists[len(scope.template_lists) - scope.own_lists :]
    params = tuple(param for params in own[name.scope_templates :] for param in params)
    if own[name.scope_templates :] and not params and "__global__" not in qualifiers:
        name.template_args = name.template_args or ()  # ``template <> int f(float)``.
    path = f"{scope.prefix}{name.path}::" if name.path else scope.prefix
    variables = read_parameters(lo, declared.function, depth)
    problems: list[Problem] = []
    reader: BodyReader | None = None
    if body is not None:
        names = tuple(variable.name for variable in variables)
        start, end = body.start_byte, body.end_byte
        reader = BodyReader(source, known, start, end, scope, path + name.name, names, problems)
    return Function(
        name=name.name,
        qualified_name=path + name.name,
        path=source.path,
        span=source.span(node.start_point, node.end_point),
        name_span=source.name_span(name.name, name.node.start_point, name.node.end_point),
        return_type=trailing_return(lo, declared.function, depth) or declared.type,
        params=variables,
        template_params=params,
        qualifiers=frozenset(qualifiers),
        dialect=source.dialect,
        owner=owner,
        template_args=name.template_args,
        owner_args=name.scope_args if parts.instantiation or (own and not any(own)) else (),
        launch_bounds=specifiers.launch_bounds,
        initializers=parts.initializers,
        read_body=reader,
        launches=body is not None and _launches(source, specifiers, body),
        fingerprint=source.fingerprint(node.start_byte, node.end_byte),
        body_problems=problems,
    )


def _launches(source: ParserInput, specifiers: Specifiers, body: Node) -> bool:
    if not specifiers.qualifiers & {"__global__", "__device__"}:
        return False
    return has_launches(source, body.start_byte, body.end_byte)


def _read_initializers(lo: Lowering, node: Node, depth: int) -> Initializers:
    found = []
    for item in node.children:
        if item.kind_id != _INITIALIZER:
            continue
        children = [c for c in item.children if c.kind_id not in (COMMENT, ERROR)]
        args: tuple[Expression, ...] = ()
        if children[-1].kind_id in (ARGUMENTS, INITIALIZER_LIST):
            args = arguments(lo, children[-1], depth + 1)
        # A base is told by its name: `Base<T>(x)` constructs the one that the class derives from.
        found.append((lo.text(children[0]).partition("<")[0].rstrip(), args))
    return tuple(found)
