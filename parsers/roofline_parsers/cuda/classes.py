"""Classes, structs and unions."""

from __future__ import annotations

from dataclasses import replace

from roofline_core.program.expressions import Expression
from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import FieldGroup, Function, Struct
from roofline_parsers.cuda.attributes import (
    ATTRIBUTES,
    aligned,
    read_alignment,
    read_attributes,
    with_attributes,
)
from roofline_parsers.cuda.enums import ENUMERATORS, read_enum
from roofline_parsers.cuda.found import ScanResult
from roofline_parsers.cuda.functions import FunctionParts, make_function, read_function
from roofline_parsers.cuda.grammar import (
    CLASS,
    COMMA_TOKEN,
    COMMENT,
    ENUM,
    ERROR,
    FUNCTION,
    QUALIFIED_IDENTIFIER,
    REQUIRES,
    STRUCT,
    TEMPLATE,
    TEMPLATE_PARAMETERS,
    TEMPLATE_TYPE,
    TYPE_IDENTIFIER,
    UNION,
    Node,
    kind,
)
from roofline_parsers.cuda.lowering import MAX_DEPTH, Lowering, expression, reads_type
from roofline_parsers.cuda.scopes import DeclarationScope, KnownNames, lowering_for
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.cuda.templates import read_template_parameters
from roofline_parsers.cuda.type_names import (
    TemplateArgs,
    plain_type,
    qualified_parts,
    template_parts,
    type_of,
)
from roofline_parsers.cuda.variables import read_variables

