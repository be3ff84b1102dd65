"""Looking up names as the function being executed sees them."""

from __future__ import annotations

from roofline_lsp.analysis.host.index import last_component
from roofline_lsp.analysis.host.layout import class_bindings, class_frame, field_type
from roofline_lsp.analysis.host.machine import Machine
from roofline_lsp.analysis.host.memory import Cell, FieldPlace, Frame, Place
from roofline_lsp.analysis.host.reach import runs_on_host
from roofline_lsp.analysis.host.values import Aggregate, FunctionValue, Scalar
from roofline_lsp.kernel.expressions import Expression, Name
from roofline_lsp.kernel.program import Function, Struct
from roofline_lsp.kernel.statements import Variable
from roofline_lsp.kernel.symbolic import Expr
from roofline_lsp.kernel.types import Type


def find_variable(m: Machine, name: str) -> Place | None:
    """The place of a variable: local, member, static member or global."""
    if m.frames:
        frame = m.frames[-1]
        for scope in reversed(frame.scopes):
            found = scope.get(name)
            if found is not None:
                return found
        if frame.owner is not None or frame.this is not None:
            member = _member(m, frame, name)
            if member is not None:
                return member
        if name in frame.bindings:
            return None
    entry = m.index.globals.get(last_component(name))
    if entry is not None:
        found_global = m.index.find_global(name, m.path)
        if found_global is not None:
            return global_place(m, found_global[1])
    if "::" in name:
        prefix, _, member_name = name.rpartition("::")
        struct = m.index.find_struct(prefix)
        if struct is not None:
            return _static_field(m, struct, member_name)
    return m.builtins.get(name)


def _member(m: Machine, frame: Frame, name: str) -> Place | None:
    this = frame.this
    if this is not None:
        if name in this.fields:
            return FieldPlace(this, name, field_type(m, this.type, name) or Type("auto"))
    if frame.owner is not None:
        found = _static_field(m, frame.owner, name)
        if found is not None:
            return found
    if this is not None:
        type = field_type(m, this.type, name)
        if type is not None:
            return FieldPlace(this, name, type)
    return None


def _static_field(m: Machine, struct: Struct, name: str, depth: int = 0) -> Place | None:
    for field in struct.fields:
        if field.name == name and field.qualifiers & {"static", "constexpr"}:
            if field.init is None:
                outside = m.index.find_global(f"{struct.name}::{name}", None)
                if outside is not None:
                    return global_place(m, outside[1])
            return global_place(m, field)
    for base in struct.bases if depth < 8 else ():
        parent = m.index.find_struct(base.name)
        if parent is not None:
            found = _static_field(m, parent, name, depth + 1)
            if found is not None:
                return found
    return None


def global_place(m: Machine, variable: Variable) -> Place:
    """The place of a global or static variable, initialised when first looked at."""
    place = m.globals.get(id(variable))
    if place is None:
        place = m.globals[id(variable)] = Cell(variable.name, variable.type)
        journals, m.journals = m.journals, []
        m.frames.append(Frame(None, {}, [{}]))
        try:
            place.type, value = m.declared_value(variable, zeroed=True)
            place.put(value)
        finally:
            m.frames.pop()
            m.journals = journals
    return place


def template_arguments(
    m: Machine, args: tuple[Type | Expression, ...] | None
) -> tuple[Type | Expr, ...] | None:
    """Template arguments as types and numbers in force here."""
    if args is None:
        return None
    return tuple(m.template_argument(argument) for argument in args)


def function_value(m: Machine, node: Name) -> FunctionValue | None:
    """The functions a name may mean, with its template arguments; None if there are none."""
    frame = m.frames[-1] if m.frames else None
    owner = None
    if frame is not None:
        if frame.owner is not None:
            owner = frame.owner.qualified_name
        elif frame.function is not None:
            owner = frame.function.owner
        bound = frame.bindings.get(node.name)
        if isinstance(bound, Type) and not bound.pointers:
            given = bound.args or node.template_args
            node = Name(node.line, bound.name, given or None)
    found = m.index.find_functions(node.name, m.path, owner)
    if not found and frame is not None and frame.owner is not None:
        found = _inherited(m, frame.owner, node.name)
    if not found and "::" in node.name:
        found = _of_bound_class(m, node.name)
    if not found:
        return None
    usable = [f for f in found if runs_on_host(f) or f.is_kernel] or found
    return FunctionValue(tuple(usable), template_arguments(m, node.template_args))


def _inherited(m: Machine, struct: Struct, name: str, depth: int = 0) -> list[Function]:
    for base in struct.bases if depth < 8 else ():
        parent = m.index.find_struct(base.name)
        if parent is not None:
            found = m.index.find_methods(parent, name) or _inherited(m, parent, name, depth + 1)
            if found:
                return found
    return []


def _of_bound_class(m: Machine, name: str) -> list[Function]:
    prefix, _, simple = name.rpartition("::")
    bound = m.frame.bindings.get(prefix) if m.frames else None
    target = bound if isinstance(bound, Type) else m.index.find_alias(prefix)
    struct = m.index.find_struct(target.name) if target is not None else None
    return m.index.find_methods(struct, simple) if struct is not None else []


def find_method(m: Machine, type: Type, name: str, depth: int = 0) -> list[Function]:
    """Methods of a class or its bases by name."""
    struct = m.index.find_struct(type.name)
    if struct is None or depth > 8:
        return []
    found = m.index.find_methods(struct, name)
    if found:
        return found
    for base in struct.bases:
        inherited = find_method(m, base, name, depth + 1)
        if inherited:
            return inherited
    return []


def method_bindings(m: Machine, this: Aggregate, function: Function) -> dict[str, Type | Expr]:
    """The class template arguments that a method of an object sees."""
    struct = m.index.find_struct(function.owner or this.type.name)
    if struct is None:
        return {}
    bindings = class_bindings(struct, this.type)
    if struct.template_params and not this.type.args and m.frames:
        bindings = dict(m.frame.bindings)
    return bindings


def owner_frame(struct: Struct, this: Aggregate) -> Frame:
    """A frame within a class for evaluating its member initialisers."""
    return class_frame(struct, this.type, this)


def constant_of(m: Machine, node: Expression) -> int | float | None:
    """The number an expression surely has."""
    value = m.eval(node)
    return value.value.constant if isinstance(value, Scalar) else None
