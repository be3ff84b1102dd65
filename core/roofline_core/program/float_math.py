"""How exactly a compiler was told to compute with floats: ``-use_fast_math`` and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roofline_core.program.records import record


@record(frozen=True, slots=True)
class FloatMath:
    """What the options of a compilation say of arithmetic in single precision."""

    fast_functions: bool = False
    """Functions of single precision are their intrinsics (``__sinf``), and denormals are zero."""
    rounds_divisions: bool | None = None
    """Whether quotients are rounded as IEEE 754 says; None: as the compiler does by itself."""
    rounds_roots: bool | None = None
    """The same of square roots."""


EXACT_MATH = FloatMath()
"""What compilers do where no option says otherwise."""

FAST_MATH = FloatMath(fast_functions=True, rounds_divisions=False, rounds_roots=False)
"""``-use_fast_math`` of nvcc, ``-ffast-math`` of Clang and hipcc."""


@record(frozen=True, slots=True)
class FloatMathOfFiles:
    """How a program's files are compiled."""

    common: FloatMath = EXACT_MATH
    """Of files that are not in ``own``, such as headers."""
    own: tuple[tuple[Path, FloatMath], ...] = ()
    """Of files, in place of the common one."""

    def of(self, path: Path) -> FloatMath:
        """How a file is compiled."""
        return dict(self.own).get(path, self.common)


def float_math_of(arguments: Sequence[str]) -> FloatMath:
    """What the options of nvcc, Clang or hipcc say; of two that disagree the later one counts."""
    found = EXACT_MATH
    for index, argument in enumerate(arguments):
        name, given, value = argument.lstrip("-").partition("=")
        if not argument.startswith("-"):
            continue
        if not given:
            value = "".join(arguments[index + 1 : index + 2])  # nvcc's --prec-div false
        if name in ("use_fast_math", "ffast-math"):
            found = EXACT_MATH if given and value == "false" else FAST_MATH
        elif name == "fno-fast-math":
            found = EXACT_MATH
        elif name in ("fgpu-approx-transcendentals", "fno-gpu-approx-transcendentals"):
            found = replace(found, fast_functions=not name.startswith("fno-"))
        elif name == "prec-div":
            found = replace(found, rounds_divisions=value != "false")
        elif name == "prec-sqrt":
            found = replace(found, rounds_roots=value != "false")
    return found
