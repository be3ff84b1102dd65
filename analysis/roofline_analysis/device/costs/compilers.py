"""What compilers do differently with the same source, as far as operations are counted.

Read off machine code for sm_86: nvcc 13.0, and clang 18 with CUDA 12.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from roofline_analysis.device.costs.expansions import (
    OperationCost,
    conversion_cost,
    function_cost,
    operator_cost,
)
from roofline_core.program.float_math import EXACT_MATH, FloatMath
from roofline_core.program.records import record
from roofline_core.program.units import Dialect
from roofline_core.settings import CompilerName


@record(frozen=True, slots=True)
class CompilerProfile:
    """How a compiler treats loops; the assembler behind it is the same."""

    index_int_ops: float
    """Integer operations that compute an index anew where an address moves by a stride that is
    known only at run time, before the one that makes an address of it; 0: the address is moved."""
    uniform_address_int_ops: float
    """Integer operations of an address that is the same in all threads, in code that all of them
    run. Clang leaves it to the uniform datapath: of the two moves that fetch it from there, one in
    two or three is an IMAD.U32, which is counted (eleven kernels of the development data: .1 to .5
    an address; clang 14 with ptxas 13: .5). NVIDIA's computes it by an IMAD.WIDE."""
    unrolls_unknown_steps: bool
    """Whether it unrolls a loop whose counter moves by a step that is known only at run time."""
    unrolls_longer_steps: bool
    """Whether it makes copies where a loop's variable moves by a constant other than 1."""
    unrolls_costly_trips: bool
    """Whether it makes copies where the number of trips takes several instructions to compute."""
    counts_uniformly: bool
    """Whether a loop's variable that is the same in all threads is in a register of the warp, whose
    arithmetic is not counted: that of ptxas 12 is, that of ptxas 13 is not."""
    unrolls_convergent: bool
    """Whether it unrolls a loop in which threads meet: barriers, shuffles, votes."""
    printf_int_ops: tuple[float, float]
    """Integer operations of a call of ``printf`` without arguments, and with some: they build the
    list of these and call the system's function, whose own are not counted."""
    unrolled_nodes: int
    """Syntax-tree nodes of all trips together up to which a loop is unrolled whole.

    Clang's limit is 300 of its instructions, of which a node makes about a third; the operations of
    the development kernels agree with it better than with twice or six times as many. That of nvcc
    is assumed, chosen without measurement."""
    nodes_around_loops: int
    """The same of a loop around one whose trips are not known before: read off triangular loops of
    3 to 23 trips and loops around those of unknown trips, with both compilers."""
    negates_operands: bool
    """Whether it negates an operand of a multiplication instead of the product."""
    rounds_roots: bool
    """Whether ``sqrtf`` is rounded as IEEE 754 says, which takes a correction; else it is what the
    special function unit gives."""
    rounds_divisions: bool
    """Whether a division of floats is rounded so; else it is a product with the reciprocal that the
    special function unit gives."""
    multiplies_whole_powers: bool
    """Whether its headers have a ``pow`` of a whole number, which multiplies; else that number is
    made a double, and the base too."""
    keeps_needed_products: bool
    """Whether it adds to a product that something else needs, instead of multiplying again."""
    widens_unsigned: bool
    """Whether the address of an element whose index is an unsigned variable of 32 bits, which may
    wrap around, is made anew: for each copy, or for the compiler's copies of a step of 1."""
    keeps_index: bool
    """Whether a loop in rounds of copies counts its index besides the runs that are left, for the
    runs left over."""
    narrow_strides: bool
    """Whether an index of 32 bits that a loop's variable is multiplied for moves as such, and is
    made an address of in each round of copies; else it is so for each of the compiler's copies
    together, by ``regrouped_int_ops``."""
    regrouped_int_ops: float
    """Integer operations of such an index and of two addresses made of it: the first copy's, in 32
    bits, and one that the others have at constant distances, in 64."""
    plain_instructions: float | None
    """Instructions of all trips together up to which a loop with a plain body (``plain_size``) is
    unrolled whole; None: the limit is that of nodes."""
    copies: int
    """Copies of a small body that it makes in a loop whose trips are not known; of a larger one
    half as many, and again."""
    copied_instructions: float | None
    """LLVM's instructions of all copies up to which there are so many; None: the limits are those
    of ``rounds``."""
    copies_of_known: int
    """Copies of the body, the assembler's included, where the number of trips is known but too
    large to unroll the loop whole."""
    bounds_thread_indices: bool
    """Whether it knows that indices of threads are small, so that no sum of one wraps around: an
    unsigned sum with a constant is then part of an access's offset."""
    fills_tables: bool
    """Whether each thread writes an array of constants, which a function declares and nothing
    writes, to its own memory; else there is one for all threads. Read off nvcc 13.0's PTX for 16 to
    256 elements, ``const`` and ``constexpr``; of ``static`` ones there is one."""
    divides_by_warp: bool
    """Whether a division by ``warpSize`` is one by any number: nvcc leaves it to the assembler,
    which takes it for 32 too late to shift."""
    moves_share: float = 0.07
    """Register moves that count as integer operations, as a part of the others.

    The assembler writes a move as MOV or, to keep its pipes busy, as IMAD.MOV, which is counted;
    no source tells which. Executed machine code of 326 kernels by clang and of 691 by nvcc has 8 to
    18% in the median of each range of sizes above 10 operations a thread."""
    splits_wide_indices: bool = False
    """Whether what the threads of a block have in common of a 64-bit index is added to the address
    by the uniform datapath, whose arithmetic is not counted: ptxas 12 does so of all; ptxas 13
    only where the rest is of 64 bits as well, or there is none."""
    shares_offsets: bool = False
    """Whether arrays that one index moves by a step of run time share an offset, to which each adds
    its start."""
    byte_vector_int_ops: float = 0.0
    """Integer operations that take a vector of four unsigned bytes apart, if all of them become
    floats; see ``state/byte_vectors.py``."""
    swaps_shared_floats: bool = True
    """Whether an addition of floats to shared memory is a loop of compare-and-swap; AMD GPUs have
    an instruction for it."""
    sinks_floats: bool = False
    """Whether floating-point numbers that one branch alone uses are computed there, and the right
    side of ``&&`` and ``||`` only where it decides, if it takes more than a branch.

    Read off PTX of Clang 19 and machine code of nvcc 13.0, which divides before the condition."""
    folded_side: int = 5
    """Instructions up to which the only side of a branch is computed by all threads, to choose
    from; see ``branch_folding.py``."""
    folded_sides: int = 6
    """The same of both sides of a branch together."""
    follows_zeros: bool = False
    """Whether it knows that squares, and sums with one of them or with a constant, are never -0, so
    that it does not add them to 0. Of converted integers all compilers know it.

    Read off PTX of Clang 19 and machine code of nvcc 13.0, which adds."""
    fast_functions: bool = False
    """Whether functions of single precision are their intrinsics, and denormals zero."""

    def function_cost(self, name: str) -> OperationCost | None:
        """The cost of a device function by its C name; None where it was not measured."""
        return function_cost(name, fast=self.fast_functions)

    def operator_cost(self, key: str) -> OperationCost | None:
        """The cost of an operator by the table's key; None where it was not measured."""
        return operator_cost(key, fast=self.fast_functions)

    def conversion_cost(self, source: str, target: str) -> OperationCost | None:
        """The cost of a conversion between two C types; None where it was not measured."""
        return conversion_cost(source, target, fast=self.fast_functions)


