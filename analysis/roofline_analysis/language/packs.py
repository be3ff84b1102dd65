"""Functions with a parameter pack, its elements written out as parameters of their own."""

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
from roofline_core.program.units import Function, TemplateParameter

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


@record(frozen=True, slots=True)
class _Pack:
    """A pack of parameters and that of their types."""

    name: str
    type_name: str
    elements: int

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
        return node

    def _written(self, argument: ex.Expression) -> tuple[ex.Expression, ...]:
        """The arguments that one written argument stands for."""
        if not isinstance(argument, ex.Expansion):
            return (argument,)
        return tuple(self._at(argument.pattern, at) for at in range(self.elements))

    def _types(self, given: Sequence[Type | ex.Expression]) -> tuple[Type | ex.Expression, ...]:
        found: list[Type | ex.Expression] = []
        for each in given:
            if isinstance(each, Type) and each.name == self.type_name:
                found += [self._type_at(each, at) for at in range(self.elements)]
            else:
                found.append(each)
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
            """The part as it is; notes whether it is the pack's name."""
            nonlocal seen
            seen = seen or (isinstance(part, ex.Name) and part.name == self.name)
            return part

        rewritten(node, look)
        return seen

    def _at(self, node: ex.Expression, at: int) -> ex.Expression:
        """A pattern for one element."""

        def rename(_before: Any, part: Any) -> Any:
            """The part with the names of the pack and of its types replaced by the element's."""
            if isinstance(part, ex.Name):
                name = _element(part.name, at) if part.name == self.name else part.name
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
        if type_.name != self.type_name:
            return type_
        return dataclasses.replace(type_, name=_element(type_.name, at))


def _element(name: str, at: int) -> str:
    return f"{name}_{at}" if name else ""
