"""Parsing of a profiler's name for a kernel: ``void scale<float, 256>(const T1 *, int)``.

Target regions of OpenMP have LLVM's names: ``__omp_offloading_10309_2f26c9a__Z4copyIfEvPT__l35``.
"""

from __future__ import annotations

import re

from roofline_analysis.names.mangled_names import MangledName, argument_of_type, read_mangled
from roofline_core.program.expressions import Literal
from roofline_core.program.records import record
from roofline_core.program.types import Type

_OFFLOAD = re.compile(r"__omp_offloading_+[0-9a-f]+_([0-9a-f]+)_(.+)_l(\d+)(?:_\d+)?$")
"""LLVM's name: device and inode of the file, function, line, a number where lines repeat."""
_VALUE = re.compile(r"^\(?(?:\([\w :]+\))?\s*(-?\d+|true|false)[uUlL]*\)?$")
_ANONYMOUS = re.compile(r"(?:\(anonymous namespace\)|<unnamed>|_NV_ANON_NAMESPACE|\{anonymous\})::")
_CLONE = re.compile(r"(?:\s*\[clone [^\]]*\])+$")


_TRUTH = {"true": 1, "false": 0}
_LAMBDA = re.compile(r"\blambda\b|\$_\d|\b__nv_h?dl_wrapper_t\b")
"""In a template argument that is a lambda's type, as compilers and demanglers write it."""
LAMBDA = Type("lambda")
"""Any lambda's type: each tool has a name of its own for one."""


@record(frozen=True, slots=True)
class ProfiledName:
    """The parts of a demangled kernel name."""

    base_name: str
    qualified_name: str
    template_args: tuple[Type | int, ...]
    params: tuple[str, ...] | None
    """Parameter types as written; None where the name shows none."""
    region_of: str | None = None
    """For a target region: the function around it."""
    file_number: int | None = None
    """For a target region: the number of its file in the file system that it was compiled in."""
    around: tuple[Type, ...] = ()
    """For a target region: the parameter types of the function around it, where they were read."""


def parse_profiled_name(name: str) -> ProfiledName:
    """Parse a profiler's kernel name; never fails: an unknown form becomes the base name."""
    text = _CLONE.sub("", name.strip())
    offload = _OFFLOAD.match(text)
    if offload:
        return _from_offload(offload[2], offload[3], int(offload[1], 16))
    mangled = read_mangled(text)
    if mangled is not None:
        return _from_mangled(mangled)
    head, params = _split_params(_ANONYMOUS.sub("", text))
    template_args: tuple[Type | int, ...] = ()
    start = _template_start(head)
    if start is not None:
        template_args = tuple(map(_argument, _split_commas(head[start + 1 : -1])))
        head = head[:start]
    qualified = head[_last_outside(head, " ") :].strip()
    base = qualified[_last_outside(qualified, "::") :]
    if not base:
        return ProfiledName(text, text, (), None)
    return ProfiledName(base, qualified, template_args, params)


def _last_outside(text: str, mark: str) -> int:
    """Where the part after the last ``mark`` outside brackets starts, 0 without one."""
    text = text.rstrip()
    operator = text.find("operator")
    stop = len(text) if operator < 0 else operator
    depth = 0
    for position in range(stop - 1, -1, -1):
        depth += {">": 1, ")": 1, "<": -1, "(": -1}.get(text[position], 0)
        if depth == 0 and text.startswith(mark, position):
            return position + len(mark)
    return 0


def _from_mangled(found: MangledName) -> ProfiledName:
    return ProfiledName(found.parts[-1], "::".join(found.parts), found.template_args, None)


def _from_offload(function: str, line: str, file_number: int) -> ProfiledName:
    """A target region by the function around it, mangled or not, and its line."""
    mangled = read_mangled(function)
    parts = mangled.parts if mangled is not None else (function,)
    name = offload_name(parts[-1], line)
    args = mangled.template_args if mangled is not None else ()
    qualified = "::".join((*parts[:-1], name))
    around = mangled.params if mangled is not None and mangled.params is not None else ()
    return ProfiledName(name, qualified, args, None, parts[-1], file_number, around)


def offload_name(function: str, line: str) -> str:
    """The name of a target region's kernel in the kernel model."""
    return f"__omp_offloading_{function}_l{line}"


def _split_params(text: str) -> tuple[str, tuple[str, ...] | None]:
    """The name before its parameter list, and the parameters."""
    if not text.endswith(")") or text.endswith("operator()"):
        return text, None
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            inner = text[position + 1 : -1].strip()
            params = tuple(_split_commas(inner)) if inner and inner != "void" else ()
            return text[:position].strip(), params
    return text, None


def _template_start(head: str) -> int | None:
    if not head.endswith(">"):
        return None
    depth = 0
    for position in range(len(head) - 1, -1, -1):
        depth += {">": 1, "<": -1}.get(head[position], 0)
        if depth == 0:
            return position
    return None


def _split_commas(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "<([{":
            depth += 1
        elif character in ">)]}":
            depth = max(0, depth - 1)  # ``lambda(float) (instance 1)]`` closes what nothing opens.
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _argument(text: str) -> Type | int:
    value = _VALUE.match(text)
    if value:
        return _TRUTH[value[1]] if value[1] in _TRUTH else int(value[1])
    return LAMBDA if _LAMBDA.search(text) else parse_type(text)


def parse_type(text: str) -> Type:
    """A type as a profiler prints it."""
    words = text.replace("*", " * ").replace("&", " & ").split()
    pointers = words.count("*")
    const = "const" in words
    kept = [w for w in words if w not in ("*", "&", "const", "volatile", "struct", "class", "enum")]
    joined = " ".join(kept)
    args: tuple[Type | Literal, ...] = ()
    start = _template_start(joined)
    if start is not None:
        inner = map(_argument, _split_commas(joined[start + 1 : -1]))
        args = tuple(map(argument_of_type, inner))
        joined = joined[:start].strip()
    return Type(joined, args, pointers, const=const)
