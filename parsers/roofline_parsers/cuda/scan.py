"""The scan of a file: everything declared outside function bodies, which it does not enter."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace

from roofline_core.program.statements import Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Problem, Severity
from roofline_parsers.cuda.attributes import aligned, read_alignment
from roofline_parsers.cuda.bodies import BodyReader
from roofline_parsers.cuda.classes import CLASS_KINDS, ClassReader, class_name, has_body
from roofline_parsers.cuda.declarators import read_declarator
from roofline_parsers.cuda.found import FunctionExtent, ScanResult
from roofline_parsers.cuda.functions import FunctionParts, make_function, read_function
from roofline_parsers.cuda.grammar import (
    ATTRIBUTE,
    COMMENT,
    COMPOUND,
    ENUM,
    ERROR,
    IDENTIFIER,
    REQUIRES,
    TEMPLATE_PARAMETERS,
    TRY,
    Node,
    Tree,
    kind,
)
from roofline_parsers.cuda.lowering import MAX_DEPTH, Lowering
from roofline_parsers.cuda.scopes import DeclarationScope, KnownNames, lowering_for
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.cuda.specifiers import read_specifiers
from roofline_parsers.cuda.templates import read_template_parameters
from roofline_parsers.cuda.type_names import plain_type, type_of
from roofline_parsers.cuda.variables import read_variables

_NAMESPACE_NAMES = frozenset([kind("namespace_identifier"), kind("nested_namespace_specifier")])
_DECLARATION_LIST = kind("declaration_list")
_CONCEPT = kind("concept_definition")
LOCAL_CLASS = re.compile(
    rb"(?:struct|class|union|enum)\b"
    rb"(?:\s*alignas\s*\((?:[^(){};]|\([^(){};]*+\))*+\)|[\w\s:,<>]){0,1000}\{"
)
"""A class where a body may hold one. What stands before its brace is bounded: a limit on the work.
"""
MAX_DECLARATIONS = 10_000
"""The most declarations of one file that are read. A limit on the work."""


class Scan:
    """One pass over the declarations of a tree."""

    def __init__(self, source: ParserInput, known: KnownNames) -> None:
        self.source = source
        self.known = known
        self.found = ScanResult()
        self.extents: list[FunctionExtent] = []
        self.problems: list[Problem] = []
        self._declarations = 0

    def run(self, tree: Tree) -> None:
        """Reads all declarations, and the classes defined inside bodies."""
        self.read_all(tree.root_node.children, DeclarationScope(), 0)
        self.read_local_classes(tree)

    def read_all(self, nodes: list[Node], scope: DeclarationScope, depth: int) -> None:
        """Reads declarations one after another."""
        if depth >= MAX_DEPTH:
            return
        for node in nodes:
            reader = _READERS.get(node.kind_id)
            if reader is None:
                continue
            self._declarations += 1
            if self._declarations > MAX_DECLARATIONS:
                self._leave_out(node)
                return
            reader(self, node, scope, depth + 1)

    def _leave_out(self, node: Node) -> None:
        """Reports, once, where declarations are left out because there are too many."""
        if not self.problems:
            line = node.start_point[0] + self.source.first_line
            message = f"more than {MAX_DECLARATIONS} declarations: from here on none is read"
            self.problems.append(Problem(Severity.WARNING, message, self.source.path, line))

    def _lowering(self, scope: DeclarationScope, hint: str = "") -> Lowering:
        lo = lowering_for(self.source, self.known, scope)
        lo.define_class = lambda node, depth: self._define(node, scope, depth, hint)
        return lo

    def _define(self, node: Node, scope: DeclarationScope, depth: int, hint: str = "") -> Type:
        """A class's definition, wherever a type may stand."""
        return ClassReader(self.source, self.known, self.found, scope, hint).read(node, depth)

    def read_function(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        """A function's definition."""
        function = read_function(self.source, self.known, node, scope, depth)
        if function is None:
            return
        self.found.functions.append(function)
        body = next((c for c in node.children if c.kind_id in (COMPOUND, TRY)), None)
        start = node.end_byte if body is None else body.start_byte
        self.extents.append(FunctionExtent(node.start_byte, start, node.end_byte, function, scope))

    def _declaration(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        lo = self._lowering(scope)
        specifiers, variables, functions = read_variables(lo, node.children, depth, in_body=False)
        for declared in functions:
            if declared.name is None:
                continue
            parts = FunctionParts(node, specifiers, declared)
            function = make_function(lo, self.known, parts, scope, depth)
            self.found.functions.append(function)
            end = node.end_byte
            self.extents.append(FunctionExtent(node.start_byte, end, end, function, scope))
        added = {"extern"} if scope.extern_declaration else set()
        for variable in variables:
            self.known.values.add(variable.name.rpartition("::")[2])
            self.found.variables.append(
                Variable(
                    scope.prefix + variable.name,
                    variable.type,
                    variable.line,
                    variable.init,
                    variable.ctor_args,
                    variable.qualifiers | added,
                )
            )

    def _instantiation(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        """An explicit instantiation: ``template __global__ void k<float>(float *);``.

        Also of a class: ``template class C<float>;``.
        """
        lo = self._lowering(scope)
        children = [c for c in node.children[1:] if c.kind_id != ERROR]
        if children and children[0].kind_id in CLASS_KINDS:
            name = children[0].child_by_field_name("name")
            if name is not None:
                made_class = type_of(lo, name, depth)
                qualified = replace(made_class, name=scope.prefix + made_class.name)
                self.found.class_instantiations.append(qualified)
            return
        specifiers, _, functions = read_variables(lo, children, depth, in_body=False)
        for declared in functions:
            if declared.name is not None:
                parts = FunctionParts(node, specifiers, declared, instantiation=True)
                made = make_function(lo, self.known, parts, scope, depth)
                self.found.instantiations.append(made)

    def _template(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        for child in node.children:
            if child.kind_id == TEMPLATE_PARAMETERS:
                lo = lowering_for(self.source, self.known, scope)
                params = read_template_parameters(lo, child, depth)
                scope = scope.with_template(params, self.known.concepts)
            elif child.kind_id == REQUIRES:
                scope = replace(scope, constrained=True)
            elif child.kind_id == _CONCEPT:
                named = [c for c in child.children if c.kind_id == IDENTIFIER]
                texts = [self.source.names[c.start_byte : c.end_byte] for c in named]
                self.known.concepts.update(texts)
            else:
                self.read_all([child], scope, depth)

    def _namespace(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        name = ""
        for child in node.children:
            if child.kind_id in _NAMESPACE_NAMES:
                text = self.source.names[child.start_byte : child.end_byte]
                name = "".join(text.split()).replace("::inline", "::")
                self.known.namespaces.update(name.split("::"))
            elif child.kind_id == _DECLARATION_LIST:
                self.read_all(child.children, scope.inside(name, is_class=False), depth)

    def _linkage(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        inside = DeclarationScope(scope.prefix, extern_c=True)
        for child in node.children:
            if child.kind_id == _DECLARATION_LIST:
                self.read_all(child.children, inside, depth)
            else:
                self.read_all([child], replace(inside, extern_declaration=True), depth)

    def _class(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        if has_body(node):
            self._define(node, scope, depth)
        else:
            name, _ = class_name(lowering_for(self.source, self.known, scope), node, depth)
            self.known.types.add(name.rpartition("::")[2])

    def _typedef(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        children = node.children[1:]
        plain = lowering_for(self.source, self.known, scope)
        hint = ""
        unnamed = [
            child
            for child in children
            if child.kind_id in CLASS_KINDS or child.kind_id == ENUM
            if has_body(child) and not class_name(plain, child, depth)[0]
        ]
        if unnamed:
            hint = next((plain.text(c) for c in children if c.kind_id == _TYPE_NAME), "")
        lo = self._lowering(scope, hint)
        specifiers = read_specifiers(lo, children, depth)
        base = specifiers.type or plain_type("int")
        align = read_alignment(lo, children, depth) or specifiers.align
        for child in children[specifiers.rest :]:
            if not child.is_named or child.kind_id in (COMMENT, ERROR, ATTRIBUTE):
                continue
            declared = read_declarator(lo, child, base, depth)
            if declared.name is None:
                continue
            name = lo.text(declared.name)
            self.known.types.add(name)
            if declared.function is not None:
                self.found.aliases[scope.prefix + name] = plain_type("function")
            elif declared.type != plain_type(name) or align is not None:
                self.found.aliases[scope.prefix + name] = aligned(declared.type, align)

    def _alias(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        lo = self._lowering(scope)
        named = [c for c in node.named_children if c.kind_id not in (COMMENT, ERROR)]
        if len(named) >= 2:
            name = lo.text(named[0])
            self.known.types.add(name)
            target = type_of(lo, named[-1], depth)
            align = read_alignment(lo, node.children, depth)
            self.found.aliases[scope.prefix + name] = aligned(target, align)
            if scope.own_lists:
                self.found.alias_params[scope.prefix + name] = scope.own_params

    def _using(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        """``using a::f`` and ``using namespace a``."""
        text = self.source.names[node.start_byte : node.end_byte].removeprefix("using")
        name = "".join(text.replace("namespace ", "", 1).split()).strip(";")
        self.found.imports.add(name)
        if not text.lstrip().startswith("namespace "):
            self.found.used_names[scope.prefix + name.rpartition("::")[2]] = name.removeprefix("::")

    def _namespace_alias(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        """``namespace m = a::b``."""
        texts = [
            "".join(self.source.names[child.start_byte : child.end_byte].split())
            for child in node.children
            if child.kind_id in _NAMESPACE_NAMES
        ]
        if len(texts) == 2:
            self.found.aliases[scope.prefix + texts[0]] = plain_type(texts[1])

    def _pragma(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        """``#pragma pack``, which limits the alignment of the fields declared after it."""
        text = self.source.text[node.start_byte : node.end_byte]
        asked = _PACK.match(text)
        if asked is None:
            return
        words = asked[1].replace(b",", b" ").split()
        sizes = [int(word) for word in words if word.isdigit()]
        limits = self.found.pack_bytes
        if b"pop" in words:
            if len(limits) > 1:
                limits.pop()
        elif b"push" in words:
            limits.append(sizes[0] if sizes else limits[-1])
        else:
            limits[-1] = sizes[0] if sizes else None

    def _container(self, node: Node, scope: DeclarationScope, depth: int) -> None:
        """Read the declarations inside directives and syntax errors in their place."""
        self.read_all(node.children, scope, depth)

    def _methods(self) -> Iterator[FunctionExtent]:
        """The methods that are defined in their classes."""
        for struct in self.found.structs:
            for method in struct.methods:
                reader = method.read_body
                if isinstance(reader, BodyReader):
                    start, end = reader.start, reader.end
                    yield FunctionExtent(start, start, end, method, reader.scope)

    def read_local_classes(self, tree: Tree) -> None:
        """Classes inside bodies, qualified with the function's name; bodies are not walked.

        One in a template is made of the template's parameters, too.
        """
        matches = list(LOCAL_CLASS.finditer(self.source.text))
        if not matches:
            return
        extents = sorted((*self.extents, *self._methods()), key=lambda extent: extent.body)
        starts = [extent.body for extent in extents]
        for match in matches:
            index = bisect_right(starts, match.start()) - 1
            if index < 0 or match.start() >= extents[index].end or _inside_word(match):
                continue
            extent = extents[index]
            leaf = tree.root_node.descendant_for_byte_range(match.start(), match.start() + 1)
            node = leaf.parent if leaf is not None else None
            if node is None or node.start_byte != match.start():
                continue
            named = node.kind_id == ENUM and node.child_by_field_name("name") is not None
            if node.kind_id in CLASS_KINDS or named:  # Else constants of the body.
                scope = DeclarationScope(f"{extent.function.qualified_name}::")
                params = extent.scope.around_local_class if node.kind_id in CLASS_KINDS else ()
                self._define(node, scope.with_template(params) if params else scope, 0)


_PACK = re.compile(rb"\s*#\s*pragma\s+pack\s*\(([^()]*)\)")


def _inside_word(match: re.Match[bytes]) -> bool:
    """Whether the match starts in the middle of a word; a boundary in the pattern is slow."""
    before = match.string[match.start() - 1 : match.start()]
    return before.isalnum() or before == b"_"


_TYPE_NAME = kind("type_identifier")

Reader = Callable[[Scan, Node, DeclarationScope, int], None]

_READERS: dict[int, Reader] = {
    kind(name): reader
    for reader, names in (
        (Scan.read_function, ("function_definition",)),
        (Scan._declaration, ("declaration", "field_declaration")),
        (Scan._template, ("template_declaration",)),
        (Scan._instantiation, ("template_instantiation",)),
        (Scan._namespace, ("namespace_definition",)),
        (Scan._linkage, ("linkage_specification",)),
        (
            Scan._class,
            ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier"),
        ),
        (Scan._typedef, ("type_definition",)),
        (Scan._alias, ("alias_declaration",)),
        (Scan._pragma, ("preproc_call",)),
        (Scan._using, ("using_declaration",)),
        (Scan._namespace_alias, ("namespace_alias_definition",)),
        (
            Scan._container,
            (
                *("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"),
                *("preproc_elifdef", "declaration_list", "export_declaration"),
            ),
        ),
    )
    for name in names
}
_READERS[ERROR] = Scan._container
