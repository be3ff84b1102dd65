"""CMake's commands, one function each; commands that are not here have no effect that is known.

https://cmake.org/cmake/help/latest/manual/cmake-commands.7.html
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from roofline_parsers.preprocess.cmake.configured import configure_file
from roofline_parsers.preprocess.cmake.state import RunState
from roofline_parsers.preprocess.cmake.targets import CMakeTarget, shlex_split
from roofline_parsers.preprocess.cmake.text_commands import (
    TEXT_COMMANDS,
    parse_arguments,
)

Handler = Callable[[RunState, list[str]], None]

_SCOPES: Final = {"PRIVATE": (True, False), "PUBLIC": (True, True), "INTERFACE": (False, True)}
"""Whether a target itself uses what follows, and whether those that link it do."""
_NO_SOURCES: Final = frozenset(
    "ALIAS EXCLUDE_FROM_ALL GLOBAL IMPORTED INTERFACE MACOSX_BUNDLE MODULE OBJECT SHARED STATIC"
    " SYSTEM UNKNOWN WIN32".split()
)
_PROPERTIES: Final = {
    "COMPILE_DEFINITIONS": ("definitions", True, False),
    "COMPILE_FLAGS": ("options", True, False),
    "COMPILE_OPTIONS": ("options", True, False),
    "INCLUDE_DIRECTORIES": ("includes", True, False),
    "INTERFACE_COMPILE_DEFINITIONS": ("definitions", False, True),
    "INTERFACE_COMPILE_OPTIONS": ("options", False, True),
    "INTERFACE_INCLUDE_DIRECTORIES": ("includes", False, True),
}
_FOUND: Final = frozenset({"CUDA", "CUDAToolkit", "Threads"})
"""Packages that are there wherever CUDA is compiled."""


# ---- Targets


def _add_target(state: RunState, words: list[str]) -> None:
    if not words:
        return
    name, *rest = words
    if rest[:1] == ["ALIAS"] and len(rest) > 1:
        if rest[1] in state.targets:
            state.targets[name] = state.targets[rest[1]]
        return
    options = rest.index("OPTIONS") if "OPTIONS" in rest else len(rest)
    target = state.target(name, [word for word in rest[:options] if word not in _NO_SOURCES])
    state.add(target.entries, "options", rest[options + 1 :])


def _target_sources(state: RunState, words: list[str]) -> None:
    target = state.changing(words[0]) if words else None
    if target is not None:
        named = [word for word in words[1:] if word not in _SCOPES]
        target.sources += [str(state.path(word)) for word in named]


def _to_target(kind: str) -> Handler:
    def handler(state: RunState, words: list[str]) -> None:
        """Add the words to the entries of the target that the first word names."""
        target = state.changing(words[0]) if words else None
        if target is None:
            return
        for (own, passed_on), group in _by_scope(words[1:]):
            named = [word for word in group if word not in {"BEFORE", "AFTER", "SYSTEM"}]
            state.add(target.entries, kind, named, own=own, on=passed_on)

    return handler


def _by_scope(words: list[str]) -> list[tuple[tuple[bool, bool], list[str]]]:
    """The words behind each of ``PRIVATE``, ``PUBLIC`` and ``INTERFACE``."""
    groups: list[tuple[tuple[bool, bool], list[str]]] = [((True, True), [])]
    for word in words:
        if word in _SCOPES:
            groups.append((_SCOPES[word], []))
        else:
            groups[-1][1].append(word)
    return groups


def _link(state: RunState, words: list[str]) -> None:
    target = state.changing(words[0]) if words else None
    if target is None:
        return
    for (own, passed_on), group in _by_scope(words[1:]):
        target.links += [(word, own, passed_on) for word in group]


def _target_properties(state: RunState, words: list[str]) -> None:
    if "PROPERTIES" not in words:
        return
    at = words.index("PROPERTIES")
    for name in words[:at]:
        target = state.changing(name)
        if target is not None:
            _set_properties(state, target, words[at + 1 :])


def _set_properties(state: RunState, target: CMakeTarget, pairs: list[str]) -> None:
    for name, value in zip(pairs[::2], pairs[1::2], strict=False):
        if name in _PROPERTIES:
            kind, own, passed_on = _PROPERTIES[name]
            state.add(target.entries, kind, _values(name, [value]), own=own, on=passed_on)


def _values(name: str, values: list[str]) -> list[str]:
    if name == "COMPILE_FLAGS":
        return [word for value in values for word in shlex_split(value)]
    return values


def _file_properties(state: RunState, words: list[str]) -> None:
    if "PROPERTIES" in words:
        at = words.index("PROPERTIES")
        pairs = words[at + 1 :]
        for name, value in zip(pairs[::2], pairs[1::2], strict=False):
            _of_files(state, words[:at], name, [value])


def _of_files(state: RunState, files: list[str], name: str, values: list[str]) -> None:
    if name in _PROPERTIES:
        for file in files:
            made = CMakeTarget("", state.here)
            state.add(made.entries, _PROPERTIES[name][0], _values(name, values))
            state.of_files += [(str(state.path(file)), entry) for entry in made.entries]


def _set_property(state: RunState, words: list[str]) -> None:
    if "PROPERTY" not in words:
        return
    at = words.index("PROPERTY")
    of, name, values = words[:at], words[at + 1 : at + 2], words[at + 2 :]
    if not of or not name or name[0] not in _PROPERTIES:
        return
    kind, own, passed_on = _PROPERTIES[name[0]]
    values = _values(name[0], values)
    if of[0] == "DIRECTORY":
        state.add(state.here.entries, kind, values)
    elif of[0] == "SOURCE":
        _of_files(state, of[1:], name[0], values)
    elif of[0] == "TARGET":
        for target in map(state.changing, of[1:]):
            if target is not None:
                state.add(target.entries, kind, values, own=own, on=passed_on)


# ---- Folders


def _add_definitions(state: RunState, words: list[str]) -> None:
    state.add(state.here.entries, "options", words)


def _add_compile_definitions(state: RunState, words: list[str]) -> None:
    state.add(state.here.entries, "definitions", words)


def _include_directories(state: RunState, words: list[str]) -> None:
    named = [word for word in words if word not in {"BEFORE", "AFTER", "SYSTEM"}]
    state.add(state.here.entries, "includes", named)


def _remove_definitions(state: RunState, words: list[str]) -> None:
    gone = set(words)
    state.here.entries[:] = [
        each for each in state.here.entries if each.kind != "options" or each.text not in gone
    ]


# ---- Variables


def _set(state: RunState, words: list[str]) -> None:
    if not words or words[0].startswith("ENV{"):
        return
    name, *values = words
    variables = state.variables
    if "CACHE" in values and len(values) >= values.index("CACHE") + 3:
        at = values.index("CACHE")
        text = ";".join(values[:at])
        if values[at + 1] == "BOOL" and text.upper() in {"OFF", "FALSE", "0", "NO"}:
            state.options.add(name)
        if name not in variables.cache or "FORCE" in values[at:]:
            variables.cache[name] = text
            variables.set(name, None)
        return
    in_parent = values[-1:] == ["PARENT_SCOPE"]
    values = values[:-1] if in_parent else values
    variables.set(name, ";".join(values) if values else None, in_parent=in_parent)


def _unset(state: RunState, words: list[str]) -> None:
    if words:
        if "CACHE" in words:
            state.variables.cache.pop(words[0], None)
        state.variables.set(words[0], None, in_parent="PARENT_SCOPE" in words)


_BUILDS_FOR_GPUS: Final = re.compile(
    r"^(?!.*(?:^|_)(?:NO|NOT|WITHOUT|DISABLE)_).*(?:^|_)(?:GPU|CUDA)$"
)
"""Names of options without which a build has no GPU code: what is analysed here is built with them.

