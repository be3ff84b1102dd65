"""The types of a program: names resolved, classes chosen, sizes and layouts.

A resolved type is closed: aliases, template parameters and constant bounds are replaced, so that
what it means no longer depends on the place that names it. Layouts are kept by closed type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from roofline_analysis.language import opencl_types, type_traits
from roofline_analysis.language.class_layouts import POINTER_BYTES, ClassLayout
from roofline_analysis.language.classes import Classes, ClassLookups
from roofline_analysis.language.composition import as_call, composed, is_function, without_alignment
from roofline_analysis.language.constant_expressions import evaluate
from roofline_analysis.language.conversion_ranks import mentions
from roofline_analysis.language.file_constants import FileConstants
from roofline_analysis.language.kept_answers import AnswersByScope
from roofline_analysis.language.layouts import LayoutMaker, Layouts
from roofline_analysis.language.open_types import inner_names, number_named
from roofline_analysis.language.scope import (
    NO_NAMES,
    Binding,
    Number,
    Scope,
    as_number,
    literal,
)
from roofline_analysis.language.symbols import (
    Alias,
    Symbols,
    last_component,
    matches,
)
from roofline_analysis.language.templates import (
    TemplateArgument,
    bind_parameters,
    binding_of,
)
from roofline_analysis.language.types import (
    EXTENTS,
    HANDLES,
    METHOD_POINTER,
    SCALARS,
    TYPE_NOT_GIVEN,
    Extent,
    builtin_extent,
    canonical,
    vector_parts,
)
from roofline_core.program.expressions import Call, Expression, Name, Unknown
from roofline_core.program.types import MEMBER_POINTER, Type
from roofline_core.program.units import Dialect, Function

MOST_BYTES: Final = 1 << 48
"""The largest object that has a size: x86-64 and GPUs have no addresses for more."""
_NO_TYPES: Final = frozenset(("auto", "decltype", "typename"))
MAX_ALIASES: Final = 16
"""Aliases of aliases that are followed."""
MOST_PARTS: Final = 1000
"""Most types that a type's arguments may have written out; names that stand for more are unknown,
and so are unresolved ones that were taken for arguments of themselves again and again."""
MAX_STEPS: Final = 20_000
"""Most types that are looked at to resolve one; aliases that name one another take more."""


class TypeSystem:
    """The types of one program in one dialect."""

    def __init__(self, symbols: Symbols, dialect: Dialect = Dialect.CUDA) -> None:
        self.symbols = symbols
        self._is_opencl = dialect is Dialect.OPENCL
        self._opencl: TypeSystem | None = None
        """The same program's types as OpenCL names them, once asked for."""
        self._own_names = opencl_types.CANONICAL if dialect is Dialect.OPENCL else {}
        self.not_given: dict[str, Type] = {}
        """Types that no source defines, and what they are taken for."""
        self._class_lookups = ClassLookups()
        self._layouts = Layouts()
        self._file_constants: FileConstants | None = None
        self._leaves: dict[Type, int] = {}
        self._depth = 0
        self._steps = 0
        self._cuts = 0
        self._resolved: AnswersByScope[Type] = AnswersByScope()
        self._parts: AnswersByScope[Type] = AnswersByScope()
        """Types within types, resolved: each stands in several questions about the whole."""
        self.choices: AnswersByScope[Any] = AnswersByScope()
        """The functions that calls mean, which ``overloads`` keeps here."""

    @property
    def classes(self) -> Classes:
        """Who knows the classes. Nobody keeps it: a type system that is let go is freed at once."""
        return Classes(self, self._class_lookups)

    def names_near(self, function: Function) -> Mapping[str, Binding]:
        """What names mean in a function that mean another thing elsewhere in the program.

        Classes of the namespaces around it, and constants of its file.
        """
        if self._file_constants is None:
            self._file_constants = FileConstants(self.symbols.program)
        constants = self._file_constants.seen_from(function.path, self)
        classes = self.symbols.classes_near(function)
        return {**classes, **constants} if constants else classes

    @property
    def resolving(self) -> bool:
        """Whether a type is being resolved: aliases are followed so far and no further."""
        return self._depth > 0

    def in_dialect(self, dialect: Dialect) -> TypeSystem:
        """The same program's types as a kernel's dialect names them; OpenCL's have other names."""
        if dialect is not Dialect.OPENCL or self._is_opencl:
            return self
        if self._opencl is None:
            self._opencl = TypeSystem(self.symbols, dialect)
        return self._opencl

    # ---- Names

    def scope_with(self, bindings: Mapping[str, Binding]) -> Scope:
        """The names of a function template whose parameters stand for these."""
        return Scope(
            {n: self.resolve(b) if isinstance(b, Type) else b for n, b in bindings.items()}
        )

    def resolve(self, type_: Type, scope: Scope = NO_NAMES) -> Type:
        """The closed type: aliases and template parameters replaced, names canonical.

        An enumeration becomes the integer type under it. A name that nothing is known of stays
        as it is.
        """
        if type_.align is not None or (self._depth and not type_.args):
            return self._deeper(type_, scope)
        question = type_, self.symbols.classes_added
        if self._depth == 0:
            self._steps = 0
            return self._resolved.answer(
                lambda inside: self._deeper(type_, inside), question, scope
            )
        cuts = self._cuts
        return self._parts.answer(
            lambda inside: self._deeper(type_, inside), question, scope, lambda: self._cuts == cuts
        )

    def _deeper(self, type_: Type, scope: Scope) -> Type:
        self._steps += 1
        if self._depth > MAX_ALIASES or self._steps > MAX_STEPS:
            self._cuts += 1
            return type_
        self._depth += 1
        try:
            return self._resolve(type_, scope)
        finally:
            self._depth -= 1

    def _resolve(self, type_: Type, scope: Scope) -> Type:
        closed = self._closed(type_, scope)
        if type_.align is None:
            return closed
        return replace(closed, align=self._bound(type_.align, scope))

    def _closed(self, type_: Type, scope: Scope) -> Type:
        if "::" in type_.name:
            name = self.symbols.without_aliases_of_namespaces(type_.name)
            type_ = type_ if name == type_.name else replace(type_, name=name)
        if type_.args and "::" in type_.name and self._has_arguments_of_class(type_):
            type_ = replace(type_, args=(), scope_args=type_.args)
        own = self._own_names.get(type_.name)
        if own is not None:
            return composed(type_, Type(own), type_.args, self._bounds(type_, scope))
        target = self._target(type_, scope)
        bounds = self._bounds(type_, scope)
        args = self._arguments(type_, scope)
        if args and sum(each.parts for each in args if isinstance(each, Type)) > MOST_PARTS:
            self._cuts += 1
            args = ()
        if target is None:
            target = self._taken_for(type_)
        if target is None:
            name = canonical(type_.name)
            if name != type_.name and self.symbols.find_struct(type_.name) is not None:
                name = type_.name  # A class of the program's own hides a header's.
            if name == type_.name and args == type_.args and bounds == type_.dims:
                return type_
            return composed(type_, Type(name), args, bounds)
        if args and builtin_extent(target.name) is not None:
            args = ()  # They were the trait's or the alias's.
        if args and not target.args and not target.pointers and target.name != type_.name:
            # A template template parameter, bound to a template: its alias is looked up now.
            target = self.resolve(Type(target.name, args))
        return composed(type_, target, args, bounds)

    def _has_arguments_of_class(self, type_: Type) -> bool:
        """Whether arguments are the class's: those of ``S<6>::type`` within a longer name."""
        if type_.scope_args or self.symbols.find_struct(type_.name) is not None:
            return False
        alias = self.symbols.find_alias(type_.name)
        around = self.symbols.find_struct(type_.name.rpartition("::")[0])
        member = alias is not None and not alias.params
        return member and around is not None and bool(around.template_params)

    def _taken_for(self, type_: Type) -> Type | None:
        """What a type is taken for that no source defines; None where its name does not say."""
        taken = number_named(type_.name)
        if taken is not None and not self._is_undeclared(type_):
            taken = None
        if taken is None and self._is_given_by_build(type_):
            taken = TYPE_NOT_GIVEN
        if taken is not None:
            self.not_given[type_.name] = taken
        return taken

    def _is_undeclared(self, type_: Type) -> bool:
        """Whether nothing in the program declares a name, not even inside a template or class."""
        name = type_.name
        known = type_.args or type_.tagged or self._is_type(name, NO_NAMES)
        return not known and name.rpartition("::")[2] not in self._inner_names

    @cached_property
    def _inner_names(self) -> frozenset[str]:
        return inner_names(self.symbols)

    def _is_given_by_build(self, type_: Type) -> bool:
        """Whether only a macro can say what a type is, as OpenCL C has no templates.

        Programs build kernels with options such as ``-DT=float``. A header that was not found could
        say it, too. The language's own types of
        which nothing is known here, images and events, end in ``_t``.
        """
        name = type_.name
        return (
            self._is_opencl
            and not self.symbols.lacks_kernel_headers
            and not (type_.args or type_.tagged)
            and name.isidentifier()
            and name not in _NO_TYPES
            and not name.endswith("_t")
            and not self._is_type(name, NO_NAMES)
        )

    def _arguments(self, type_: Type, scope: Scope) -> tuple[TemplateArgument, ...]:
        if not type_.args or type_.name == "decltype":
            return type_.args
        return tuple(self.argument(argument, scope) for argument in type_.args)

    def argument(self, argument: TemplateArgument, scope: Scope = NO_NAMES) -> TemplateArgument:
        """A template argument closed: a type resolved, a constant expression as its number."""
        if isinstance(argument, Type):
            plain = not (argument.pointers or argument.args or argument.dims or argument.reference)
            if plain and argument.name not in EXTENTS:
                number = self._named_number(argument, scope)
                if number is not None:
                    return literal(number)
            call = as_call(argument)
            number = None if call is None else self._called_number(call, scope)
            if number is not None:
                return literal(number)
            return without_alignment(self.resolve(argument, scope))
        number = self.number(argument, scope)
        if number is not None:
            return literal(number)
        if isinstance(argument, Name) and self._is_type(argument.name, scope):
            return self.resolve(Type(argument.name, argument.template_args or ()), scope)
        return argument

    def _called_number(self, call: Call, scope: Scope) -> Number | None:
        """The number that is called for where a function's type may stand; None for a type."""
        callee = call.callee
        if not isinstance(callee, Name) or self._is_type(callee.name, scope):
            return None
        return self.number(call, scope)

    def _named_number(self, argument: Type, scope: Scope) -> Number | None:
        """The number of a name in a place that takes a type or a number; None for a type."""
        name = argument.name
        bound = scope.bindings.get(name)
        if bound is not None:
            return None if isinstance(bound, Type) else bound
        if self._is_type(name, scope):
            return None
        return self.number(Name(0, name, scope_args=argument.scope_args), scope)

    def _is_type(self, name: str, scope: Scope) -> bool:
        return (
            isinstance(scope.bindings.get(name), Type)
            or builtin_extent(canonical(name)) is not None
            or self.symbols.find_struct(name) is not None
            or self.symbols.find_alias(name) is not None
            or self.symbols.find_enum(name) is not None
        )

    def _bounds(self, type_: Type, scope: Scope) -> tuple[Expression | None, ...]:
        if not type_.dims:
            return ()
        return tuple(self._bound(dim, scope) for dim in type_.dims)

    def _bound(self, dim: Expression | None, scope: Scope) -> Expression | None:
        if dim is None:
            return None
        number = self.number(dim, scope)
        return dim if number is None or not _is_extent(number) else literal(int(number))

    def _target(self, type_: Type, scope: Scope) -> Type | None:
        """What a name stands for if it is not a type of its own, closed."""
        name = type_.name
        bound = scope.bindings.get(name)
        if isinstance(bound, Type):
            return bound if bound.name != name or bound.args else None
        if name in EXTENTS:
            return None
        if name in HANDLES:
            return HANDLES[name]
        if scope.owner is not None and scope.struct is not None:
            found = self._member_of_owner(type_, scope)
            if found is not None:
                return found
        if "::" in name:
            found = self._qualified(type_, scope)
            if found is not None:
                return found
        other = self.symbols.other_name(name)
        if other is not None:
            return self.resolve(
                Type(other, self._arguments(type_, scope), scope_args=type_.scope_args)
            )
        return self._alias(type_, scope)

    def _member_of_owner(self, type_: Type, scope: Scope) -> Type | None:
        assert scope.owner is not None
        assert scope.struct is not None
        if type_.name == scope.struct.name:
            args = self._arguments(type_, scope) if type_.args else scope.owner.args
            return Type(scope.owner.name, args, scope_args=scope.owner.scope_args)
        found = self._member_type(scope.owner, type_.name)
        return found if found is not None else self._nearest_class(type_, scope)

    def _nearest_class(self, type_: Type, scope: Scope) -> Type | None:
        """A class nested in the one around, or beside it in its namespace, qualified."""
        assert scope.owner is not None
        assert scope.struct is not None
        around = scope.struct.qualified_name
        candidates = self.symbols.structs.get(last_component(type_.name), ())
        while candidates and around:
            qualified = f"{around}::{type_.name}"
            if any(struct.qualified_name == qualified for struct in candidates):
                nested = around == scope.struct.qualified_name
                outer = scope.owner.args if nested else ()
                args = self._arguments(type_, scope)
                return Type(qualified, args, scope_args=outer)
            other = self.symbols.other_name(qualified)
            if other is not None:
                return self.resolve(Type(other, self._arguments(type_, scope)))
            around = around.rpartition("::")[0]
        return None

    def _qualified(self, type_: Type, scope: Scope) -> Type | None:
        prefix, _, member = type_.name.rpartition("::")
        trait = type_traits.type_of(self, type_, scope)
        if trait is not None:
            return trait
        holder = self.resolve(Type(prefix, type_.scope_args), scope)
        found = self._member_type(holder, member)
        if found is None and (holder.args or holder.name != prefix):
            nested = f"{holder.name}::{member}"
            if any(matches(s.qualified_name, nested) for s in self.symbols.find_structs(nested)):
                return Type(nested, self._arguments(type_, scope), scope_args=holder.args)
            found = self._class_of_base(holder, member)
        if found is None and member in ("value_type", "element_type") and holder.args:
            first = holder.args[0]
            found = first if isinstance(first, Type) else None
        if found is None and holder.name in SCALARS and prefix in scope.bindings:
            # No scalar has members: the parameter is a class that nothing instantiates.
            found = TYPE_NOT_GIVEN
        return found

    def _member_type(self, holder: Type, member: str) -> Type | None:
        """A type alias of a class or its bases, closed."""
        for inside, struct in self.classes.hierarchy(holder):
            target = struct.aliases.get(member)
            if target is not None and target.name != member:
                return self.resolve(target, inside)
        return None

    def _class_of_base(self, holder: Type, member: str) -> Type | None:
        """A class that stands in a base of another one."""
        if member not in self.symbols.structs:
            return None
        for inside, struct in self.classes.hierarchy(holder):
            nested = f"{struct.qualified_name}::{member}"
            if any(s.qualified_name == nested for s in self.symbols.structs[member]):
                outer = inside.owner.args if inside.owner is not None else ()
                return Type(nested, scope_args=outer)
        return None

    def _alias(self, type_: Type, scope: Scope) -> Type | None:
        symbols = self.symbols
        alias = symbols.find_alias(type_.name)
        if alias is None or self._is_of_another_class(alias, type_.name, scope):
            underlying = symbols.find_enum(type_.name)
            if underlying is not None and symbols.find_struct(type_.name) is None:
                return self.resolve(underlying)
            return type_traits.type_of(self, type_, scope) if type_.args else None
        if alias.target.name == type_.name and not alias.target.pointers:
            return None
        if not alias.params and symbols.find_struct(type_.name) is not None:
            # ``typedef struct S S``; else a class hides an alias of its name.
            if alias.target.name != type_.name.rpartition("::")[2]:
                return None
        return self._alias_target(alias, type_, scope)

    def _is_of_another_class(self, alias: Alias, name: str, scope: Scope) -> bool:
        """Whether an alias is a member of a class that a plain name does not look into."""
        around = alias.qualified_name.rpartition("::")[0]
        if "::" in name or not around or not self.symbols.is_class(around):
            return False
        inside = scope.struct.qualified_name if scope.struct is not None else ""
        return not f"{inside}::".startswith(f"{around}::")

    def _alias_target(self, alias: Alias, type_: Type, scope: Scope) -> Type:
        if not alias.params:
            around = self.symbols.find_struct(alias.qualified_name.rpartition("::")[0])
            inside = scope if around is not None and around is scope.struct else NO_NAMES
            return self.resolve(alias.target, inside)
        given = tuple(self.argument(argument, scope) for argument in type_.args)
        bound = bind_parameters(
            alias.params, given, lambda default, so_far: self.default(default, so_far, scope)
        )
        return self.resolve(alias.target, Scope(bound))

    def default(
        self, default: TemplateArgument, so_far: dict[str, Binding], scope: Scope
    ) -> Binding | None:
        """What a default template argument is, given the parameters before it."""
        inside = Scope({**scope.bindings, **so_far}, scope.owner, scope.struct, scope.number_of)
        return binding_of(self.argument(default, inside))

    # ---- Classes

    def find_callees(
        self, callee: Name, near: Path | None, scope: Scope, caller: Function | None = None
    ) -> tuple[Sequence[Function], Scope]:
        """The functions that a name in a call may mean, and the names in force in them.

        Methods are found by a plain name from within their class or one that derives from it, and
        by a name qualified with their class, which may be a template parameter or an alias.
        """
        prefix, _, simple = callee.name.rpartition("::")
        if not prefix and scope.owner is not None:
            methods, inside = self.classes.find_methods(scope.owner, simple)
            if methods and not _constructs(inside, simple):
                if not self._hidden_by_dependence(scope, inside, simple):
                    return methods, inside
        if prefix:
            holder = self.resolve(Type(prefix, callee.scope_args), scope)
            methods, inside = self.classes.find_methods(holder, simple)
            if methods and not _constructs(inside, simple):
                return methods, inside
        bound = scope.bindings.get(callee.name)
        name = bound.name if isinstance(bound, Type) and not bound.pointers else callee.name
        absolute = callee.absolute
        return self.symbols.find_functions(name, near, None, caller, absolute=absolute), NO_NAMES

    def _hidden_by_dependence(self, scope: Scope, inside: Scope, name: str) -> bool:
        """Whether a plain name means a function outside rather than a method of a base.

        It does in a class template whose bases its own parameters decide.
        """
        own = scope.struct
        if own is None or inside.struct is own or not own.template_params:
            return False
        names = {parameter.name for parameter in own.template_params}
        dependent = any(mentions(base, names) for base in own.bases)
        return dependent and any(f.owner is None for f in self.symbols.functions.get(name, ()))

    def given_arguments(
        self, arguments: Sequence[TemplateArgument] | None, scope: Scope
    ) -> list[Binding | None] | None:
        """The template arguments that a call writes, as bindings."""
        if arguments is None:
            return None
        return [binding_of(self.argument(argument, scope)) for argument in arguments]

    # ---- Numbers

    def number(self, node: Expression, scope: Scope = NO_NAMES) -> Number | None:
        """The value of a constant expression; None where it has none."""
        known = as_number(node)
        if known is not None:
            return known
        found = evaluate(self, node, scope)
        return found[0] if found is not None else None

    # ---- Sizes

    def size(self, type_: Type, scope: Scope = NO_NAMES) -> int | None:
        """Bytes of a value of this type; None where that is not known."""
        closed = self.resolve(type_, scope)
        count = self.elements(closed, scope)
        if count is None:
            return None
        extent = None if closed.pointers else self.extent(closed)
        if extent is None and not closed.pointers:
            return None
        size = count * (POINTER_BYTES if extent is None else extent.size_bytes)
        return size if size <= MOST_BYTES else None

    def elements(self, closed: Type, scope: Scope = NO_NAMES) -> int | None:
        """Elements of an array in all its dimensions, 1 for what is none; None if not known."""
        count = 1
        for dim in closed.dims:
            number = None if dim is None else self.number(dim, scope)
            if number is None or not _is_extent(number):
                return None
            count *= int(number)
        return count

    def extent(self, closed: Type) -> Extent | None:
        """The room of one object of a closed type, array bounds apart; None if not known."""
        extent = self._natural_extent(closed)
        if extent is None or closed.align is None:
            return extent
        align = self.alignment_asked(closed.align)
        return Extent(extent.size_bytes, align) if align is not None else None

    def alignment_asked(self, asked: Expression, scope: Scope = NO_NAMES) -> int | None:
        """The bytes of ``alignas(16)`` or ``alignas(double)``; None where that is not known."""
        number = self.number(asked, scope)
        if number is not None:
            return int(number) if _is_extent(number) else None
        name = asked.name if isinstance(asked, Name) else None
        name = asked.text if isinstance(asked, Unknown) else name
        return self.alignment(Type(name), scope) if name else None

    def _natural_extent(self, closed: Type) -> Extent | None:
        if closed.pointers:
            return Extent(POINTER_BYTES, POINTER_BYTES)
        if closed.name == MEMBER_POINTER and is_function(closed.args[0]):
            return METHOD_POINTER
        found = builtin_extent(closed.name)
        if found is not None:
            return found
        layout = self.layout(closed)
        if layout is not None:
            return layout.extent if not layout.assumed else None
        return LayoutMaker(self, self._layouts).library_extent(closed)

    def alignment(self, type_: Type, scope: Scope = NO_NAMES) -> int | None:
        """Alignment in bytes; None where nothing is known."""
        extent = self.extent(self.resolve(type_, scope))
        return None if extent is None else extent.align_bytes

    def layout(self, closed: Type) -> ClassLayout | None:
        """Where the fields of a class lie; None for what is no class or not defined."""
        return LayoutMaker(self, self._layouts).layout(closed)

    def leaves(self, closed: Type, depth: int = 0) -> int:
        """Scalars in an object of a closed type; 1 for what is no class."""
        known = self._leaves.get(closed)
        if known is None:
            plain = not (closed.pointers or closed.dims) and depth < MAX_ALIASES
            layout = self.layout(closed) if plain else None
            fields = layout.fields.values() if layout is not None else ()
            known = sum(self.leaves(field.type, depth + 1) for field in fields) or 1
            self._leaves[closed] = known
        return known

    def is_class(self, closed: Type) -> bool:
        """Whether values of the type are objects with fields: a class or a vector type."""
        if closed.pointers or closed.dims:
            return False
        if vector_parts(closed.name) is not None:
            return True
        return self.symbols.find_struct(closed.name) is not None


def _constructs(scope: Scope, name: str) -> bool:
    """Whether a name called within a class is the class's own, which makes an object."""
    return scope.struct is not None and scope.struct.name == name


def _is_extent(number: Number) -> bool:
    """Whether a number may be an array's extent: infinity, NaN, 1e30 and -1 are none."""
    return 0 <= number <= MOST_BYTES