CLASS_KINDS = frozenset([STRUCT, CLASS, UNION])
_FIELDS = kind("field_declaration_list")
_FIELD = kind("field_declaration")
_DECLARATION = kind("declaration")
_BASES = kind("base_class_clause")
_ALIGNAS = kind("alignas_qualifier")
_ALIAS = kind("alias_declaration")
_TYPEDEF = kind("type_definition")
_ACCESS = kind("access_specifier")
_FRIEND = kind("friend_declaration")
_USING = kind("using_declaration")
_OTHERS = frozenset([_ACCESS, _FRIEND, _USING])
_PREPROC = frozenset(
    map(kind, ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef"))
)


def has_body(node: Node) -> bool:
    """Whether a class or enum specifier defines one, rather than naming it."""
    return any(child.kind_id in (_FIELDS, ENUMERATORS) for child in node.children)


def class_name(lo: Lowering, node: Node, depth: int) -> tuple[str, TemplateArgs | None]:
    """The name a class specifier gives, and a specialisation's arguments; empty if it has none."""
    for child in node.children:
        kind_id = child.kind_id
        if kind_id == TYPE_IDENTIFIER:
            return lo.text(child), None
        if kind_id == TEMPLATE_TYPE:
            return template_parts(lo, child, depth)
        if kind_id == QUALIFIED_IDENTIFIER:
            name, args, _ = qualified_parts(lo, child, depth)
            return name, args
        if kind_id in (_FIELDS, ENUMERATORS, _BASES):
            break
    return "", None


def anonymous_name(lo: Lowering, node: Node) -> str:
    """A name for a class without one, unique in its file."""
    row, column = node.start_point
    return f"anonymous_{row + lo.source.first_line}_{column}"


@reads_type("struct_specifier", "class_specifier", "union_specifier", "enum_specifier")
def _class_as_type(lo: Lowering, node: Node, depth: int) -> Type:
    """The type a specifier names; one with a body also defines it."""
    if has_body(node):
        if lo.define_class is not None:
            return lo.define_class(node, depth)
        name, _ = class_name(lo, node, depth)
        around = lo.template_args if node.kind_id in CLASS_KINDS else ()
        qualified = Type(lo.prefix + (name or anonymous_name(lo, node)), around)
        if name:
            lo.local_types[name] = qualified
        return qualified
    name, args = class_name(lo, node, depth)
    meaning = lo.local_types.get(name)
    return meaning if meaning is not None else Type(name, args or (), tagged=True)


class ClassReader:
    """Reads one class, its nested ones included, into what a scan has found."""

    def __init__(
        self,
        source: ParserInput,
        known: KnownNames,
        found: ScanResult,
        scope: DeclarationScope,
        hint: str = "",
    ) -> None:
        """``hint`` names a class without a name: ``typedef struct {...} hint``."""
        self.source = source
        self.known = known
        self.found = found
        self.scope = scope
        self.hint = hint
        self.fields: list[Variable] = []
        self.groups: list[FieldGroup] = []
        self.hides_fields = False
        self.imports: set[str] = set()
        self._hidden = False
        self.methods: list[Function] = []
        self.aliases: dict[str, Type] = {}
        self.enumerators: dict[str, Expression | int] = {}

    def read(self, node: Node, depth: int) -> Type:
        """Adds the class to the found ones; its type as the place that defines it names it."""
        lo = lowering_for(self.source, self.known, self.scope)
        name, args = class_name(lo, node, depth)
        if node.kind_id == ENUM:
            self.enumerators = read_enum(
                lo, self.found, self.known, node, name or self.hint, self.scope, depth
            )
            return plain_type(name or self.hint or "int")
        name = name or self.hint or anonymous_name(lo, node)
        self.known.types.add(name.rpartition("::")[2])
        if depth >= MAX_DEPTH:
            return plain_type(name)
        inside = self.scope.inside(name, is_class=True)
        self._hidden = node.kind_id == CLASS
        lo.define_class = lambda child, deeper: self._nested(child, inside, deeper)
        line = lo.line_of(node)
        bases: list[Type] = []
        virtual_bases: frozenset[str] = frozenset()
        pack_bytes = self.found.pack_bytes[-1]
        align: Expression | None = None
        for child in node.children:
            if child.kind_id == _BASES:
                found, virtual = _read_bases(lo, child, depth)
                bases += found
                virtual_bases |= virtual
            elif child.kind_id in ATTRIBUTES:
                wanted, words = read_attributes(lo, child, depth)
                align = wanted or align
                pack_bytes = 1 if "packed" in words else pack_bytes
            elif child.kind_id == _ALIGNAS:
                values = [c for c in child.named_children if c.kind_id != COMMENT]
                align = expression(lo, values[0], depth) if values else None
            elif child.kind_id == _FIELDS:
                self._members(lo, child, inside, depth + 1)
        self.found.structs.append(
            Struct(
                name=name.rpartition("::")[2],
                qualified_name=self.scope.prefix + name,
                line=line,
                fields=tuple(self.fields),
                methods=tuple(self.methods),
                bases=tuple(bases),
                template_params=self.scope.own_params,
                aliases=self.aliases,
                union=node.kind_id == UNION,
                align=align,
                template_args=args,
                constrained=self.scope.constrained,
                imports=frozenset(self.imports),
                enumerators=self.enumerators,
                groups=tuple(self.groups),
                pack_bytes=pack_bytes,
                virtual_bases=virtual_bases,
                hides_fields=self.hides_fields,
            )
        )
        return Type(name, args or ())

    def _nested(self, node: Node, scope: DeclarationScope, depth: int, hint: str = "") -> Type:
        reader = ClassReader(self.source, self.known, self.found, scope, hint)
        found = reader.read(node, depth + 1)
        if node.kind_id == ENUM:
            self.enumerators.update(reader.enumerators)
            return found
        anonymous = not class_name(lowering_for(self.source, self.known, scope), node, depth)[0]
        return plain_type(scope.prefix + found.name) if anonymous and not hint else found

    def _members(self, lo: Lowering, node: Node, scope: DeclarationScope, depth: int) -> None:
        for child in node.children:
            kind_id = child.kind_id
            if kind_id == FUNCTION:
                self._method(read_function(self.source, self.known, child, scope, depth))
            elif kind_id in (_FIELD, _DECLARATION):
                self._field(lo, child, scope, depth)
            elif kind_id == TEMPLATE:
                self._template(lo, child, scope, depth)
            elif kind_id == _ALIAS:
                self._alias(lo, child, scope, depth)
            elif kind_id == _TYPEDEF:
                self._typedef(lo, child, scope, depth)
            elif kind_id in _OTHERS:
                self._other(lo, child, depth)
            elif kind_id in CLASS_KINDS or kind_id == ENUM:
                self._bare_class(child, scope, depth)
            elif kind_id in _PREPROC or kind_id == ERROR:
                if depth < MAX_DEPTH:
                    self._members(lo, child, scope, depth + 1)

    def _other(self, lo: Lowering, node: Node, depth: int) -> None:
        """A friend, ``using Base::f``, or who may see what follows."""
        if node.kind_id == _FRIEND:
            self._friend(node, depth)
        elif node.kind_id == _USING:
            self.imports.add(lo.text(node).removeprefix("using").strip(" ;"))
        else:
            self._hidden = lo.text(node) != "public"

    def _method(self, function: Function | None) -> None:
        if function is not None:
            self.methods.append(function)

    def _field(self, lo: Lowering, node: Node, scope: DeclarationScope, depth: int) -> None:
        children = node.children
        if len(children) <= 2 and children[0].kind_id in CLASS_KINDS | {ENUM}:
            self._bare_class(children[0], scope, depth)
            return
        specifiers, variables, functions = read_variables(lo, children, depth, in_body=False)
        self.fields += with_attributes(lo, node, variables, depth)
        self.hides_fields = self.hides_fields or self._hidden
        for declared in functions:
            parts = FunctionParts(node, specifiers, declared)
            self.methods.append(make_function(lo, self.known, parts, scope, depth))
        for variable in variables:
            if "static" in variable.qualifiers:
                self.known.values.add(variable.name)

    def _bare_class(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        """A nested class without a variable; the fields of an anonymous one are the outer's."""
        if not has_body(node):
            return
        lo = lowering_for(self.source, self.known, scope)
        reader = ClassReader(self.source, self.known, self.found, scope)
        if node.kind_id == ENUM or class_name(lo, node, depth)[0]:
            reader.read(node, depth + 1)
            if node.kind_id == ENUM:
                self.enumerators.update(reader.enumerators)
            return
        count = len(self.found.structs)
        reader.read(node, depth + 1)
        del self.found.structs[count:]
        first = len(self.fields)
        union = node.kind_id == UNION
        self.groups.append(FieldGroup(first, len(reader.fields), union))
        self.groups += [FieldGroup(first + g.first, g.count, g.union) for g in reader.groups]
        self.fields += reader.fields
        self.methods += reader.methods

    def _template(self, lo: Lowering, node: Node, scope: DeclarationScope, depth: int) -> None:
        if depth >= MAX_DEPTH:
            return
        for child in node.children:
            kind_id = child.kind_id
            if kind_id == TEMPLATE_PARAMETERS:
                fresh = lowering_for(self.source, self.known, scope)
                params = read_template_parameters(fresh, child, depth)
                scope = scope.with_template(params, self.known.concepts)
            elif kind_id == REQUIRES:
                scope = replace(scope, constrained=True)
            elif kind_id == FUNCTION:
                self._method(read_function(self.source, self.known, child, scope, depth))
            elif kind_id in (_FIELD, _DECLARATION):
                fresh = lowering_for(self.source, self.known, scope)
                self._field(fresh, child, scope, depth)
            elif kind_id in CLASS_KINDS:
                self._bare_class(child, scope, depth)
            elif kind_id == _ALIAS:
                fresh = lowering_for(self.source, self.known, scope)
                self._alias(fresh, child, scope, depth)
            elif kind_id == _FRIEND:
                self._friend(child, depth)
            elif kind_id == TEMPLATE:
                self._template(lo, child, scope, depth + 1)

    def _alias(self, lo: Lowering, node: Node, scope: DeclarationScope, depth: int) -> None:
        named = [c for c in node.named_children if c.kind_id not in (COMMENT, ERROR)]
        if len(named) >= 2:
            name = lo.text(named[0])
            align = read_alignment(lo, node.children, depth)
            self._add_alias(name, aligned(type_of(lo, named[-1], depth), align), scope)
            if scope.own_lists:
                self.found.alias_params[scope.prefix + name] = scope.own_params

    def _typedef(self, lo: Lowering, node: Node, scope: DeclarationScope, depth: int) -> None:
        children = node.children[1:]
        specifiers, variables, functions = read_variables(lo, children, depth, in_body=False)
        align = read_alignment(lo, children, depth) or specifiers.align
        for variable in variables:
            self._add_alias(variable.name, aligned(variable.type, align), scope)
        for declared in functions:
            if declared.name is not None:
                self._add_alias(lo.text(declared.name), plain_type("function"), scope)

    def _add_alias(self, name: str, meaning: Type, scope: DeclarationScope) -> None:
        self.aliases[name] = meaning
        self.found.aliases[scope.prefix + name] = meaning
        self.known.types.add(name)

    def _friend(self, node: Node, depth: int) -> None:
        """Read a friend defined in the class as a function of the namespace around the class."""
        for child in node.children:
            if child.kind_id == FUNCTION:
                function = read_function(self.source, self.known, child, self.scope, depth)
                if function is not None:
                    self.found.functions.append(function)


def _read_bases(lo: Lowering, node: Node, depth: int) -> tuple[list[Type], frozenset[str]]:
    """The base classes, and the names of those that are virtual."""
    bases: list[Type] = []
    virtual: set[str] = set()
    is_virtual = False
    for child in node.children:
        if child.kind_id == COMMA_TOKEN:
            is_virtual = False
        elif child.kind_id in (TYPE_IDENTIFIER, TEMPLATE_TYPE, QUALIFIED_IDENTIFIER):
            bases.append(type_of(lo, child, depth))
            if is_virtual:
                virtual.add(bases[-1].name)
        elif lo.text(child) == "virtual":
            is_virtual = True
    return bases, frozenset(virtual)
