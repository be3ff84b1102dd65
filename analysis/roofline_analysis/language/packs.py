"""Functions and classes with a pack, its elements written out as parameters of their own."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import Any, Final, TypeVar

from roofline_analysis.language.rewriting import rewritten
from roofline_core.program import expressions as ex
from roofline_core.program.records import record
from roofline_core.program.statements import Block, Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Struct, TemplateParameter

_MOST: Final = 64
"""The most elements of a pack that are written out."""
_COUNT: Final = re.compile(r"sizeof\s*\.\.\.\s*\(\s*(\w+)\s*\)")

Given = TypeVar("Given")


def before_pack(function: Function, given: tuple[Given, ...] | None) -> tuple[Given, ...] | None:
    """Of written template arguments those that a template's pack does not take."""
    if given is None:
        return None
    position = next((at for at, p in enumerate(function.template_params) if p.pack), len(given))
    return given[:position]


def written_out(function: Function, count: int) -> Function:
    """The function as it is for a call with ``count`` arguments, without its parameter pack.

    Each element ``i`` of a pack ``args`` of types ``Args`` is a parameter ``args_i`` of a type
    parameter ``Args_i``. A function that has no such pack, or takes another number of arguments,
    is returned as it is. The same function and number give the same object.
    """
    if not any(parameter.pack for parameter in function.template_params):
        return function
    found = function.by_arguments.get(count)
    if found is None:
        found = function.by_arguments[count] = _written_out(function, count)
    return found


def _written_out(function: Function, count: int) -> Function:
    packs = {parameter.name for parameter in function.template_params if parameter.pack}
    params = function.params
    found = next((at for at, p in enumerate(params) if p.type.name in packs), None)
    elements = count - len(params) + 1
    if found is None or not 0 <= elements <= _MOST:
        return function
    pack = _Pack(params[found].name, params[found].type.name, elements)
    return dataclasses.replace(
        function,
        params=(*params[:found], *pack.parameters(params[found]), *params[found + 1 :]),
        template_params=tuple(
            chain.from_iterable(map(pack.template_parameters, function.template_params))
        ),
        read_body=None if function.read_body is None else lambda: pack.applied(function.body),
    )


def first_pack(struct: Struct, arguments: Sequence[Type | ex.Expression]) -> tuple[str, int] | None:
    """The name of a class template's first pack, and how many of these arguments it takes.

    None for a class without one, and for arguments that do not fit or are too many.
    """
    for at, parameter in enumerate(struct.template_params):
        if not parameter.pack:
            continue
        if struct.template_args is None:
            elements: int | None = max(0, len(arguments) - at)
        else:
            elements = _elements(struct.template_args, arguments, parameter.name)
        return None if elements is None or elements > _MOST else (parameter.name, elements)
    return None


def class_written_out(struct: Struct, name: str, elements: int) -> Struct:
    """The class template with a parameter ``Ts_i`` for each element ``i`` of its pack ``Ts``."""
    return _Pack("", name, elements).in_class(struct)


def _elements(
    patterns: Sequence[Type | ex.Expression], given: Sequence[Type | ex.Expression], name: str
) -> int | None:
    """How many arguments the pack of this name takes in a specialisation; None where it is none."""
    for at, pattern in enumerate(patterns):
        if _is_name(pattern, name):
            return len(given) - at if at == len(patterns) - 1 and at <= len(given) else None
        if at < len(given) and isinstance(pattern, Type) and isinstance(given[at], Type):
            inner = given[at]
            assert isinstance(inner, Type)
            found = _elements(pattern.args, inner.args, name)
            if found is not None:
                return found
    return None


def _is_name(argument: Type | ex.Expression, name: str) -> bool:
    return isinstance(argument, (Type, ex.Name)) and argument.name == name


_TYPED: Final[dict[type, tuple[str, ...]]] = {}
"""The fields of each kind of node that hold a type."""


