"""What a program gives to ``clBuildProgram``, as options of Clang and of the assembler."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_STANDARD: Final = "-cl-std="
_DEFAULT: Final = "-cl-std=CL1.2"
_TAKEN: Final = frozenset((
    "-w", "-Werror", "-cl-single-precision-constant", "-cl-opt-disable", "-cl-mad-enable",
    "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
    "-cl-fast-relaxed-math", "-cl-strict-aliasing", "-cl-kernel-arg-info",
    "-cl-uniform-work-group-size",
))  # fmt: skip
"""What Clang knows by the same name."""
_WITH_VALUE: Final = ("-D", "-I", "-U")
_DENORMALS: Final = "-cl-denorms-are-zero"
_EXACT: Final = "-cl-fp32-correctly-rounded-divide-sqrt"
_FAST: Final = "-cl-fast-relaxed-math"
_REGISTERS: Final = "-cl-nv-maxrregcount"
_WITHOUT_EFFECT: Final = ("-g", "-cl-nv-verbose", "-cl-nv-opt-level", "-cl-nv-allow-expensive")
"""Options of NVIDIA's compiler that change no result; all code is optimised here."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of one build."""

    clang: tuple[str, ...]
    """For what makes LLVM's code of OpenCL C."""
    code: tuple[str, ...]
    """For LLVM's own code generator."""
    nvvm: tuple[str, ...]
    """For NVIDIA's."""
    ptxas: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    """What is no option of OpenCL's or of NVIDIA's compiler for it."""


def build_options(text: str) -> BuildOptions:
    """The options in a text. Single-precision division and roots are NVIDIA's defaults for OpenCL.

    These are the fast ones that OpenCL's accuracy allows, unless the program asks for exact ones.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        return BuildOptions((), (), (), (), (text,))
    clang, ptxas, unknown = list[str](), list[str](), list[str]()
    standard, given = _DEFAULT, iter(words)
    for word in given:
        if word.startswith(_STANDARD):
            standard = word
        elif word.startswith(_WITH_VALUE):
            clang += (word, *(_value(given) if word in _WITH_VALUE else ()))
        elif word.startswith(_REGISTERS):
            number = word.partition("=")[2] or next(given, "")
            ptxas += ["--maxrregcount", number]
        elif word in _TAKEN:
            clang.append(word)
        elif word not in (_DENORMALS, _EXACT) and not word.startswith(_WITHOUT_EFFECT):
            unknown.append(word)
    fast, exact = _FAST in words, _EXACT in words
    if fast or _DENORMALS in words:
        clang += ["-Xclang", "-fdenormal-fp-math-f32=preserve-sign,preserve-sign"]
    division = 2 if exact else 0 if fast else 1
    code = [f"-nvptx-prec-divf32={division}", f"-nvptx-prec-sqrtf32={int(exact)}"]
    mllvm = tuple(part for each in code for part in ("-mllvm", each))
    flush = fast or _DENORMALS in words
    nvvm = (f"-prec-div={int(exact)}", f"-prec-sqrt={int(exact)}", f"-ftz={int(flush)}")
    return BuildOptions((standard, *clang), mllvm, nvvm, tuple(ptxas), tuple(unknown))


def _value(words: Iterator[str]) -> Iterator[str]:
    """An option's value where it is a word of its own."""
    if (value := next(words, None)) is not None:
        yield value