NVCC: Final = CompilerProfile(
    index_int_ops=0.0,
    uniform_address_int_ops=1.0,
    unrolls_unknown_steps=True,
    unrolls_longer_steps=True,
    counts_uniformly=False,
    unrolls_costly_trips=True,
    unrolls_convergent=True,
    printf_int_ops=(5.0, 8.0),
    unrolled_nodes=6000,
    nodes_around_loops=120,
    negates_operands=False,
    rounds_roots=True,
    rounds_divisions=True,
    multiplies_whole_powers=False,
    keeps_needed_products=True,
    widens_unsigned=True,
    keeps_index=True,
    narrow_strides=True,
    regrouped_int_ops=0.0,
    plain_instructions=390.0,
    copies=4,
    copied_instructions=None,
    copies_of_known=64,
    bounds_thread_indices=True,
    fills_tables=True,
    divides_by_warp=True,
)
CLANG: Final = CompilerProfile(
    index_int_ops=1.0,
    uniform_address_int_ops=0.4,
    unrolls_unknown_steps=False,
    unrolls_longer_steps=False,
    counts_uniformly=True,
    unrolls_costly_trips=False,
    unrolls_convergent=False,
    printf_int_ops=(2.0, 6.0),
    unrolled_nodes=1000,
    nodes_around_loops=450,
    negates_operands=True,
    rounds_roots=False,
    rounds_divisions=True,
    multiplies_whole_powers=True,
    keeps_needed_products=False,
    widens_unsigned=False,
    keeps_index=False,
    narrow_strides=False,
    regrouped_int_ops=7.0,
    plain_instructions=None,
    copies=8,
    copied_instructions=75.0,
    copies_of_known=8,
    bounds_thread_indices=False,
    fills_tables=False,
    divides_by_warp=False,
    splits_wide_indices=True,
    shares_offsets=True,
    byte_vector_int_ops=11.0,
    sinks_floats=True,
    folded_side=7,
    folded_sides=4,
    follows_zeros=True,
)

