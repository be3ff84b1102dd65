"""Code that an edit broke: which problems say so, and which kernels it left as they were."""

from __future__ import annotations

from roofline_analysis.report.report import KernelReport
from roofline_core.program.units import Problem

_BEGINNINGS = ("syntax error, not read", "comment without an end")
_END = "' is missing"


def is_syntax_problem(problem: Problem) -> bool:
    """Whether a problem is of the syntax of a text: what is not read, or a bracket that lacks."""
    return problem.message.startswith(_BEGINNINGS) or problem.message.endswith(_END)


def says_the_same(one: KernelReport, other: KernelReport) -> bool:
    """Whether two reports of a kernel from two texts agree in what is told of it first."""
    return _headline(one) == _headline(other)


def _headline(kernel: KernelReport) -> object:
    made = kernel.prediction
    counts = (made.sp_flops, made.dp_flops, made.hp_flops, made.int_ops, made.tensor_flops)
    bytes_ = (made.dram_read_bytes, made.dram_write_bytes)
    confidence = round(made.confidence, 6)
    shapes = len(kernel.launches), made.grid, made.block
    return (kernel.qualified_name, made.verdict, confidence, counts, bytes_, made.time_ns, shapes)
