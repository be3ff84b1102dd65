"""Closed types put together from what names stand for and from what stands around the names."""

from __future__ import annotations

from dataclasses import replace

from roofline_analysis.language.templates import TemplateArgument
from roofline_core.program.expressions import Call, Expression, Name
from roofline_core.program.types import Type


def composed(
    outer: Type,
    target: Type,
    args: tuple[TemplateArgument, ...],
    bounds: tuple[Expression | None, ...],
) -> Type:
    """A target with what stands around the name it replaces: pointers, a reference, bounds."""
    dims: tuple[Expression | None, ...] = bounds + target.dims
    pointers = outer.pointers + target.pointers
    if target.dims and outer.pointers:
        # A pointer to an array is sized like a parameter ``x[][n]``.
        dims = bounds + (None,) * outer.pointers + target.dims
        pointers = target.pointers
    return Type(
        target.name,
        target.args or args,
        pointers,
        outer.reference or target.reference,
        outer.const or target.const,
        outer.restrict or target.restrict,
        outer.volatile or target.volatile,
        dims,
        target.scope_args,
        _is_rvalue(outer, target),
        enumeration=target.enumeration,
        align=None if outer.pointers or outer.reference else target.align,
    )


def _is_rvalue(outer: Type, target: Type) -> bool:
    """Whether references to one another come to one to a temporary: none of them is another."""
    lvalue = (outer.reference and not outer.rvalue) or (target.reference and not target.rvalue)
    return (outer.rvalue or target.rvalue) and not lvalue


def without_alignment(argument: Type) -> Type:
    """A template argument: compilers ignore what a typedef asks for there."""
    return argument if argument.align is None else replace(argument, align=None)


def as_call(argument: TemplateArgument) -> Call | None:
    """A template argument written as a function's type, ``f(N)``, as the call that it may be, too.

    Which of the two it is depends on what ``f`` names.
    """
    if not isinstance(argument, Type) or argument.name != "function" or not argument.args:
        return None
    callee, *operands = map(_as_name, argument.args)
    if argument.pointers or callee is None or None in operands:
        return None
    return Call(0, callee, tuple(each for each in operands if each is not None))


def _as_name(argument: TemplateArgument) -> Expression | None:
    """What stands where a type may as a name that may be a number's or a function's."""
    if not isinstance(argument, Type):
        return argument
    if argument != Type(argument.name, argument.args, scope_args=argument.scope_args):
        return None
    return Name(0, argument.name, argument.args or None, argument.scope_args)


def is_function(argument: TemplateArgument) -> bool:
    """Whether a template argument is a function's type, rather than a pointer to one."""
    return isinstance(argument, Type) and argument.name == "function" and not argument.pointers