def _typed_fields(kind: type[Any]) -> tuple[str, ...]:
    found = _TYPED.get(kind)
    if found is None:
        names = (f.name for f in dataclasses.fields(kind) if re.match(r"Type\b", str(f.type)))
        found = _TYPED[kind] = tuple(names)
    return found


@record(frozen=True, slots=True)
class _Pack:
    """A pack of parameters and that of their types; a class has the latter alone."""

    name: str
    type_name: str
    elements: int

    def in_class(self, struct: Struct) -> Struct:
        """A class in which nothing names the pack; its methods' bodies are read when asked for."""
        given = struct.template_args
        params = chain.from_iterable(map(self.template_parameters, struct.template_params))
        return dataclasses.replace(
            struct,
            fields=tuple(rewritten(field, self._replaced) for field in struct.fields),
            methods=tuple(map(self._method, struct.methods)),
            bases=self._only_types(struct.bases),
            template_params=tuple(params),
            template_args=None if given is None else self._types(given),
            aliases={name: self._type(target) for name, target in struct.aliases.items()},
            enumerators={
                name: value if isinstance(value, int) else rewritten(value, self._replaced)
                for name, value in struct.enumerators.items()
            },
        )

    def _method(self, method: Function) -> Function:
        return dataclasses.replace(
            method,
            return_type=self._type(method.return_type),
            params=tuple(rewritten(param, self._replaced) for param in method.params),
            initializers=tuple(
                (name, tuple(chain.from_iterable(map(self._written, map(self._inside, args)))))
                for name, args in method.initializers
            ),
            read_body=None if method.read_body is None else lambda: self.applied(method.body),
        )

    def _inside(self, node: ex.Expression) -> ex.Expression:
        found: ex.Expression = rewritten(node, self._replaced)
        return found

    def parameters(self, formal: Variable) -> Iterator[Variable]:
        """The parameters that stand for the pack."""
        for at in range(self.elements):
            type_ = dataclasses.replace(formal.type, name=_element(self.type_name, at))
            yield dataclasses.replace(formal, name=_element(formal.name, at), type=type_)

    def template_parameters(self, parameter: TemplateParameter) -> Iterator[TemplateParameter]:
        """The template parameters that stand for one of the template's."""
        if parameter.name != self.type_name:
            yield parameter
            return
        for at in range(self.elements):
            yield TemplateParameter(_element(parameter.name, at), parameter.type)

    def applied(self, body: Block | None) -> Block | None:
        """A body in which nothing names the pack."""
        return None if body is None else rewritten(body, self._replaced)

    def _replaced(self, _before: Any, node: Any) -> Any:
        if isinstance(node, (ex.Call, ex.Construct, ex.New, ex.Launch)) and node.args:
            args = tuple(chain.from_iterable(map(self._written, node.args)))
            node = dataclasses.replace(node, args=args)
        elif isinstance(node, ex.InitList):
            items = chain.from_iterable(map(self._written, node.items))
            node = dataclasses.replace(node, items=tuple(items))
        elif isinstance(node, Variable) and node.ctor_args:
            args = tuple(chain.from_iterable(map(self._written, node.ctor_args)))
            node = dataclasses.replace(node, ctor_args=args)
        elif isinstance(node, ex.Name) and node.template_args:
            node = dataclasses.replace(node, template_args=self._types(node.template_args))
        elif isinstance(node, ex.Fold):
            return self._folded(node)
        elif isinstance(node, ex.Unknown):
            counted = _COUNT.fullmatch(node.text.strip())
            if counted is not None and counted.group(1) in (self.name, self.type_name):
                return ex.Literal(node.line, self.elements, "unsigned long")
        return self._with_types(node)

    def _with_types(self, node: Any) -> Any:
        changes = {}
        for name in _typed_fields(type(node)):
            type_ = getattr(node, name)
            if isinstance(type_, Type):
                changed = self._type(type_)
                if changed is not type_:
                    changes[name] = changed
        return dataclasses.replace(node, **changes) if changes else node

    def _type(self, type_: Type) -> Type:
        """A type whose arguments and bounds do not name the pack."""
        if not (type_.args or type_.scope_args or type_.dims):
            return type_
        args, scope_args = self._types(type_.args), self._types(type_.scope_args)
        dims = tuple(None if dim is None else self._inside(dim) for dim in type_.dims)
        if (args, scope_args, dims) == (type_.args, type_.scope_args, type_.dims):
            return type_
        return dataclasses.replace(type_, args=args, scope_args=scope_args, dims=dims)

    def _only_types(self, given: Sequence[Type]) -> tuple[Type, ...]:
        return tuple(each for each in self._types(given) if isinstance(each, Type))

    def _written(self, argument: ex.Expression) -> tuple[ex.Expression, ...]:
        """The arguments that one written argument stands for."""
        if not isinstance(argument, ex.Expansion) or not self._names(argument.pattern):
            return (argument,)
        return tuple(self._at(argument.pattern, at) for at in range(self.elements))

    def _types(self, given: Sequence[Type | ex.Expression]) -> tuple[Type | ex.Expression, ...]:
        found: list[Type | ex.Expression] = []
        for each in given:
            if isinstance(each, Type) and each.name == self.type_name:
                found += [self._type_at(each, at) for at in range(self.elements)]
            elif isinstance(each, Type):
                found.append(self._type(each))
            elif _is_name(each, self.type_name):
                found += [self._at(each, at) for at in range(self.elements)]
            else:
                found.append(self._inside(each))
        return tuple(found)

    def _folded(self, node: ex.Fold) -> ex.Expression:
        sides = [each for each in (node.left, node.right) if each is not None]
        pattern = next((each for each in sides if self._names(each)), None)
        if pattern is None or not self.elements:
            return node
        start = [each for each in sides if each is not pattern]
        terms = [self._at(pattern, at) for at in range(self.elements)]
        if pattern is node.right:
            return reduce(
                lambda left, right: ex.Binary(node.line, node.op, left, right), [*start, *terms]
            )
        backwards = [*terms, *start][::-1]
        return reduce(lambda right, left: ex.Binary(node.line, node.op, left, right), backwards)

    def _names(self, node: ex.Expression) -> bool:
        seen = False

        def look(_before: Any, part: Any) -> Any:
            """The part as it is; notes whether it is the pack's name, or has its types."""
            nonlocal seen
            if isinstance(part, ex.Name):
                given = part.template_args or ()
                seen = seen or part.name in (self.name, self.type_name)
                seen = seen or any(self._is_within(each) for each in given)
            elif isinstance(part, (ex.Cast, ex.Construct)):
                seen = seen or self._is_within(part.type)
            return part

        rewritten(node, look)
        return seen

    def _is_within(self, argument: Type | ex.Expression) -> bool:
        if _is_name(argument, self.type_name):
            return True
        return isinstance(argument, Type) and any(map(self._is_within, argument.args))

    def _at(self, node: ex.Expression, at: int) -> ex.Expression:
        """A pattern for one element."""

        def rename(_before: Any, part: Any) -> Any:
            """The part with the names of the pack and of its types replaced by the element's."""
            if isinstance(part, ex.Name):
                ours = part.name in (self.name, self.type_name)
                name = _element(part.name, at) if ours else part.name
                args = part.template_args
                if args is not None:
                    args = tuple(self._type_at(a, at) if isinstance(a, Type) else a for a in args)
                return dataclasses.replace(part, name=name, template_args=args)
            if isinstance(part, (ex.Cast, ex.Construct)):
                return dataclasses.replace(part, type=self._type_at(part.type, at))
            return part

        found: ex.Expression = rewritten(node, rename)
        return found

    def _type_at(self, type_: Type, at: int) -> Type:
        if type_.name == self.type_name:
            return dataclasses.replace(type_, name=_element(type_.name, at))
        if not self._is_within(type_):
            return type_
        args = tuple(self._type_at(a, at) if isinstance(a, Type) else a for a in type_.args)
        return dataclasses.replace(type_, args=args)


def _element(name: str, at: int) -> str:
    return f"{name}_{at}" if name else ""
