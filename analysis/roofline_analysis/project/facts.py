"""Facts about a file, found in its bytes without parsing, that link it with other files."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.project.files import has_main
from roofline_core.program.records import record
from roofline_core.program.units import OPENCL_SUFFIXES
from roofline_core.settings import PYTHON_SUFFIXES
from roofline_parsers.opencl.joined_files import names_in_kernel_text
from roofline_parsers.opencl.mentions import build_defines, kernel_files
from roofline_parsers.reading.gate import has_kernels

_KERNEL: Final = re.compile(rb"__global__\b|__kernel\b|kernel\s+(?:void\b|__attribute__)")
_CALLED: Final = re.compile(rb"\b([A-Za-z_]\w*+)\s*+\(")
_ATTRIBUTES: Final = re.compile(rb"__\w+__|alignas|decltype|noexcept|reqd_\w+|work_group_\w+")
_DECLARATION: Final = re.compile(rb"(?:[^;{}()]|\([^;{}()]*+\))*+\)\s*+;")
"""The text after the opening parenthesis of a function declaration without a body."""
_LONGEST_HEAD: Final = 400
"""Bytes between ``__global__`` and a kernel's name: attributes, launch bounds and a return type."""
_CONTINUED: Final = re.compile(rb"[ \t]*+\\\r?\n[ \t]*+")
_CHEVRONS: Final = re.compile(rb"<<\s*<")
_LAUNCHED: Final = re.compile(
    rb"([A-Za-z_]\w*)\s*(?:<(?:[^<>;{}()]|<[^<>;{}()]*>|\([^()]*\))*>\s*)?$"
)
_WORD_BYTES: Final = (string.ascii_letters + string.digits + "_").encode()
_LONGEST_TARGET: Final = 300
"""Bytes before ``<<<`` that are searched for a kernel's name."""
_LONGEST_PADDED: Final = 1_500
"""The same with the spaces that line the ends of a macro's lines up."""
_RUNTIME: Final = re.compile(
    rb"(?:LaunchKernel(?:GGL|ExC?)?|LaunchCooperativeKernel)\s*\(\s*&?\s*([^;]{1,400})"
)
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_STRING: Final = re.compile(rb"\"([A-Za-z_]\w*)\"")
_BY_NAME: Final = re.compile(
    rb"clCreateKernel|cl::Kernel|ModuleGetFunction|pyopencl|cl_kernel|KernelFunctor|make_kernel"
)
"""Functions that look up a kernel by a string, which may be far from the call."""
_OPENCL: Final = re.compile(rb"__kernel\b|clCreateKernel|cl::(?:Kernel|Program)|pyopencl|cl_kernel")
_METHOD: Final = re.compile(rb"\.([A-Za-z_]\w*+)\s*+\(")
_KERNEL_FILE: Final = re.compile(rb"\.(?:cl|ocl|opencl)\b")
_TESTED: Final = re.compile(rb"#[ \t]*(?:if|ifdef|elif|elifdef)\b([^\n]*)")
_INCLUDE: Final = re.compile(
    rb"#[ \t]*include[ \t]*(?:[\"<]([^\">\n]+)|\w+[ \t]*\([\w./ -]*?([\w-]+\.[A-Za-z]\w*)[ \t]*\))"
)
"""Also by macros, whose folder only a build knows: ``#include STRING(FOLDER/inc.h)``."""
_DEFINED: Final = re.compile(
    rb"\((?:[^;{}()]++|\([^;{}()]*+\))*+\)\s*+(?:(?:const|noexcept|override)\b\s*+)*+\{"
)
"""What stands behind the name of a function that is defined."""
_STATIC: Final = re.compile(rb"\bstatic\b")
_OF_STANDARD_LIBRARIES: Final = frozenset(
    b"abort abs accept append assign at back begin bind c_str calloc clear clock close connect "
    b"count data empty end erase exit exp find floor fork fread free front fwrite get getenv good "
    b"insert kill length listen lock log malloc max memcpy memset min open pop pop_back pow printf "
    b"push push_back rand read realloc release remove rename reset resize round send signal size "
    b"sleep sort sqrt str strlen substr swap system time top unlock wait write".split()
)
"""Functions of C's library, and methods of C++'s containers, pointers and streams: no link to a
file that defines a function of that name."""
_KEYWORDS: Final = frozenset(
    "if for while switch catch return sizeof defined alignof typeof main static_cast assert".split()
)


@record(frozen=True, slots=True)
class FileFacts:
    """Facts from one file's bytes. The sets of names may be too large, rarely too small."""

    path: Path
    has_kernels: bool
    """Whether it has any sign of a kernel or of a launch."""
    has_main: bool
    kernels: frozenset[str]
    """The kernels that it seems to define."""
    launched: frozenset[str]
    """The kernels that it seems to launch."""
    looked_up: frozenset[str]
    """All strings and methods of a file that looks kernels up by name; few are kernels."""
    opencl: bool
    """Whether these kernels and launches are OpenCL's, which link with no others."""
    includes: tuple[str, ...]
    """The names in ``#include`` lines, as written."""
    kernel_files: tuple[str, ...]
    """The ``.cl`` files that its strings name."""
    build_macros: frozenset[str]
    """The macros that its strings define for a kernel's compiler: ``-DREAL=float``."""


@record(frozen=True, slots=True)
class FileFunctions:
    """The functions of one file. Costs more to find than ``FileFacts``."""

    defined: frozenset[str]
    offered: frozenset[str]
    """Those that it defines and that other files can call: none that are ``static``."""
    called: frozenset[str]
    """Those that it calls or defines, without those of the standard libraries."""
    tested: frozenset[str] = frozenset()
    """The names in its ``#if``, ``#ifdef`` and ``#elif`` lines."""
    words: frozenset[str] = frozenset()
    """All names in an OpenCL text; of other files none."""
    given: frozenset[str] = frozenset()
    """The macros, types and functions that an OpenCL text defines; of other files none."""