HIPCC: Final = replace(CLANG, swaps_shared_floats=False, moves_share=0.0)
"""Clang for AMD GPUs."""

OPENCL: Final = replace(NVCC, rounds_roots=False, rounds_divisions=False, fills_tables=False)
"""NVIDIA's compiler of OpenCL C, whose divisions and roots may be off by 2.5 and 3 units in the
last place unless a program asks for more. What it does with tables was not measured."""

OPENMP: Final = replace(CLANG, counts_uniformly=False, shares_offsets=False, moves_share=0.0)
"""Clang's target regions, which find the numbers that loops run to in memory."""

_BY_DIALECT: Final = {("nvcc", Dialect.OPENCL): OPENCL, ("clang", Dialect.OPENMP): OPENMP}
_BY_NAME: Final = {"nvcc": NVCC, "clang": CLANG, "hipcc": NVCC}
_ON_AMD: Final = {"nvcc": NVCC, "clang": HIPCC, "hipcc": HIPCC}
_USUAL: Final = {Dialect.HIP: "hipcc", Dialect.OPENMP: "clang"}


def compiler_of(
    name: CompilerName, dialect: Dialect, math: FloatMath = EXACT_MATH, *, amd: bool = False
) -> CompilerProfile:
    """The compiler of a kernel; ``auto``: hipcc for HIP, clang for OpenMP, else NVIDIA's.

    ``math`` is what it was told of arithmetic, ``amd`` whether it compiles for a GPU of AMD's:
    there hipcc is clang, elsewhere it calls nvcc.
    """
    wanted = _USUAL.get(dialect, "nvcc") if name == "auto" else name
    by_name = _ON_AMD if amd else _BY_NAME
    found = _BY_DIALECT.get((wanted, dialect), by_name[wanted])
    if math == EXACT_MATH:
        return found
    return replace(
        found,
        fast_functions=math.fast_functions,
        rounds_divisions=_told(math.rounds_divisions, found.rounds_divisions),
        rounds_roots=_told(math.rounds_roots, found.rounds_roots),
    )


def _told(told: bool | None, otherwise: bool) -> bool:
    return otherwise if told is None else told
