"""CUDA source in, counts of one launch out: the path that every front end takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from roofline_analysis.counting.data_samples import DrawnNumbers
from roofline_analysis.counting.execution import Execution, LoadedNumbers, execute
from roofline_analysis.device.costs.compilers import NVCC, CompilerProfile
from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.index_sources import index_sources
from roofline_analysis.regions.kernel_summary import KernelSummary, Work
from roofline_analysis.regions.unseen import Unseen
from roofline_analysis.verdict.ledger import work_totals
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import Symbol, make_symbol
from roofline_core.program.types import Type
from roofline_parsers.reading.load import load_program

Dims = tuple[int, ...] | int
PATH = Path("/src/kernel.cu")


@dataclass(frozen=True)
class Counted:
    """The one kernel of a source, counted for one launch."""

    summary: KernelSummary
    execution: Execution

    def work(self, kind: Work) -> float:
        """Operations of a kind over the whole launch, without the moves that are to be expected."""
        return work_totals(replace(self.summary, moves_share=0.0), self.execution)[kind]

    @property
    def with_moves(self) -> float:
        """Integer operations of one thread with the register moves that are to be expected."""
        return work_totals(self.summary, self.execution)[Work.INT] / self.execution.threads

    @property
    def flops(self) -> dict[str, float]:
        """Floating-point operations that are there, by precision."""
        kinds = {"sp": Work.SP, "dp": Work.DP, "hp": Work.HP}
        return {name: self.work(kind) for name, kind in kinds.items() if self.work(kind)}

    @property
    def integers(self) -> float:
        """Integer operations of one thread."""
        return self.work(Work.INT) / self.execution.threads

    @property
    def unseen(self) -> list[Unseen]:
        """What the walk could not follow."""
        return [each for region in self.summary.root.walk() for each in region.unseen]

    @property
    def accesses(self) -> dict[tuple[str, str, int], float]:
        """Accesses over the launch by array, kind and bytes each; shared arrays by name alone."""
        found: dict[tuple[str, str, int], float] = {}
        for region in self.summary.root.walk():
            for access in region.accesses:
                key = (access.array.name.split("@")[0], access.mode.value, access.size_bytes)
                found[key] = found.get(key, 0.0) + self.execution.regions[region].runs
        return found


Count = Callable[..., Counted]


@pytest.fixture
def count() -> Count:
    """Count the kernel of a source: ``count(source, grid, block, n=100)``.

    Scalar arguments go by name, fields of structs as ``p__n``; template arguments in ``bindings``.
    ``suffix`` is the file's: ``.cl`` for OpenCL. ``sizes`` has the bytes of allocations.
    """

    def counted(
        source: str,
        grid: Dims = 1,
        block: Dims = 1,
        bindings: Mapping[str, Type | int] | None = None,
        suffix: str = ".cu",
        sizes: Mapping[str, float] | None = None,
        compiler: CompilerProfile = NVCC,
        **values: float,
    ) -> Counted:
        file = PATH.with_suffix(suffix)
        program = load_program([file], lambda path: source.encode() if path == file else None)
        types = TypeSystem(Symbols(program))
        (kernel,) = (f for found in types.symbols.functions.values() for f in found if f.is_kernel)
        summary = summarise(kernel, types, bindings, compiler=compiler)
        bound: dict[Symbol, int | float] = {}
        for name, value in values.items():
            for nonnegative in (False, True):
                path = name.replace("__", ".")
                bound[make_symbol(path, SymbolScope.PARAM, nonnegative=nonnegative)] = value
            bound[make_symbol(name.replace("__", "."), SymbolScope.REAL)] = value
        loaded = LoadedNumbers(
            DrawnNumbers({}, summary.meanings),
            index_sources(summary),
            tickets=summary.tickets,
            meanings=summary.meanings,
        )
        execution = execute(
            summary.root, three(grid), three(block), bound, sizes=sizes, loaded=loaded
        )
        return Counted(summary, execution)

    return counted


def three(dims: Dims) -> tuple[int, int, int]:
    """Three dimensions, missing ones 1."""
    x, y, z = ((dims,) if isinstance(dims, int) else dims) + (1, 1, 1)[
        isinstance(dims, int) or len(dims) :
    ]
    return x, y, z
