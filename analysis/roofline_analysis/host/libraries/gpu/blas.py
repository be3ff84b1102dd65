"""Calls of cuBLAS, hipBLAS and rocBLAS: the operations of each routine and the least it moves.

Operation counts are those of the reference BLAS (LAPACK Working Note 41, appendix C): 2mnk for a
matrix product, 2mn for a product with a vector, 2n for a dot product or a scaled addition; a
complex multiply-add is 8. Bytes are those of each operand once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from roofline_analysis.host.library_call import LibraryWork
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.values import OpaqueValue, Pointer, Scalar
from roofline_core.algebra.symbolic import ONE, Expr
from roofline_core.program.precision import Precision
from roofline_core.program.records import record

_ROUTINE: Final = re.compile(
    r"(?:cublas|hipblas|rocblas_)(?:Lt)?(I?)([SDCZHsdczh]|Sc|Zd|sc|dz|Cs)??"
    r"(gemmStridedBatched|gemm_strided_batched|gemmBatched|gemm_batched|gemm3m|gemm|gemv|geru|gerc"
    r"|ger|geam|symm|hemm|syrk|herk|symv|hemv|trsm|trmm|trsv|axpy|dotu|dotc|dot|nrm2|asum|scal"
    r"|copy|swap|rotm|rot|amax|amin|dgmm|matmul)"
    r"(Ex)?(?:_ex)?(?:_v2)?(?:_64)?$",
    re.IGNORECASE,
)
_TYPES: Final = {
    "s": ("float", 4, Precision.SP, 1), "d": ("double", 8, Precision.DP, 1),
    "c": ("complex<float>", 8, Precision.SP, 4), "z": ("complex<double>", 16, Precision.DP, 4),
    "h": ("half", 2, Precision.TENSOR, 1),
}  # fmt: skip
"""Element, its bytes, what it computes in, real multiply-adds for each of its own."""
_DATA_TYPES: Final = {
    "16F": "h", "16BF": "h", "32F": "s", "64F": "d", "32F_C": "c", "32C": "c", "64C": "z",
    "f16_r": "h", "bf16_r": "h", "f32_r": "s", "f64_r": "d",
}  # fmt: skip

Sizes = Callable[["_Reader"], "tuple[Expr, Expr, Expr, Expr]"]
"""Elements: what is counted, read, written, and the multiply-adds."""


@record(frozen=True, slots=True)
class _Reader:
    """Numbers among the arguments, counted from behind the handle."""

    args: Arguments
    shift: int

    def number(self, position: int) -> Expr:
        """The argument there as a symbolic number; the handle is none of those counted."""
        return self.args.expr(position + self.shift)

    def is_zero(self, position: int) -> bool:
        """Whether a scalar passed by value or address is known to be 0."""
        value = self.args.value(position + self.shift)
        if isinstance(value, Pointer):
            held = self.args.target(position + self.shift).get()
            value = held if held is not None else value
        return isinstance(value, Scalar) and value.value.constant == 0


def _vector(reads: int, writes: int, multiply_adds: float) -> Sizes:
    def sizes(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
        """The elements for vectors whose length is the first number behind the handle."""
        n = reader.number(1)
        return n, n * reads, n * writes, n * multiply_adds

    return sizes


def _gemm(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    return _product(reader, ONE, 11)


def _product(
    reader: _Reader, batch: Expr, beta: int, first: int = 3
) -> tuple[Expr, Expr, Expr, Expr]:
    m, n, k = (reader.number(first + i) for i in range(3))
    kept = m * n * (0 if reader.is_zero(beta) else 1)
    return m * n * batch, (m * k + k * n + kept) * batch, m * n * batch, m * n * k * batch


def _gemm_batched(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    return _product(reader, reader.number(14), 11)


def _gemm_strided(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    return _product(reader, reader.number(17), 13)


def _gemm_ex(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    return _product(reader, ONE, 13)


def _gemm_batched_ex(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    return _product(reader, reader.number(17), 13)


def _gemm_strided_ex(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    return _product(reader, reader.number(20), 15)


def _gemv(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    m, n = reader.number(2), reader.number(3)
    return m * n, m * n + m + n, m, m * n


def _ger(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    m, n = reader.number(1), reader.number(2)
    return m * n, m * n + m + n, m * n, m * n


def _geam(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    count = reader.number(3) * reader.number(4)
    return count, count * 2, count, count * 1.5


def _symm(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    m, n = reader.number(3), reader.number(4)
    return m * n, m * m * 0.5 + m * n * 2, m * n, m * m * n


def _syrk(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    n, k = reader.number(3), reader.number(4)
    return n * n * 0.5, n * k + n * n * 0.5, n * n * 0.5, n * n * k * 0.5


def _symv(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    n = reader.number(2)
    return n * n * 0.5, n * n * 0.5 + n * 2, n, n * n


def _trsm(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    m, n = reader.number(5), reader.number(6)
    return m * n, m * m * 0.5 + m * n, m * n, m * m * n * 0.5


def _dgmm(reader: _Reader) -> tuple[Expr, Expr, Expr, Expr]:
    m, n = reader.number(2), reader.number(3)
    return m * n, m * n + n, m * n, m * n * 0.5


_ROUTINES: Final[Mapping[str, tuple[int, str, Sizes]]] = {
    "axpy": (7, "scaled addition", _vector(2, 1, 1)),
    "axpyex": (11, "scaled addition", _vector(2, 1, 1)),
    "copy": (6, "copy", _vector(1, 1, 0)),
    "swap": (6, "swap", _vector(2, 2, 0)),
    "scal": (5, "scaling", _vector(1, 1, 0.5)),
    "scalex": (8, "scaling", _vector(1, 1, 0.5)),
    "dot": (7, "dot product", _vector(2, 0, 1)),
    "dotex": (11, "dot product", _vector(2, 0, 1)),
    "nrm2": (5, "norm", _vector(1, 0, 1)),
    "nrm2ex": (8, "norm", _vector(1, 0, 1)),
    "asum": (5, "sum of magnitudes", _vector(1, 0, 0.5)),
    "amax": (5, "index of the largest", _vector(1, 0, 0.5)),
    "amin": (5, "index of the smallest", _vector(1, 0, 0.5)),
    "rot": (8, "rotation", _vector(2, 2, 3)),
    "rotm": (7, "rotation", _vector(2, 2, 3)),
    "gemv": (12, "matrix-vector product", _gemv),
    "symv": (11, "matrix-vector product", _symv),
    "ger": (10, "outer product", _ger),
    "geam": (13, "matrix addition", _geam),
    "dgmm": (10, "diagonal scaling", _dgmm),
    "gemm": (14, "matrix product", _gemm),
    "gemmbatched": (15, "batch of matrix products", _gemm_batched),
    "gemmstridedbatched": (18, "batch of matrix products", _gemm_strided),
    "gemmex": (19, "matrix product", _gemm_ex),
    "gemmbatchedex": (20, "batch of matrix products", _gemm_batched_ex),
    "gemmstridedbatchedex": (23, "batch of matrix products", _gemm_strided_ex),
    "symm": (13, "symmetric matrix product", _symm),
    "syrk": (11, "symmetric rank-k update", _syrk),
    "trsm": (12, "triangular solve", _trsm),
    "trmm": (14, "triangular matrix product", _trsm),
}
"""Arguments of the interface with a handle, what the routine does, its sizes."""
_SAME: Final = {
    "dotu": "dot", "dotc": "dot", "geru": "ger", "gerc": "ger", "hemm": "symm", "herk": "syrk",
    "hemv": "symv", "gemm3m": "gemm", "gemm_batched": "gemmbatched",
    "gemm_strided_batched": "gemmstridedbatched",
}  # fmt: skip
_RETURNS_RESULT: Final = frozenset(("dot", "nrm2", "asum", "amax", "amin"))
"""Routines of the old interface that return their result in place of storing it."""


def blas_work(args: Arguments, name: str) -> LibraryWork:
    """What a BLAS routine does."""
    match = _ROUTINE.match(name)
    if match is None:
        return LibraryWork("dense linear algebra", missing="this routine is not modelled")
    letter = (match.group(2) or "")[:1].lower()
    routine = match.group(3).lower()
    routine = _SAME.get(routine, routine) + ("ex" if match.group(4) else "")
    entry = _ROUTINES.get(routine)
    if entry is None:
        return LibraryWork(
            "dense linear algebra", missing="its sizes are in descriptors or not modelled"
        )
    arity, action, sizes = entry
    element = _TYPES[letter or _data_type(args) or "s"]
    # The interface before CUDA 4 has no handle.
    old = len(args) <= arity - (2 if routine in _RETURNS_RESULT else 1)
    reader = _Reader(args, -1 if old else 0)
    if len(args) + old < min(arity, 4):
        return LibraryWork(action, element[0], missing="it has fewer arguments than expected")
    count, read, written, multiply_adds = sizes(reader)
    operations = multiply_adds * (2 * element[3])
    # Only matrix products run on tensor cores.
    precision = element[2]
    if precision is Precision.TENSOR and "gemm" not in routine:
        precision = Precision.HP
    known = {precision: operations} if operations.terms else {}
    return LibraryWork(action, element[0], count, read * element[1], written * element[1], known)


def _data_type(args: Arguments) -> str | None:
    """The letter of the first element type among the arguments: ``CUDA_R_16F``."""
    for position in range(len(args)):
        value = args.value(position)
        label = value.name if isinstance(value, OpaqueValue) else ""
        suffix = re.search(r"(?:CUDA_R_|HIPBLAS_R_|HIP_R_|rocblas_datatype_)(\w+)$", label)
        if suffix is not None and suffix.group(1) in _DATA_TYPES:
            return _DATA_TYPES[suffix.group(1)]
    return None
