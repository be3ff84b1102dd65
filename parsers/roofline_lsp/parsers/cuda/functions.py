"""Function headers, kernels and methods; bodies are read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from roofline_lsp.kernel.expressions import Expression
from roofline_lsp.kernel.program import Function, Problem, Severity, TemplateParameter
from roofline_lsp.kernel.statements import Block, Opaque
from roofline_lsp.parsers.cuda.declarators import (
    Declared,
    Specifiers,
    read_declarator,
    read_specifiers,
    trailing_return,
)
from roofline_lsp.parsers.cuda.expressions import arguments
from roofline_lsp.parsers.cuda.grammar import (
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
    TYPE_IDENTIFIER,
    Node,
    kind,
)
from roofline_lsp.parsers.cuda.lowering import Lowering, statement
from roofline_lsp.parsers.cuda.source import SourceText
from roofline_lsp.parsers.cuda.statements import read_block
from roofline_lsp.parsers.cuda.type_names import (
    TemplateArgs,
    canonical,
    plain_type,
    qualified_parts,
    template_parts,
    type_of,
)
from roofline_lsp.parsers.cuda.variables import read_parameter, read_parameters

TemplateParams = tuple[TemplateParameter, ...]

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
_INITIALIZERS = kind("field_initializer_list")
_INITIALIZER = kind("field_initializer")
_CLAUSES = frozenset(
    map(kind, ("default_method_clause", "delete_method_clause", "pure_virtual_clause"))
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a declaration stands."""

    prefix: str = ""
    """Namespaces and classes around it, each followed by ``::``."""
    owner: str | None = None
    """The class directly around it, qualified."""
    template_lists: tuple[TemplateParams, ...] = ()
    """Template parameter lists around it, outermost first, those of classes included."""
    own_lists: int = 0
    """How many of these stand directly before the declaration."""
    extern_c: bool = False

    def inside(self, name: str, *, is_class: bool) -> Scope:
        """The scope of the members of a namespace or class."""
        prefix = f"{self.prefix}{name}::" if name else self.prefix
        owner = f"{self.prefix}{name}" if is_class else None
        return replace(self, prefix=prefix, owner=owner, own_lists=0)

    def with_template(self, params: TemplateParams) -> Scope:
        """The scope of what follows ``template <params>``."""
        lists = (*self.template_lists, params)
        return replace(self, template_lists=lists, own_lists=self.own_lists + 1)


@dataclass(slots=True)
class KnownNames:
    """Names that settle what the grammar leaves open, unqualified."""

    types: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)


def lowering_for(source: SourceText, known: KnownNames, scope: Scope, prefix: str = "") -> Lowering:
    """A fresh lowering that knows the template parameters in scope."""
    lo = Lowering(source, known.types, known.values, prefix)
    for params in scope.template_lists:
        for param in params:
            if param.type is None:
                lo.local_types[param.name] = None
            else:
                lo.local_values.add(param.name)
    return lo


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


@dataclass(slots=True)
class _FunctionName:
    name: str
    path: str
    """The qualification written with the name: ``S::In`` of ``S::In::f``."""
    node: Node
    """The node of the name alone."""
    template_args: TemplateArgs | None = None
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
    if last is not node:
        full, _, _ = qualified_parts(lo, node, depth)
        path = full.rpartition("::")[0]
        if last.kind_id == OPERATOR_NAME:
            path = full[: full.rindex("operator")].removesuffix("::")
    args: TemplateArgs | None = None
    name_node = last
    if last.kind_id in (TEMPLATE_FUNCTION, TEMPLATE_METHOD):
        name, args = template_parts(lo, last, depth)
        name_node = last.children[0]
    elif last.kind_id == OPERATOR_CAST:
        name = f"operator {lo.text(last.children[1])}"
    elif last.kind_id in (OPERATOR_NAME, DESTRUCTOR_NAME):
        words = lo.text(last).removeprefix("operator").split()
        spelled = " ".join(words) if words and words[0].isalpha() else "".join(words)
        if last.kind_id == DESTRUCTOR_NAME:
            name = spelled
        else:
            name = f"operator {spelled}" if spelled[:1].isalpha() else f"operator{spelled}"
    else:
        name = lo.text(last)
    return _FunctionName(name, path, name_node, args, templates)


