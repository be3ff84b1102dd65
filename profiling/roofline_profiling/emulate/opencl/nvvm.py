"""NVIDIA's optimiser and code generator, libNVVM: PTX as NVIDIA's own OpenCL compiler makes it.

It takes the text form of LLVM 7. What a newer Clang writes is put into its words: the code is not
optimised before, so that few of them differ.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_LAYOUT: Final = (
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64"
    "-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
)
_VERSION: Final = "\n!nvvmir.version = !{!1000000}\n!1000000 = !{i32 2, i32 0, i32 3, i32 1}\n"
_LATEST: Final = 100
"""From this architecture on the library takes the text form of a later LLVM."""
_TYPED: Final = 14
"""The last release of Clang whose pointers have types, as those of LLVM 7 have."""
_LIBRARIES: Final = ("nvvm/lib64/libnvvm.so*", "lib/libnvvm.so*", "lib64/libnvvm.so*")
_FLAGS: Final = "(?:(?:nnan|ninf|nsz|arcp|contract|afn|reassoc|fast) )"
_KEPT: Final = frozenset((
    "alwaysinline", "convergent", "nounwind", "readnone", "readonly", "noinline", "argmemonly",
))  # fmt: skip
"""Attributes of functions that both know."""
_CHANGES: Final = tuple(
    (re.compile(pattern, re.MULTILINE), text)
    for pattern, text in (
        (r"^target datalayout = .*$", f'target datalayout = "{_LAYOUT}"'),
        (r"^!nvvmir\.version .*$", ""),
        (r"^declare !dbg !\d+", "declare"),
        (r"\b(?:noundef|spir_kernel|spir_func|dso_local|nocallback|immarg)\b ?", ""),
        (r"\b(byval|sret)\([^()]*\)", r"\1"),
        (r"\bpoison\b", "undef"),
        (rf"= (phi|select) {_FLAGS}+", r"= \1 "),
        (r"spFlags: [\w| ]+", "isLocal: false, isDefinition: true, isOptimized: true"),
        (r", nameTableKind: None", ""),
        (r"\bDebugDirectivesOnly\b", "LineTablesOnly"),
        (r" \| DIFlagAllCallsDescribed|DIFlagAllCallsDescribed \| ", ""),
        (r"\bDIFlagAllCallsDescribed\b", "DIFlagZero"),
    )
)
_NEGATION: Final = re.compile(rf"= fneg ({_FLAGS}*)(<(\d+) x \w+>|\w+) ")
_LOCATION: Final = re.compile(r"^!(\d+) = !DILocation", re.MULTILINE)
_LOOP: Final = re.compile(r"^!(\d+) = distinct !\{!\1, (.*)\}$", re.MULTILINE)
_ATTRIBUTES: Final = re.compile(r"^attributes #(\d+) = \{(.*)\}$", re.MULTILINE)
_TARGET: Final = re.compile(r"^(\.target \w+), debug$", re.MULTILINE)
_SECTION: Final = re.compile(r"^\t\.section[^{]*\{.*?^\t\}$", re.MULTILINE | re.DOTALL)


class NvvmError(Exception):
    """Why the library makes no PTX: what it says."""


def find_nvvm(cuda: Path, architecture: int, release: str) -> Path | None:
    """The library in CUDA's folder; None if it cannot read what a Clang of this release writes."""
    number = re.search(r"version (\d+)", release)
    if architecture >= _LATEST or number is None or int(number[1]) > _TYPED:
        return None
    return next((path for each in _LIBRARIES for path in sorted(cuda.glob(each))), None)


def older(code: str) -> str:
    """Clang's code, not optimised and with names of values, as text that LLVM 7 reads."""
    for pattern, text in _CHANGES:
        code = pattern.sub(text, code)
    code = _NEGATION.sub(_subtraction, code)
    located = frozenset(_LOCATION.findall(code))
    code = _LOOP.sub(lambda found: _without_places(found, located), code)
    return _ATTRIBUTES.sub(_known_attributes, code) + _VERSION


def _without_places(found: re.Match[str], located: frozenset[str]) -> str:
    """What is said of a loop, without its lines: functions that it is inlined into lack these."""
    parts = (part.strip() for part in found[2].split(","))
    kept = ", ".join((f"!{found[1]}", *(part for part in parts if part[1:] not in located)))
    return f"!{found[1]} = distinct !{{{kept}}}"


def _subtraction(found: re.Match[str]) -> str:
    """A negation as a subtraction from the negative zero."""
    flags, type_, count = found.groups()
    zero = "-0.0"
    if count is not None:
        element = type_.split(" x ")[1].rstrip(">")
        zero = f"<{', '.join([f'{element} -0.0'] * int(count))}>"
    return f"= fsub {flags}{type_} {zero}, "


def _known_attributes(found: re.Match[str]) -> str:
    kept = " ".join(word for word in found[2].split() if word in _KEPT)
    return f"attributes #{found[1]} = {{ {kept} }}"


def ptx_of(code: str, library: Path, libdevice: Path, options: Sequence[str]) -> str:
    """The PTX of a module in LLVM 7's text form. Raises NvvmError."""
    try:
        nvvm = ctypes.CDLL(str(library))
        device = libdevice.read_bytes()
    except OSError as error:
        raise NvvmError(str(error)) from None
    program = ctypes.c_void_p()
    text = code.encode()
    given = (ctypes.c_char_p * len(options))(*(each.encode() for each in options))
    failed = (
        nvvm.nvvmCreateProgram(ctypes.byref(program))
        or nvvm.nvvmAddModuleToProgram(program, text, ctypes.c_size_t(len(text)), b"program")
        or nvvm.nvvmLazyAddModuleToProgram(
            program, device, ctypes.c_size_t(len(device)), b"libdevice"
        )
        or nvvm.nvvmCompileProgram(program, len(options), given)
    )
    if failed:
        said = _text(nvvm.nvvmGetProgramLogSize, nvvm.nvvmGetProgramLog, program)
        raise NvvmError(said.strip() or f"error {failed} of libNVVM")
    made = _text(nvvm.nvvmGetCompiledResultSize, nvvm.nvvmGetCompiledResult, program)
    # Of what it writes for debuggers only the lines are wanted: the rest keeps the assembler
    # from optimising.
    return _SECTION.sub("", _TARGET.sub(r"\1", made))


def _text(size_of: ctypes._NamedFuncPointer, get: ctypes._NamedFuncPointer, program: object) -> str:
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    held = ctypes.create_string_buffer(size.value)
    get(program, held)
    return held.value.decode("utf-8", "replace")