``WITH_CUDA``, ``ENABLE_GPU``; not ``NO_CUDA``, nor ``CUDA_FAST_MATH``.
"""


def _option(state: RunState, words: list[str]) -> None:
    if not words:
        return
    name, value = words[0], words[2] if len(words) > 2 else "OFF"
    if value.upper() in {"OFF", "FALSE", "0", "NO"}:
        if _BUILDS_FOR_GPUS.search(name):
            value = "ON"
        else:
            state.options.add(name)
    if state.variables.scope.get(name) is None:
        state.variables.cache.setdefault(name, value)


def _project(state: RunState, words: list[str]) -> None:
    if not words:
        return
    source, binary = str(state.here.path), str(state.here.path / "build")
    values = {
        "PROJECT_NAME": words[0],
        "PROJECT_SOURCE_DIR": source,
        f"{words[0]}_SOURCE_DIR": source,
        "PROJECT_BINARY_DIR": binary,
        f"{words[0]}_BINARY_DIR": binary,
        "PROJECT_IS_TOP_LEVEL": "ON" if state.here.path == state.top else "OFF",
    }
    if "VERSION" in words[:-1]:
        values["PROJECT_VERSION"] = words[words.index("VERSION") + 1]
        values[f"{words[0]}_VERSION"] = values["PROJECT_VERSION"]
    if state.variables.get("CMAKE_PROJECT_NAME") is None:
        values["CMAKE_PROJECT_NAME"] = words[0]
    for name, value in values.items():
        state.variables.set(name, value)


def _find_package(state: RunState, words: list[str]) -> None:
    if not words:
        return
    name = words[0]
    state.variables.unknown_prefixes |= {f"{name}_", f"{name.upper()}_"}
    if "REQUIRED" in words or name in _FOUND:
        for found in (f"{name}_FOUND", f"{name.upper()}_FOUND"):
            state.variables.set(found, "TRUE")


def _first_is_unknown(state: RunState, words: list[str]) -> None:
    state.unknown([word for word in words[:1] if state.variables.scope.get(word) is None])


def _first_is_result(state: RunState, words: list[str]) -> None:
    state.unknown(words[:1])


def _execute_process(state: RunState, words: list[str]) -> None:
    for name, value in pairwise(words):
        if name.endswith("_VARIABLE"):
            state.unknown([value])


def _prefix_is_unknown(state: RunState, words: list[str]) -> None:
    if words:
        state.variables.unknown_prefixes.add(f"{words[0]}_")


def _nothing(_state: RunState, _words: list[str]) -> None:
    """A command that says nothing of macros and folders."""


_WITHOUT_EFFECT: Final = (
    "add_custom_command add_custom_target add_dependencies add_link_options add_test"
    " check_language cmake_minimum_required cmake_policy"
    " configure_package_config_file define_property enable_language enable_testing export"
    " externalproject_add fetchcontent_declare find_dependency gtest_discover_tests"
    " include_guard include_regular_expression install link_directories link_libraries"
    " mark_as_advanced message set_directory_properties set_tests_properties source_group"
    " target_compile_features target_link_directories target_link_options"
    " target_precompile_headers write_basic_package_version_file"
).split()

HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys(_WITHOUT_EFFECT, _nothing),
    **TEXT_COMMANDS,
    "add_compile_definitions": _add_compile_definitions,
    "add_compile_options": _add_definitions,
    "add_definitions": _add_definitions,
    "add_executable": _add_target,
    "add_library": _add_target,
    "cmake_dependent_option": _option,
    "cmake_parse_arguments": parse_arguments,
    "configure_file": configure_file,
    "cuda_add_executable": _add_target,
    "cuda_add_library": _add_target,
    "cuda_include_directories": _include_directories,
    "execute_process": _execute_process,
    "find_file": _first_is_unknown,
    "find_library": _first_is_unknown,
    "find_package": _find_package,
    "find_path": _first_is_unknown,
    "find_program": _first_is_unknown,
    "get_cmake_property": _first_is_result,
    "get_directory_property": _first_is_result,
    "get_property": _first_is_result,
    "get_source_file_property": _first_is_result,
    "get_target_property": _first_is_result,
    "hip_add_executable": _add_target,
    "hip_add_library": _add_target,
    "include_directories": _include_directories,
    "option": _option,
    "pkg_check_modules": _prefix_is_unknown,
    "project": _project,
    "pybind11_add_module": _add_target,
    "remove_definitions": _remove_definitions,
    "set": _set,
    "set_property": _set_property,
    "set_source_files_properties": _file_properties,
    "set_target_properties": _target_properties,
    "target_compile_definitions": _to_target("definitions"),
    "target_compile_options": _to_target("options"),
    "target_include_directories": _to_target("includes"),
    "target_link_libraries": _link,
    "target_sources": _target_sources,
    "unset": _unset,
}
"""By name in lower case."""
