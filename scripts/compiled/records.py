"""Records and other dataclasses as classes that are written out, which compile to C structures.

``record`` and ``dataclass`` make methods at run time, which a compiler does not see.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from module_index import ModuleIndex

_DECORATORS: Final = ("record", "dataclass")


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field as its class declares it."""

    name: str
    annotation: str
    module: str
    """The module of the class that declares it, which its names are those of."""
    node: ast.AnnAssign
    default: str | None = None
    factory: str | None = None
    init: bool = True
    compare: bool = True
    shown: bool = True

    @property
    def made(self) -> str:
        """What the default factory gives, as an expression."""
        factory = self.factory or ""
        if factory.startswith("lambda"):
            return f"({factory.split(':', 1)[1].strip()})"
        return f"{factory}()"


def record_decorator(node: ast.ClassDef) -> ast.expr | None:
    """The decorator that makes a class a record or dataclass; None if none does."""
    return next((each for each in node.decorator_list if name_of(each) in _DECORATORS), None)


def name_of(decorator: ast.expr) -> str | None:
    """The simple name of a decorator, with or without arguments."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else None


def own_fields(module: str, node: ast.ClassDef) -> list[RecordField]:
    """The fields that a class declares itself."""
    return [
        _field(module, statement, statement.target.id)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and "ClassVar" not in ast.unparse(statement.annotation)
    ]


def all_fields(module: str, node: ast.ClassDef, index: ModuleIndex) -> list[RecordField]:
    """The fields of a class and of the records that it derives from, theirs first."""
    found: dict[str, RecordField] = {}
    for base in node.bases:
        place = index.class_named(module, base)
        if place is not None and record_decorator(index.classes[place]) is not None:
            inherited = all_fields(place[0], index.classes[place], index)
            found.update((each.name, each) for each in inherited)
    found.update((each.name, each) for each in own_fields(module, node))
    return list(found.values())


def written_out(node: ast.ClassDef, fields: list[RecordField]) -> list[str]:
    """The lines of the methods that a record's decorator would make."""
    decorator = record_decorator(node)
    options = _options(decorator)
    frozen = options.get("frozen", False)
    methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
    lines: list[str] = []
    if "__init__" not in methods:
        lines += _constructor(fields, calls_post_init="__post_init__" in methods)
    compared = [each.name for each in fields if each.compare]
    if options.get("eq", True) and "__eq__" not in methods:
        lines += _comparison(node.name, compared)
        if frozen and "__hash__" not in methods:
            values = "".join(f"self.{name}, " for name in compared)
            lines += ["    def __hash__(self) -> int:", f"        return hash(({values}))"]
    if "__repr__" not in methods:
        shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in fields if each.shown)
        lines += ["    def __repr__(self) -> str:", f'        return f"{node.name}({shown})"']
    if "__reduce__" not in methods:
        values = "".join(f"self.{each.name}, " for each in fields if each.init)
        lines += ["    def __reduce__(self) -> tuple[Any, ...]:"]
        lines += [f"        return (type(self), ({values}))"]
    return lines


def told_fields(name: str, fields: list[RecordField], own: list[RecordField]) -> str:
    """The statement after a class by which ``dataclasses.fields`` knows its fields."""
    told = "".join(
        f"({each.name!r}, {each.annotation!r}, {each.init}, {each.compare}, {each.shown}), "
        for each in fields
    )
    names = "".join(f"{each.name!r}, " for each in own)
    return f"tell_fields({name}, ({told}), ({names}))"


def _field(module: str, node: ast.AnnAssign, name: str) -> RecordField:
    annotation = ast.unparse(node.annotation)
    value = node.value
    if not (isinstance(value, ast.Call) and name_of(value) == "field"):
        default = None if value is None else ast.unparse(value)
        return RecordField(name, annotation, module, node, default)
    given: Mapping[str, ast.expr] = {each.arg: each.value for each in value.keywords if each.arg}
    told = {key: ast.unparse(each) for key, each in given.items()}
    return RecordField(
        name,
        annotation,
        module,
        node,
        told.get("default"),
        told.get("default_factory"),
        *(told.get(key, "True") == "True" for key in ("init", "compare", "repr")),
    )


def _options(decorator: ast.expr | None) -> dict[str, bool]:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else ()
    return {
        each.arg: bool(each.value.value)
        for each in keywords
        if each.arg is not None and isinstance(each.value, ast.Constant)
    }


def _constructor(fields: list[RecordField], *, calls_post_init: bool) -> Iterator[str]:
    parameters = ["self"]
    body: list[str] = []
    for each in fields:
        value = each.name
        if each.factory is not None:
            parameters.append(f"{each.name}: {each.annotation} | None = None")
            value = f"{each.made} if {each.name} is None else {each.name}"
        elif each.default is not None:
            parameters.append(f"{each.name}: {each.annotation} = {each.default}")
        else:
            parameters.append(f"{each.name}: {each.annotation}")
        if not each.init:
            parameters.pop()
            value = each.made if each.factory is not None else str(each.default)
        body.append(f"        self.{each.name} = {value}")
    if calls_post_init:
        body.append("        self.__post_init__()")
    yield f"    def __init__({', '.join(parameters)}) -> None:"
    yield from body or ["        pass"]


def _comparison(name: str, compared: list[str]) -> Iterator[str]:
    yield "    def __eq__(self, other: object) -> bool:"
    yield "        if self is other:"
    yield "            return True"
    yield f"        if not isinstance(other, {name}) or other.__class__ is not self.__class__:"
    yield "            return NotImplemented"
    alike = " and ".join(f"self.{each} == other.{each}" for each in compared) or "True"
    yield f"        return bool({alike})"
