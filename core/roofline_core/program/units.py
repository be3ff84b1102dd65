"""Functions, classes, files and programs of the kernel model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Final

from roofline_core.program.expressions import Expression
from roofline_core.program.records import record
from roofline_core.program.statements import Block, Variable
from roofline_core.program.types import Type

STAND_INS: Final = Path("<stand-in>")
"""The folder, which is on no disk, of texts that stand for headers that were not found."""


def is_stand_in(path: Path) -> bool:
    """Whether a text stands for headers that were not found."""
    return path.parent == STAND_INS


class Dialect(Enum):
    """The language a kernel is written in."""

    CUDA = "cuda"
    HIP = "hip"
    OPENCL = "opencl"
    OPENMP = "openmp"


@record(frozen=True, slots=True)
class Span:
    """A range of a source file: 1-based lines, 0-based columns in UTF-8 bytes, end exclusive.

    Columns are those of the source text; where a macro made the text, they cover the macro's use.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class Severity(Enum):
    """How much of the result a problem costs."""

    ERROR = "error"
    """Something was not read at all."""
    WARNING = "warning"
    """Something was read in part or assumed."""
    NOTE = "note"
    """Something that is not part of the program is not counted."""


@record(frozen=True, slots=True)
class ExcludedCode:
    """A kernel or target region that a conditional leaves out for want of a macro."""

    macro: str
    """What nothing defines."""
    line: int
    """Where the kernel or the region's pragma stands, from 1."""
    kernel: str | None
    """The kernel's name; None of a target region."""


@record(frozen=True, slots=True)
class Problem:
    """What could not be read or resolved, in a sentence that names it."""

    severity: Severity
    message: str
    path: Path | None
    line: int | None = None
    unknown_function: str | None = None
    """The function whose body is not known, if that is the problem; else None."""
    excluded: ExcludedCode | None = None
    """The code that is left out, if that is the problem; else None."""


@record(frozen=True, slots=True)
class TemplateParameter:
    """``typename T = float`` (``type`` None) or ``int N = 4``."""

    name: str
    type: Type | None
    default: Type | Expression | None = None
    pack: bool = False


@dataclass(frozen=True, eq=False)
class Function:
    """A function, method or kernel, its body read only when asked for."""

    name: str
    """Without qualification."""
    qualified_name: str
    """With namespaces and classes: ``foo::S::op``."""
    path: Path
    span: Span
    """From the first specifier (``template`` excluded) to the closing brace."""
    name_span: Span
    return_type: Type
    params: tuple[Variable, ...]
    template_params: tuple[TemplateParameter, ...]
    qualifiers: frozenset[str]
    """``__global__``, ``__device__``, ``__host__``, ``static``, ``inline``, ``extern "C"`` ...

    What stands after the parameters too: ``const``, ``&``, ``&&``, ``override``, ``final``; ``...``
    where it takes any arguments after its parameters, ``requires`` where a constraint or a concept
    limits what it is called with. Of a target region ``parallel`` where its own directive starts
    the threads of a team, and no ``parallel`` within; ``specialised`` where those of all regions of
    the file do, so that LLVM makes its runtime a part of the kernels.
    """
    dialect: Dialect = Dialect.CUDA
    owner: str | None = None
    """The qualified class name for a method."""
    template_args: tuple[Type | Expression, ...] | None = None
    """Of an explicit specialisation ``f<int>``; None for a plain function or primary template."""
    owner_args: tuple[Type | Expression, ...] = ()
    """Of a method specialised outside its class: ``template <> int S<int>::f()``."""
    launch_bounds: tuple[Expression, ...] = ()
    """``__launch_bounds__(max_threads, min_blocks)``."""
    block_shape: tuple[Expression, ...] = ()
    """The block that a kernel demands, x first: OpenCL's ``reqd_work_group_size(x, y, z)``."""
    initializers: tuple[tuple[str, tuple[Expression, ...]], ...] = ()
    """A constructor's ``: field(args)`` list."""
    read_body: Callable[[], Block | None] | None = field(default=None, repr=False)
    """Gives the body; None for a declaration without one. Called once, through ``body``."""
    launches: bool = False
    """Whether a device function's body has ``<<<``, a launch of its own, in its text."""
    fingerprint: str = ""
    """A hash of the preprocessed text, so that results can be cached by it."""
    body_problems: list[Problem] = field(default_factory=list, repr=False)
    """What could not be read inside the body; complete once ``body`` was asked for."""
    written_in: Path | None = None
    """The header that a target region is written in, included inside a function; None for all
    that is written in ``path``."""

    @cached_property
    def body(self) -> Block | None:
        """The statements, or None for a declaration without one."""
        return self.read_body() if self.read_body else None

    @cached_property
    def words(self) -> frozenset[str] | None:
        """The identifiers in the body's text, and ``<<<`` where a launch may be spelt in it.

        The body mentions no name that has other words. Asking does not read the body; None where
        ``read_body`` has no method ``words``, so that only the body tells.
        """
        words: Callable[[], frozenset[str]] | None = getattr(self.read_body, "words", None)
        return None if words is None else words()

    @cached_property
    def by_arguments(self) -> dict[int, Function]:
        """By a number of arguments, the function as it is for them, once somebody has asked.

        Kept here, so that it goes with the function: an editor reads one anew with each edit.
        """
        return {}

    @cached_property
    def answers(self) -> dict[Callable[[Function], object], object]:
        """What was worked out of the function alone, by what did so: see ``by_function``."""
        return {}

    @property
    def has_body(self) -> bool:
        """Whether this is a definition; asking does not read the body."""
        return self.read_body is not None

    @property
    def is_kernel(self) -> bool:
        """Whether the device starts here."""
        return "__global__" in self.qualifiers


