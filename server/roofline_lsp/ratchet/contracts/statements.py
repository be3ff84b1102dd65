"""The words of contracts: ``expect BB on A100``, ``budget dram_bytes <= 12*n``, ``assume n=4``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from roofline_analysis.api.formula import ContractError, Formula, read_formula
from roofline_analysis.api.stated_sizes import read_sizes
from roofline_analysis.report.report import Prediction, Verdict
from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_core.settings import suggestion

KINDS: Final = ("expect", "budget", "assume")
_CLASSES: Final = {
    "CB": Verdict.COMPUTE_BOUND,
    "COMPUTE-BOUND": Verdict.COMPUTE_BOUND,
    "BB": Verdict.BANDWIDTH_BOUND,
    "BANDWIDTH-BOUND": Verdict.BANDWIDTH_BOUND,
}
_EXPECT: Final = re.compile(r"(?P<name>\S+)(?:\s+on\s+(?P<gpu>\S.*))?")
_BUDGET: Final = re.compile(r"(?P<quantity>[\w.]+)\s*(?P<relation><=|>=|<|>)(?P<formula>[^<>=]*)")

Quantity = Callable[[Prediction], float | None]


def _in(factor: float) -> Quantity:
    return lambda made: None if made.time_ns is None else made.time_ns / factor


def _operations(precision: Precision) -> Quantity:
    return lambda made: made.operations(precision)


def _intensity(precision: Precision) -> Quantity:
    return lambda made: made.intensity(precision)


QUANTITIES: Final[Mapping[str, Quantity]] = {
    "dram_bytes": lambda made: made.dram_bytes,
    "dram_read_bytes": lambda made: made.dram_read_bytes,
    "dram_write_bytes": lambda made: made.dram_write_bytes,
    **{f"{each.value}_flops": _operations(each) for each in Precision if each is not Precision.INT},
    "int_ops": _operations(Precision.INT),
    **{f"{each.value}_ai": _intensity(each) for each in Precision},
    "time_ns": _in(1.0),
    "time_us": _in(1e3),
    "time_ms": _in(1e6),
    "occupancy": lambda made: made.occupancy,
}
"""What a budget may limit, of one launch, by the names of the JSON report."""


@record(frozen=True, slots=True)
class Expect:
    """The class that a kernel shall have."""

    verdict: Verdict
    gpu: str | None
    """None: the GPU of the run."""


@record(frozen=True, slots=True)
class Budget:
    """A limit on a figure of every launch."""

    quantity: str
    relation: str
    limit: Formula


@record(frozen=True, slots=True)
class Assume:
    """Numbers that the analysis takes where the source leaves them open.

    The kernel's budgets are stated for them.
    """

    values: tuple[tuple[str, float], ...]


Statement = Expect | Budget | Assume


def read_statement(text: str) -> Statement:
    """One statement. Raises ContractError with the remedy."""
    kind, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if kind == "expect":
        return _expect(rest)
    if kind == "budget":
        return _budget(rest)
    if kind == "assume":
        return _assume(rest)
    hint = suggestion(kind, KINDS) or f"; contracts begin with {', '.join(KINDS)}"
    raise ContractError(f"there is no contract '{kind}'{hint}")


def _expect(text: str) -> Expect:
    found = _EXPECT.fullmatch(text)
    verdict = _CLASSES.get(found["name"].upper()) if found is not None else None
    if found is None or verdict is None:
        given = text or "nothing"
        raise ContractError(f"'expect' wants CB or BB, and may go on with 'on GPU', not '{given}'")
    return Expect(verdict, found["gpu"])


def _budget(text: str) -> Budget:
    found = _BUDGET.fullmatch(text)
    if found is None:
        raise ContractError(
            f"'budget' wants a figure, one of <= < >= >, and a formula, such as"
            f" 'budget dram_bytes <= 12*n', not '{text or 'nothing'}'"
        )
    name = found["quantity"]
    if name not in QUANTITIES:
        hint = suggestion(name, QUANTITIES) or f"; the figures are {', '.join(QUANTITIES)}"
        raise ContractError(f"there is no figure '{name}'{hint}")
    return Budget(name, found["relation"], read_formula(found["formula"]))


def _assume(text: str) -> Assume:
    return Assume(read_sizes(text).numbers)
