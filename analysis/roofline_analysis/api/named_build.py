"""The macros that a program was compiled with, where names in its profile contradict build files.

A build file's usual choice, ``-DSINGLE_PRECISION``, is not what every run was built with. The names
that a profiler shows have the parameter types of the build: where a kernel has ``double4`` in its
name and ``float4`` by the build files, one macro that is left out, set, or another type decides it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.names.profiled_names import ProfiledName, parse_profiled_name, parse_type
from roofline_analysis.project.files import Reader
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Program, is_stand_in
from roofline_parsers.preprocess import PreprocessOptions

_PRECISION: Final = re.compile(r"(?:__)?(half|float|double)[1-4]?")
_SWITCH: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?:ifn?def|(?:el)?if[ \t].*?defined)\W+(\w+)", re.MULTILINE
)
_MOST_TRIES: Final = 32
"""The most builds that are read to find the one that names mean."""

Read = Callable[[PreprocessOptions], Program]
"""Reads the program as it is with these options."""


def program_of_names(
    options: PreprocessOptions, names: Iterable[str], read: Read, reader: Reader
) -> Program:
    """The program as the build files have it, or as names in its profile show it was built.

    Another build is taken only where it leaves fewer names that have floating-point parameters of
    another precision than the program's functions.
    """
    program = read(options)
    wanted = [parse_profiled_name(name) for name in names]
    least = _contradicted(program, wanted) if wanted else {}
    if not least:
        return program
    best = program
    for count, other in enumerate(_other_builds(program, options, least, reader)):
        if count == _MOST_TRIES:
            break
        tried = read(other)
        left = _contradicted(tried, wanted)
        if len(left) < len(least):
            best, least = tried, left
        if not left:
            break
    return best


def _contradicted(program: Program, wanted: Sequence[ProfiledName]) -> dict[str, str]:
    """The names with parameters of another precision, by function, and a type that one has."""
    types = TypeSystem(Symbols(program))
    known: dict[str, list[Function]] = {}
    for unit in program.all_units():
        for function in unit.functions:
            known.setdefault(function.name, []).append(function)
    found: dict[str, str] = {}
    for name in wanted:
        given = _parameters(name)
        of_name = known.get(name.region_of or name.base_name, ())
        fitting = [each for each in of_name if len(each.params) == len(given)]
        if not fitting or any(each.template_params for each in fitting):
            continue
        others = [_other_precision(types, function, given) for function in fitting]
        if all(others):
            found[name.region_of or name.base_name] = others[0] or ""
    return found


def _parameters(name: ProfiledName) -> Sequence[Type]:
    return name.around if name.params is None else tuple(map(parse_type, name.params))


def _other_precision(types: TypeSystem, function: Function, given: Sequence[Type]) -> str | None:
    """The precision of the first type given for a parameter of another one; None: there is none."""
    for parameter, type_ in zip(function.params, given, strict=True):
        here = _PRECISION.fullmatch(types.resolve(parameter.type).name)
        there = _PRECISION.fullmatch(type_.name)
        if here is not None and there is not None and here[1] != there[1]:
            return there[1]
    return None


def _other_builds(
    program: Program, options: PreprocessOptions, names: dict[str, str], reader: Reader
) -> Iterator[PreprocessOptions]:
    """The options with one macro changed, first those of build files, then switches of sources."""
    meant = next(iter(names.values()))
    given = dict.fromkeys((*options.defines, *(p for _, own in options.files for p in own.defines)))
    for name, value in given:
        typed = _PRECISION.fullmatch(value.strip())
        yield _with_macro(options, name, meant if typed else None)
    units = [unit for unit in program.all_units() if not is_stand_in(unit.path)]
    macros = {name: value for unit in units for name, value in unit.macros.items()}
    for name, value in macros.items():
        if _PRECISION.fullmatch(value.strip()):
            yield _with_macro(options, name, meant)
    switches: dict[str, None] = {}
    for path in dict.fromkeys(unit.path for unit in units):
        for match in _SWITCH.finditer(reader(path) or b""):
            switches[match[1].decode("ascii", "replace")] = None
    for name in switches:
        if name not in macros and not name.startswith("__"):
            yield _with_macro(options, name, "1")


def _with_macro(options: PreprocessOptions, name: str, value: str | None) -> PreprocessOptions:
    """The options with a macro set to a value, or left out."""
    files = (
        (path, replace(own, defines=_changed(own.defines, name, value)))
        for path, own in options.files
    )
    return replace(options, defines=_changed(options.defines, name, value), files=tuple(files))


def _changed(
    defines: Sequence[tuple[str, str]], name: str, value: str | None
) -> tuple[tuple[str, str], ...]:
    others = tuple(pair for pair in defines if pair[0] != name)
    return others if value is None else (*others, (name, value))