@record(frozen=True, slots=True)
class FieldGroup:
    """Fields of an anonymous class within a class, by their positions among its fields."""

    first: int
    count: int
    union: bool


@dataclass(frozen=True, eq=False)
class Struct:
    """A class, struct or union."""

    name: str
    qualified_name: str
    line: int
    fields: tuple[Variable, ...]
    methods: tuple[Function, ...]
    bases: tuple[Type, ...] = ()
    template_params: tuple[TemplateParameter, ...] = ()
    aliases: Mapping[str, Type] = field(default_factory=dict)
    union: bool = False
    align: Expression | None = None
    template_args: tuple[Type | Expression, ...] | None = None
    """Of a specialisation ``S<int>``; None for a plain class or primary template."""
    constrained: bool = False
    """Whether a constraint or a concept limits what it is instantiated with."""
    enumerators: Mapping[str, Expression | int] = field(default_factory=dict)
    """Constants of the enumerations in the class that its scope may name without theirs."""
    groups: tuple[FieldGroup, ...] = ()
    """Anonymous structs and unions whose fields are among ``fields``, outer ones first."""
    pack_bytes: int | None = None
    """The largest alignment of a field, by ``packed`` (1) or ``#pragma pack``; None: no limit."""
    hides_fields: bool = False
    """Whether some of its fields are private or protected."""
    imports: frozenset[str] = frozenset()
    """Names of bases that ``using Base::f`` adds to its own."""
    virtual_bases: frozenset[str] = frozenset()
    """The names of those bases that are virtual."""


OPENCL_SUFFIXES: Final = frozenset({".cl", ".clh", ".ocl", ".opencl"})
"""Suffixes of OpenCL kernels, which the host program compiles when it runs."""


@dataclass(frozen=True, eq=False)
class TranslationUnit:
    """One file as read in one macro context, without the files it includes."""

    path: Path
    functions: tuple[Function, ...] = ()
    """Free functions, kernels and methods defined outside their class, in order."""
    structs: tuple[Struct, ...] = ()
    globals: tuple[Variable, ...] = ()
    """Variables at file and namespace scope, ``constexpr`` and ``const`` ones too."""
    aliases: Mapping[str, Type] = field(default_factory=dict)
    """``typedef`` and ``using``, by qualified name; members of classes too."""
    alias_params: Mapping[str, tuple[TemplateParameter, ...]] = field(default_factory=dict)
    """The parameters of those aliases that are templates."""
    enums: Mapping[str, Type] = field(default_factory=dict)
    """The underlying type of each named enumeration, by its qualified name."""
    enumerators: Mapping[str, Expression | int] = field(default_factory=dict)
    """Enumeration constants; an int is the value, an expression the one written."""
    macros: Mapping[str, str] = field(default_factory=dict)
    """Object-like macros in force at the end of the file, name to replacement text."""
    includes: tuple[TranslationUnit, ...] = ()
    """Files found and read for ``#include``, in order."""
    unresolved_includes: tuple[str, ...] = ()
    imports: frozenset[str] = frozenset()
    """Namespaces of ``using namespace a::b`` and names of ``using a::f``, outside of functions."""
    used_names: Mapping[str, str] = field(default_factory=dict)
    """What ``using a::f`` names, by the qualified name that it adds: ``ns::f`` in ``ns``."""
    instantiations: tuple[Function, ...] = ()
    """Function templates instantiated explicitly, as declarations: ``template void f<int>(int);``.
    """
    class_instantiations: tuple[Type, ...] = ()
    """Class templates instantiated explicitly, by qualified name: ``template class C<int>;``."""
    problems: tuple[Problem, ...] = ()


def _enter(unit: TranslationUnit, seen: dict[int, TranslationUnit]) -> None:
    """Enter what a unit includes, then the unit itself.

    No function within a function: one that calls itself is a cycle, which would hold the units.
    """
    if id(unit) in seen:
        return
    for included in unit.includes:
        _enter(included, seen)
    seen[id(unit)] = unit


@dataclass(frozen=True, eq=False)
class Program:
    """Translation units that are linked together: one executable, or what is known of one."""

    units: tuple[TranslationUnit, ...]

    def all_units(self) -> tuple[TranslationUnit, ...]:
        """The units and all they include, included ones first, each file context once."""
        seen: dict[int, TranslationUnit] = {}
        for unit in self.units:
            _enter(unit, seen)
        return tuple(seen.values())
