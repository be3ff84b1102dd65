"""Constants that files of one program define differently: each file means its own.

``constexpr int kTile = 64;`` belongs to the file that has it or includes it. Another file that is
linked with it may say 128, and so may a constant that is worked out of it be another there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.language.constant_expressions import initial_value
from roofline_analysis.language.queries import TypeQueries
from roofline_analysis.language.scope import NO_NAMES, Number, Scope
from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.types import canonical, is_integer
from roofline_core.program.expressions import Literal
from roofline_core.program.statements import Variable
from roofline_core.program.units import Program, TranslationUnit

_MOST_CONSTANTS: Final = 400
"""The most constants in a file's sight that are held to be worked out of others. A limit."""
_NONE: Final[Mapping[str, Number]] = {}


class FileConstants:
    """The whole numbers that names stand for in one file and not in every other."""

    def __init__(self, program: Program) -> None:
        self._units: dict[Path, TranslationUnit] = {}
        """By path; of a header that was read in several contexts the first."""
        defined: dict[str, dict[Path, Variable]] = {}
        for unit in program.all_units():
            self._units.setdefault(unit.path, unit)
            for variable in filter(_is_whole_constant, unit.globals):
                name = last_component(variable.name)
                defined.setdefault(name, {}).setdefault(unit.path, variable)
        self._differing = frozenset(
            name for name, by_path in defined.items() if not _are_alike(list(by_path.values()))
        )
        self._known: dict[Path, Mapping[str, Number]] = {}

    def seen_from(self, path: Path, types: TypeQueries) -> Mapping[str, Number]:
        """The numbers that such names stand for in a file; usually there are none.

        Names that it and what it includes do not define, or define twice, are left out.
        """
        if not self._differing:
            return _NONE
        found = self._known.get(path)
        if found is None:
            self._known[path] = _NONE  # for whoever asks while it is worked out
            found = self._known[path] = self._worked_out(path, types)
        return found

    def _worked_out(self, path: Path, types: TypeQueries) -> Mapping[str, Number]:
        unit = self._units.get(path)
        if unit is None:
            return _NONE
        own: dict[str, Variable | None] = {}
        visible: dict[str, Variable | None] = {}
        for each in _with_includes(unit, set()):
            defined = own if each is unit else visible
            for variable in filter(_is_whole_constant, each.globals):
                name = last_component(variable.name)
                defined[name] = None if name in defined else variable
        visible |= own
        found: dict[str, Number] = {}
        left = _MOST_CONSTANTS
        for name, meant in visible.items():
            if meant is None or types.symbols.may_be_static(name):
                continue
            if name not in self._differing:
                if not found or left == 0:
                    continue  # It rests on none of them, or there are too many.
                left -= 1
            here = initial_value(types, meant, Scope(dict(found)))
            if here is None:
                continue
            if name in self._differing or here != initial_value(types, meant, NO_NAMES):
                found[name] = here[0]
        return found


def _with_includes(unit: TranslationUnit, seen: set[int]) -> Iterator[TranslationUnit]:
    """What a unit includes, each once, then the unit itself."""
    seen.add(id(unit))
    for included in unit.includes:
        if id(included) not in seen:
            yield from _with_includes(included, seen)
    yield unit


def _is_whole_constant(variable: Variable) -> bool:
    type_ = variable.type
    return (
        (type_.const or "constexpr" in variable.qualifiers)
        and not (type_.pointers or type_.dims or type_.reference or type_.args)
        and (variable.init is not None or variable.ctor_args is not None)
        and is_integer(canonical(type_.name))
    )


def _are_alike(variables: Sequence[Variable]) -> bool:
    """Whether all are the same number as written; what has to be worked out may differ."""
    first = variables[0].init
    return len(variables) == 1 or all(
        isinstance(first, Literal)
        and isinstance(each.init, Literal)
        and each.init.value == first.value
        for each in variables
    )
