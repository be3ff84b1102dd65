"""The scopes of declarations and the names known in them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final

from roofline_core.program.expressions import Name
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import TemplateParameter
from roofline_parsers.cuda.lowering import Lowering
from roofline_parsers.cuda.source import ParserInput

TemplateParams = tuple[TemplateParameter, ...]

_STANDARD_CONCEPTS: Final = frozenset(
    "std::integral std::signed_integral std::unsigned_integral std::floating_point std::same_as "
    "std::convertible_to std::derived_from std::invocable std::copyable std::regular".split()
)


def _limited_type(param: TemplateParameter, concepts: AbstractSet[str]) -> TemplateParameter:
    """``Small T`` as the type parameter that it is where ``Small`` is a concept."""
    named = param.type.name if param.type is not None else ""
    if named in _STANDARD_CONCEPTS or named.rpartition("::")[2] in concepts:
        return TemplateParameter(param.name, None, param.default, param.pack)
    return param


@record(frozen=True, slots=True)
class DeclarationScope:
    """The scope of a declaration."""

    prefix: str = ""
    """Namespaces and classes around it, each followed by ``::``."""
    owner: str | None = None
    """The class directly around it, qualified."""
    template_lists: tuple[TemplateParams, ...] = ()
    """Template parameter lists around it, outermost first, those of classes included."""
    own_lists: int = 0
    """How many of these stand directly before the declaration."""
    extern_c: bool = False
    extern_declaration: bool = False
    """Whether ``extern "C"`` without braces stands before it, which makes it ``extern``."""
    constrained: bool = False
    """Whether a constraint or a concept stands in the template parameter lists directly before."""

    @property
    def own_params(self) -> TemplateParams:
        """The template parameters directly before the declaration."""
        own = self.template_lists[len(self.template_lists) - self.own_lists :]
        return tuple(param for params in own for param in params)

    @property
    def around_local_class(self) -> TemplateParams:
        """The template parameters of which a class in this function's body is made; no packs."""
        params = tuple(param for params in self.template_lists for param in params)
        return () if any(param.pack for param in params) else params

    def inside(self, name: str, *, is_class: bool) -> DeclarationScope:
        """The scope of the members of a namespace or class."""
        prefix = f"{self.prefix}{name}::" if name else self.prefix
        owner = f"{self.prefix}{name}" if is_class else None
        outer = replace(self, own_lists=0, constrained=False, extern_declaration=False)
        return replace(outer, prefix=prefix, owner=owner)

    def with_template(
        self, params: TemplateParams, concepts: AbstractSet[str] = frozenset()
    ) -> DeclarationScope:
        """The scope of what follows ``template <params>``, some of which concepts may limit."""
        types = tuple(_limited_type(param, concepts) for param in params)
        lists = (*self.template_lists, types)
        limited = self.constrained or types != params
        return replace(
            self, template_lists=lists, own_lists=self.own_lists + 1, constrained=limited
        )


@dataclass(slots=True)
class KnownNames:
    """Names that settle what the grammar leaves open, unqualified."""

    types: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)
    concepts: set[str] = field(default_factory=set)


def lowering_for(
    source: ParserInput, known: KnownNames, scope: DeclarationScope, prefix: str = ""
) -> Lowering:
    """A fresh lowering that knows the template parameters in scope."""
    lo = Lowering(source, known.types, known.values, prefix)
    lo.template_args = tuple(
        Type(param.name) if param.type is None else Name(0, param.name)
        for param in scope.around_local_class
    )
    for params in scope.template_lists:
        for param in params:
            if param.type is None:
                lo.local_types[param.name] = None
            else:
                lo.local_values.add(param.name)
    return lo
