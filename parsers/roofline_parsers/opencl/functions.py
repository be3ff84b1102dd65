"""Functions as the CUDA grammar gave them, in OpenCL's terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from roofline_core.program.expressions import Binary, Expression
from roofline_core.program.units import Dialect, Function
from roofline_parsers.cuda.extensions import DialectForms, Extensions

_ELEMENTS: Final = "char uchar short ushort int uint long ulong float double half".split()
_ATOMICS: Final = "atomic_int atomic_uint atomic_long atomic_ulong atomic_float atomic_double"
_TYPE_NAMES: Final = frozenset(
    (
        *(f"{element}{width}" for element in _ELEMENTS for width in (2, 3, 4, 8, 16)),
        *_ATOMICS.split(),
        "atomic_flag",
    )
)
"""OpenCL C 3.0, section 6.3: types whose names do not end in ``_t`` as others' do."""
_KERNEL = "__global__"
_OF_RESULT = frozenset(("__shared__", "__constant__"))
"""Qualifiers that stand before a function for the memory that its result points to."""


def _all_as_opencl(functions: Iterable[Function]) -> tuple[Function, ...]:
    """Kernels with the block they demand; every other function is one of the device."""
    return tuple(_as_opencl(function) for function in functions)


def _as_opencl(function: Function) -> Function:
    qualifiers = function.qualifiers - _OF_RESULT
    if _KERNEL not in qualifiers:
        return replace(function, qualifiers=qualifiers | {"__device__"}, launch_bounds=())
    shape = tuple(part for bound in function.launch_bounds for part in _listed(bound))
    return replace(function, qualifiers=qualifiers, launch_bounds=(), block_shape=shape)


def _listed(expression: Expression) -> tuple[Expression, ...]:
    """``x, y, z`` read as a comma expression: its operands."""
    if isinstance(expression, Binary) and expression.op == ",":
        return (*_listed(expression.left), *_listed(expression.right))
    return (expression,)


OPENCL: Final = Extensions({Dialect.OPENCL: DialectForms(_TYPE_NAMES, _all_as_opencl)})
"""What OpenCL C adds."""
