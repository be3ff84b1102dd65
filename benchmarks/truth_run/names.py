"""Kernel names that a profiler and a demangler spell differently.

Nsight Compute leaves namespaces out, names template parameters ``T1``, prints ``true`` as 1 and
``const float *`` where c++filt prints ``float const*``.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_core.program.types import Type

_LOCAL = re.compile(r"(?:__static__|__intern__|\.static\.|\.intern\.)[0-9a-f]+$")
"""What clang adds to the names of kernels that only one file knows."""
_ANONYMOUS = re.compile(r"\(anonymous namespace\)::")
_REGION = re.compile(r"^__omp_offloading_[0-9a-f]+_[0-9a-f]+_")
"""Of target regions' names: the numbers of the file and its device, different on every machine."""
_NAMESPACE = re.compile(r"(?:\b[A-Za-z_]\w*::)+")
_PLACEHOLDER = re.compile(r"\bT\d+\b|\b[A-Z]\w*Type\b")
"""A template parameter, or a member type of one, in a profiler's parameter list."""
_NOISE = re.compile(r"(?<=\d)[uUlL]+\b|\bconst\b|\bvolatile\b|\b__restrict__\b|\bstruct\b|\s")
_UNREADABLE = ("lambda", "{", "'", "[")
"""In a name with these the compilers' own numbering shows: its arguments are not compared."""


@dataclass(frozen=True, slots=True)
class KernelName:
    """A kernel's name, the same for all spellings."""

    base: str
    """Without namespaces and template arguments."""
    arguments: tuple[str, ...] | None
    """Template arguments; None where they cannot be compared."""
    parameters: tuple[str, ...] | None
    """Empty text: one that depends on a template parameter. None where the name shows none."""

    def same_arguments(self, other: KernelName) -> bool:
        """True if the template arguments are the same, as far as both are known."""
        if self.arguments is None or other.arguments is None:
            return True
        return self.arguments == other.arguments

    def same_parameters(self, other: KernelName) -> bool:
        """True if the parameters are the same, as far as both are known."""
        if self.parameters is None or other.parameters is None:
            return True
        if len(self.parameters) != len(other.parameters):
            return False
        pairs = zip(self.parameters, other.parameters, strict=True)
        return all(not one or not two or one == two for one, two in pairs)


def demangle(names: Iterable[str], tool: str = "c++filt") -> dict[str, str]:
    """The demangled names, by the mangled ones. Raises OSError where there is no c++filt."""
    wanted = list(dict.fromkeys(names))
    plain = "\n".join(_LOCAL.sub("", each) for each in wanted)
    done = subprocess.run([tool], input=plain, capture_output=True, text=True, check=True)
    return dict(zip(wanted, done.stdout.splitlines(), strict=True))


def read_name(text: str) -> KernelName:
    """The parts of a demangled name."""
    text = _REGION.sub("", text)
    parsed = parse_profiled_name(_NAMESPACE.sub("", _ANONYMOUS.sub("", text)))
    unreadable = any(mark in text for mark in _UNREADABLE)
    arguments = None if unreadable else tuple(map(_argument, parsed.template_args))
    parameters = None if unreadable or parsed.params is None else parsed.params
    if parameters is not None:
        parameters = tuple(map(_parameter, parameters))
    return KernelName(_base(parsed.base_name, text), arguments, parameters)


def _base(base: str, text: str) -> str:
    """The word before the first bracket, where lambdas keep the name from being parsed."""
    if re.fullmatch(r"\w+", base):
        return base
    found = re.match(r"(?:void\s+)?(\w+)\s*[<(]", _NAMESPACE.sub("", _ANONYMOUS.sub("", text)))
    return found[1] if found else base


def _argument(argument: Type | int) -> str:
    if isinstance(argument, int):
        return str(argument)
    inner = ",".join(_argument(each) for each in argument.args if isinstance(each, Type | int))
    return f"{argument.name}<{inner}>" + "*" * argument.pointers


def _parameter(text: str) -> str:
    return "" if _PLACEHOLDER.search(text) else _NOISE.sub("", text)
