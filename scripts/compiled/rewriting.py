"""A module's text with what the compiler does not take, or would get wrong, written another way.

Lines are replaced where they stand, so that what is not touched stays as it is written.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from module_index import ModuleIndex
from records import (
    RecordField,
    all_fields,
    name_of,
    own_fields,
    record_decorator,
    told_fields,
    written_out,
)

TOLD_FIELDS: Final = "roofline_core.program.told_fields"
TOLD_FIELDS_TEXT: Final = '''"""Has ``fields`` and ``get_type_hints`` know compiled records."""

from __future__ import annotations

import dataclasses
from typing import Any


def tell_fields(
    cls: Any, told: tuple[tuple[str, str, bool, bool, bool], ...], own: tuple[str, ...]
) -> None:
    """``told``: of each field its name, annotation, and whether init, compare and repr take it.

    ``own`` are those that the class does not inherit.
    """
    made: dict[str, Any] = {}
    for name, annotation, init, compare, shown in told:
        item = dataclasses.field(init=init, compare=compare, repr=shown)
        item.name, item.type = name, annotation
        item._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
        made[name] = item
    cls.__dataclass_fields__ = made
    cls.__annotations__ = {name: made[name].type for name in own}
'''


@dataclass(frozen=True, slots=True)
class _Edit:
    """Lines ``start`` to before ``end``, counted from 0, replaced."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class _Imports:
    """Names that a module needs besides its own imports: values, and those of types alone."""

    values: dict[tuple[str, str | None], str] = field(default_factory=dict)
    types: dict[tuple[str, str | None], str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        yield "from typing import TYPE_CHECKING as TYPE_CHECKING, Any as Any, ClassVar as ClassVar"
        yield f"from {TOLD_FIELDS} import tell_fields"
        yield from (_import(*each) for each in self.values.items())
        only = {key: name for key, name in self.types.items() if key not in self.values}
        if only:
            yield "if TYPE_CHECKING:"
            yield from (f"    {_import(*each)}" for each in only.items())


def rewritten(module: str, text: str, index: ModuleIndex) -> str:
    """The text of a module to compile."""
    lines = text.split("\n")
    tree = index.trees[module]
    imports, edits = _Imports(), list[_Edit]()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            edits += _class_edits(module, node, lines, index, imports)
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        lines[edit.start : edit.end] = edit.lines
    if edits:
        lines[_first_line(tree) : _first_line(tree)] = imports.lines()
    return "\n".join(lines)


def with_tuples_made(text: str) -> str:
    """Text in which tuples with ``*`` in subscripts and after ``in`` are values of their own."""
    lines = text.encode().split(b"\n")
    inserted: list[tuple[int, int, bytes]] = []
    for node in ast.walk(ast.parse(text)):
        before = {ast.Subscript: b"(", ast.Compare: b"tuple("}.get(type(node))
        for part in _tuples_with_stars(node):
            assert before is not None
            inserted.append((part.lineno, part.col_offset, before))
            assert part.end_lineno is not None
            assert part.end_col_offset is not None
            inserted.append((part.end_lineno, part.end_col_offset, b")"))
    for line, column, what in sorted(inserted, reverse=True):
        lines[line - 1] = lines[line - 1][:column] + what + lines[line - 1][column:]
    return b"\n".join(lines).decode()


def _tuples_with_stars(node: ast.AST) -> Iterator[ast.Tuple]:
    parts: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        parts = [node.slice]
    elif isinstance(node, ast.Compare):
        operators = zip(node.ops, node.comparators, strict=True)
        parts = [part for operator, part in operators if isinstance(operator, (ast.In, ast.NotIn))]
    for part in parts:
        if isinstance(part, ast.Tuple) and any(isinstance(e, ast.Starred) for e in part.elts):
            yield part


def _class_edits(
    module: str, node: ast.ClassDef, lines: list[str], index: ModuleIndex, imports: _Imports
) -> Iterator[_Edit]:
    added: list[str] = []
    after: list[str] = []
    for statement in node.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__slots__":
            only = ("    pass",) if len(node.body) == 1 else ()
            yield _Edit(statement.lineno - 1, _end(statement), only)
        elif isinstance(statement, ast.FunctionDef):
            for decorator in statement.decorator_list:
                if name_of(decorator) == "cached_property":
                    yield _Edit(decorator.lineno - 1, _end(decorator), ())
                    yield _renamed(statement, lines)
                    added += _kept_property(statement)
    decorator = record_decorator(node)
    if decorator is not None:
        yield _Edit(decorator.lineno - 1, _end(decorator), ())
        for each in own_fields(module, node):
            declared = f"    {each.name}: {each.annotation}"
            yield _Edit(each.node.lineno - 1, _end(each.node), (declared,))
        fields = all_fields(module, node, index)
        _import_names(module, fields, index, imports)
        added += written_out(node, fields)
        added.append("    __dataclass_fields__: ClassVar[dict[str, Any]]")
        after = [told_fields(node.name, fields, own_fields(module, node))]
    if added or after:
        yield _Edit(_end(node), _end(node), (*added, *after))


def _renamed(method: ast.FunctionDef, lines: list[str]) -> _Edit:
    line = lines[method.lineno - 1].replace(f"def {method.name}(", f"def {_maker(method)}(")
    return _Edit(method.lineno - 1, method.lineno, (line,))


def _maker(method: ast.FunctionDef) -> str:
    return f"_make_{method.name.lstrip('_')}"


def _kept_property(method: ast.FunctionDef) -> Iterator[str]:
    """A property that works its value out once: compiled objects have no dictionary for it."""
    assert method.returns is not None
    kind, name = ast.unparse(method.returns), method.name.lstrip("_")
    yield f"    _has_{name}: bool = False"
    yield f"    _kept_{name}: {kind}"
    yield "    @property"
    yield f"    def {method.name}(self) -> {kind}:"
    yield f"        if not self._has_{name}:"
    yield f"            self._kept_{name} = self.{_maker(method)}()"
    yield f"            self._has_{name} = True"
    yield f"        return self._kept_{name}"


def _import_names(
    module: str, fields: list[RecordField], index: ModuleIndex, imports: _Imports
) -> None:
    """Note what the declarations of inherited fields name and this module does not."""
    for each in fields:
        if each.module == module:
            continue
        for text, noted in (
            (each.annotation, imports.types),
            (each.default, imports.values),
            (each.factory, imports.values),
        ):
            for name in _names(text or ""):
                if not _is_known(module, name, index):
                    origin = index.imports[each.module].get(name, (each.module, name))
                    noted.setdefault(origin, name)


def _names(expression: str) -> Iterator[str]:
    if expression:
        tree = ast.parse(expression, mode="eval")
        yield from (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _is_known(module: str, name: str, index: ModuleIndex) -> bool:
    if name in index.imports[module] or (module, name) in index.classes or hasattr(builtins, name):
        return True
    targets: Callable[[ast.stmt], list[ast.expr]] = lambda each: (  # noqa: E731
        each.targets
        if isinstance(each, ast.Assign)
        else [each.target]
        if isinstance(each, ast.AnnAssign)
        else []
    )
    return any(ast.unparse(t) == name for each in index.trees[module].body for t in targets(each))


def _import(origin: tuple[str, str | None], name: str) -> str:
    module, imported = origin
    if imported is None:
        return f"import {module} as {name}"
    return f"from {module} import {imported} as {name}"


def _first_line(tree: ast.Module) -> int:
    """The line after the imports from the future, or after the docstring, counted from 0."""
    at = 0
    for node in tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if future or (node is tree.body[0] and isinstance(node, ast.Expr)):
            at = _end(node)
    return at


def _end(node: ast.stmt | ast.expr) -> int:
    assert node.end_lineno is not None
    return node.end_lineno