def facts_of(path: Path, source: bytes) -> FileFacts:
    """Scan a file once; takes about 10 ms per megabyte without kernels."""
    suffix = path.suffix.lower()
    if suffix in PYTHON_SUFFIXES:
        signs = b"pyopencl" in source
        main = signs
    else:
        signs = has_kernels(source)
        main = suffix not in OPENCL_SUFFIXES and has_main(source)
    return FileFacts(
        path=path,
        has_kernels=signs,
        has_main=main,
        kernels=frozenset(kernel_names(source, declared=False)) if signs else frozenset(),
        launched=_launched(source) if signs else frozenset(),
        looked_up=_looked_up(source) if signs else frozenset(),
        opencl=suffix in OPENCL_SUFFIXES or (signs and _OPENCL.search(source) is not None),
        includes=tuple(dict.fromkeys(_text(a or b) for a, b in _INCLUDE.findall(source))),
        kernel_files=kernel_files(source) if _KERNEL_FILE.search(source) else (),
        build_macros=frozenset(name for name, _ in build_defines({path: source})),
    )


def names_of(source: bytes) -> FileFunctions:
    """The functions that a source seems to define and to call."""
    found = [_name_before(source, match.start()) for match in _DEFINED.finditer(source)]
    defined = [place for place in found if place is not None]
    offered = (name for name, begin in defined if _is_offered(source, begin))
    called = set(map(_last_word, source.split(b"(")[:-1])) - _OF_STANDARD_LIBRARIES - {None}
    return FileFunctions(
        _names(name for name, _ in defined) - _KEYWORDS,
        _names(offered) - _KEYWORDS,
        _names(name for name in called if name is not None) - _KEYWORDS,
        _names(word for line in _TESTED.findall(source) for word in _WORD.findall(line)),
    )


def names_of_opencl(source: bytes) -> FileFunctions:
    """The functions of an OpenCL text, all names in it, and those that it defines."""
    given, words = names_in_kernel_text(source)
    return replace(names_of(source), words=_names(words), given=_names(given))


def _last_word(text: bytes) -> bytes | None:
    """The identifier at the end of a text, blanks left out; None if none is there."""
    end = text.rstrip()
    word = end[len(end.rstrip(_WORD_BYTES)) :]
    return word if word and not word[:1].isdigit() else None


def _name_before(source: bytes, end: int) -> tuple[bytes, int] | None:
    """The identifier before a place, blanks left out, and where it begins; None without one."""
    begin = max(0, end - _LONGEST_HEAD)
    before = source[begin:end].rstrip()
    name = _last_word(before)
    if name is None or (begin > 0 and len(name) == len(before)):
        return None  # Or one that may begin before what is looked at.
    return name, begin + len(before) - len(name)


def _is_offered(source: bytes, name: int) -> bool:
    """Whether other files can call what is defined at a name: a function, and not ``static``."""
    head = source[max(0, name - _LONGEST_HEAD) : name].rstrip()
    if head.endswith(b",") or (head.endswith(b":") and not head.endswith(b"::")):
        return False  # The last member that a constructor initialises.
    begin = max(map(head.rfind, (b";", b"}", b"{")))
    return _STATIC.search(head, begin + 1) is None


def kernel_names(source: bytes, *, declared: bool = True) -> tuple[str, ...]:
    """The identifiers of the kernels that a source seems to define, or also declare, in order."""
    names: dict[bytes, None] = {}
    for marker in _KERNEL.finditer(source):
        head = source[marker.end() : marker.end() + _LONGEST_HEAD]
        for called in _CALLED.finditer(head):
            if _ATTRIBUTES.fullmatch(called[1]) is None:
                if declared or _DECLARATION.match(source, marker.end() + called.end()) is None:
                    names[called[1]] = None
                break
    return tuple(map(_text, names))


def _launched(source: bytes) -> frozenset[str]:
    found: set[bytes] = set()
    for chevrons in _CHEVRONS.finditer(source):
        end = chevrons.start()
        before = source[max(0, end - _LONGEST_TARGET) : end]
        if b"\\" in before:  # Macros of several lines are padded.
            padded = source[max(0, end - _LONGEST_PADDED) : end]
            before = _CONTINUED.sub(b" ", padded)[-_LONGEST_TARGET:]
        name = _last_name(before)
        if name is not None:
            found.add(name)
    for call in _RUNTIME.finditer(source):
        found.update(_WORD.findall(call[1]))
    return _names(found)


def _last_name(text: bytes) -> bytes | None:
    """The identifier at the end of a text, before template arguments if any; None if none."""
    end = text.rstrip()
    if not end.endswith(b">"):
        # As the pattern below would find it, which tries every word of the text.
        return end[len(end.rstrip(_WORD_BYTES)) :].lstrip(b"0123456789") or None
    name = _LAUNCHED.search(text)
    return None if name is None else name[1]


def _looked_up(source: bytes) -> frozenset[str]:
    found: set[bytes] = set()
    if _BY_NAME.search(source):
        found.update(_STRING.findall(source))
    if b"pyopencl" in source:
        found.update(_METHOD.findall(source))
    return _names(found)


def _names(found: Iterable[bytes]) -> frozenset[str]:
    return frozenset(map(_text, found))


def _text(name: bytes) -> str:
    return name.decode(errors="replace")
