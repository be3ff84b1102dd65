"""Functions and types as text for users."""

from __future__ import annotations

from roofline_core.program.expressions import Expression, Literal, Name
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Function


def type_text(type_: Type) -> str:
    """A type as a demangler prints it: ``const float *``."""
    name = type_.name.partition("#")[0]  # Behind it is what tells lambdas apart.
    if type_.args:
        name += f"<{', '.join(map(_argument_text, type_.args))}>"
    text = f"const {name}" if type_.const and (type_.pointers or type_.reference) else name
    pointers = type_.pointers + len(type_.dims)
    if pointers:
        text += " " + "*" * pointers
    if type_.reference:
        text += " &"
    return text


def _argument_text(argument: Type | Expression) -> str:
    if isinstance(argument, Type):
        return type_text(argument)
    if isinstance(argument, Literal):
        return str(argument.value)
    return argument.name if isinstance(argument, Name) else "..."


def parameter_list(function: Function) -> list[str]:
    """The parameter types of a function."""
    return [
        type_text(parameter.type)
        for parameter in function.params
        if not (parameter.type.name == "void" and not parameter.type.pointers)
    ]


def signature(function: Function) -> str:
    """``saxpy<T>(int, float, const float *, float *)``."""
    template = ", ".join(parameter.name for parameter in function.template_params)
    shown = f"<{template}>" if template else ""
    return f"{function.qualified_name}{shown}({', '.join(parameter_list(function))})"


def title_of(dialect: Dialect, qualified_name: str, name: str) -> str:
    """The title of a kernel: its qualified name, or the function of its target region."""
    if dialect is not Dialect.OPENMP:
        return qualified_name
    return f"target region of {qualified_name.rpartition('::')[0] or name}"