def read_function(
    source: SourceText,
    known: KnownNames,
    node: Node,
    scope: Scope,
    depth: int,
) -> Function | None:
    """A function with a body (or ``= default``); None if no name can be found in it."""
    lo = lowering_for(source, known, scope)
    specifiers = read_specifiers(lo, node.children, depth)
    declarator: Node | None = None
    body: Node | None = None
    initializers: Node | None = None
    for child in node.children[specifiers.rest :]:
        kind_id = child.kind_id
        if kind_id in (COMPOUND, TRY):
            body = child
        elif kind_id == _INITIALIZERS:
            initializers = child
        elif declarator is None and child.is_named and kind_id not in _NO_DECLARATORS:
            declarator = child
    if declarator is None:
        return None
    declared = _declared(lo, declarator, specifiers, depth)
    if declared is None:
        return None
    function = make_function(lo, known, node, specifiers, declared, scope, depth)
    fields = () if initializers is None else _read_initializers(lo, initializers, depth)
    if body is None:
        return function
    problems: list[Problem] = []
    return replace(
        function,
        initializers=fields,
        body_problems=problems,
        read_body=body_reader(source, known, body, scope, function.qualified_name, problems),
    )


_NO_DECLARATORS = _CLAUSES | {COMMENT, ERROR}


def _declared(
    lo: Lowering, node: Node, specifiers: Specifiers, depth: int
) -> Declared | None:
    """Reads a function's declarator; None if there is no function in it."""
    last, _ = _last_name(lo, node)
    if last.kind_id == OPERATOR_CAST:
        target = type_of(lo, last.children[1], depth)
        return Declared(target, node, last.children[-1])
    declared = read_declarator(lo, node, specifiers.type or plain_type("void"), depth)
    return declared if declared.function is not None and declared.name is not None else None


def make_function(
    lo: Lowering,
    known: KnownNames,
    node: Node,
    specifiers: Specifiers,
    declared: Declared,
    scope: Scope,
    depth: int,
) -> Function:
    """A function without a body from its declaration; ``node`` is what its span covers."""
    source = lo.source
    assert declared.name is not None
    assert declared.function is not None
    name = _read_name(lo, declared.name, depth)
    if declared.type.name == "operator" and lo.text(name.node).isidentifier():
        # `__device__ operator float()`: the grammar takes the qualifier for a plain function's.
        target = canonical(name.name)
        name.name = f"operator {target}"
        declared.type = replace(declared.type, name=target)
    qualifiers = specifiers.qualifiers | ({'extern "C"'} if scope.extern_c else set())
    owner = scope.owner
    if name.path and name.path.rpartition("::")[2] not in known.namespaces:
        owner = scope.prefix + name.path
    own = scope.template_lists[len(scope.template_lists) - scope.own_lists :]
    params = tuple(param for params in own[name.scope_templates :] for param in params)
    path = f"{scope.prefix}{name.path}::" if name.path else scope.prefix
    span = source.span(node.start_point, node.end_point)
    return Function(
        name=name.name,
        qualified_name=path + name.name,
        path=source.path,
        span=span,
        name_span=source.name_span(name.name, name.node.start_point, name.node.end_point),
        return_type=trailing_return(lo, declared.function, depth) or declared.type,
        params=read_parameters(lo, declared.function, depth),
        template_params=params,
        qualifiers=frozenset(qualifiers),
        owner=owner,
        template_args=name.template_args,
        launch_bounds=specifiers.launch_bounds,
        fingerprint=source.fingerprint(node.start_byte, node.end_byte),
    )


def _read_initializers(
    lo: Lowering, node: Node, depth: int
) -> tuple[tuple[str, tuple[Expression, ...]], ...]:
    found = []
    for item in node.children:
        if item.kind_id != _INITIALIZER:
            continue
        children = [c for c in item.children if c.kind_id not in (COMMENT, ERROR)]
        args: tuple[Expression, ...] = ()
        if children[-1].kind_id in (ARGUMENTS, INITIALIZER_LIST):
            args = arguments(lo, children[-1], depth + 1)
        found.append((lo.text(children[0]), args))
    return tuple(found)


def body_reader(
    source: SourceText,
    known: KnownNames,
    node: Node,
    scope: Scope,
    qualified_name: str,
    problems: list[Problem],
) -> Callable[[], Block | None]:
    """A function that reads a body; it keeps the syntax tree alive through ``node``."""
    return partial(_read_body, source, known, node, scope, qualified_name, problems)


def _read_body(
    source: SourceText,
    known: KnownNames,
    node: Node,
    scope: Scope,
    qualified_name: str,
    problems: list[Problem],
) -> Block:
    lo = lowering_for(source, known, scope, f"{qualified_name}::")
    lo.problems = problems
    try:
        if node.kind_id == COMPOUND:
            return read_block(lo, node, 0)
        read = statement(lo, node, 0)
    except RecursionError:
        # The caller's own stack left too little room.
        line = lo.seek(node.start_byte)
        message = f"the body of '{qualified_name}' was asked for too deep in a recursion"
        problems.append(Problem(Severity.ERROR, message, source.path, line))
        return Block(line, (Opaque(line, lo.excerpt(node)),))
    return read if isinstance(read, Block) else Block(lo.line_of(node), (read,) if read else ())
