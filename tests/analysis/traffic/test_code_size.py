"""Bytes of machine code by the counts of a kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from roofline_analysis.counting.execution import execute
from roofline_analysis.device.summary import summarise
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.regions.kernel_summary import (
    Access,
    AccessMode,
    Array,
    KernelSummary,
    MemorySpace,
    Region,
    RegionForm,
    Work,
)
from roofline_analysis.traffic.code_size import code_bytes, launch_bytes
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import constant, symbol
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect
from roofline_parsers.reading.load import load_program

PATH = Path("/src/kernel.cu")


def empty() -> KernelSummary:
    program = load_program([PATH], {PATH: b"__global__ void f() {}"}.get)
    return summarise(program.units[0].functions[0], TypeSystem(Symbols(program)))


def test_a_kernel_that_does_nothing_has_no_code() -> None:
    assert code_bytes(empty()) == 0


def test_instructions_and_accesses_are_counted() -> None:
    summary = empty()
    site = (PATH, 1)
    summary.root.charge(site, Work.INT, 5)
    summary.root.charge(site, Work.SP, 3)  # a multiply-add and an addition
    array = Array("a", MemorySpace.GLOBAL, Type("int"))
    summary.root.accesses.append(Access(array, constant(0), 4, AccessMode.READ, site))
    assert code_bytes(summary) == 32 * (5 + 2 + 1)


def test_reductions_over_all_teams_have_the_runtimes_code() -> None:
    summary = empty()
    summary.root.charge((PATH, 1), Work.INT, 5)
    inner = Region(RegionForm.LOOP, summary.root, (PATH, 1), trips=constant(3))
    summary.root.children.append(inner)
    inner.grid_reductions = 2
    assert code_bytes(summary) == 32 * 5 + 2 * 4800


def test_loops_have_their_body_as_often_as_it_is_unrolled() -> None:
    summary = empty()
    loop = Region(RegionForm.LOOP, summary.root, (PATH, 1), trips=constant(10))
    loop.charge(loop.site, Work.INT, 2)
    summary.root.children.append(loop)
    assert code_bytes(summary) == 32 * 2
    loop.copies = 4
    assert code_bytes(summary) == 32 * 8
    loop.unrolled = True
    assert code_bytes(summary) == 32 * 20
    loop.trips = symbol("n", SymbolScope.PARAM)
    assert code_bytes(summary) == 32 * 8


def test_code_that_no_thread_comes_to_is_not_fetched() -> None:
    summary = empty()
    site = (PATH, 1)
    summary.root.charge(site, Work.INT, 5)
    guard = Region(
        RegionForm.GUARD, summary.root, site, conditions=(symbol("flag", SymbolScope.PARAM),)
    )
    guard.charge(site, Work.INT, 3)
    summary.root.children.append(guard)
    flag = next(iter(symbol("flag", SymbolScope.PARAM).symbols()))
    taken = execute(summary.root, (1, 1, 1), (32, 1, 1), {flag: 1})
    passed = execute(summary.root, (1, 1, 1), (32, 1, 1), {flag: 0})
    assert code_bytes(summary, taken) == 32 * 8
    assert code_bytes(summary, passed) == 32 * 5


def test_a_target_region_fetches_its_runtime_too() -> None:
    summary = empty()
    kernel = replace(summary.kernel, dialect=Dialect.OPENMP)
    assert launch_bytes(replace(summary, kernel=kernel)) > launch_bytes(summary) > 2000
