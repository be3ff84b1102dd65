"""The machine instructions of each device operation, from a measured table.

The table, ``data/expansions.toml``, was measured for sm_86 with nvcc 13.0 by
``benchmarks/calibrate_sass.py``; its header says how and what each field counts. It is read once,
when the first cost is asked for.
"""

import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

from roofline_core.program.records import record

_TABLE = Path(__file__).with_name("data") / "expansions.toml"


@record(frozen=True, slots=True)
class OperationCost:
    """Instructions that one thread executes for one operation, averaged over paths."""

    sp_flops: float = 0.0
    """Single precision operations; a fused multiply-add is two."""
    dp_flops: float = 0.0
    """Double precision operations."""
    hp_flops: float = 0.0
    """Half precision operations, per instruction: a packed instruction counts as one lane."""
    int_ops: float = 0.0
    """Integer instructions, 32 bits wide, register moves by the integer unit included."""
    int_moves: float = 0.0
    """Those of ``int_ops`` that are register moves."""
    mufu: float = 0.0
    """Special function unit instructions."""
    conversions: float = 0.0
    """Conversions between number formats and roundings to integers."""
    branches: float = 0.0
    """Branches, calls and returns."""
    others: float = 0.0
    """Comparisons and selections of floats, shuffles, votes, barriers and atomics."""
    slow: "OperationCost | None" = None
    """The cost of the slow path (denormal or huge arguments); None if not measured."""
    zero: "OperationCost | None" = None
    """The cost of a division whose dividend is 0; None if not measured."""

    def more_if_zero(self) -> tuple[float, float, float]:
        """What a division costs more where its dividend is 0.

        Operations of single precision, of double precision, and of integers.
        """
        other = self.zero or self
        return (
            other.sp_flops - self.sp_flops,
            other.dp_flops - self.dp_flops,
            other.int_ops - self.int_ops,
        )


def function_cost(name: str, *, fast: bool = False) -> OperationCost | None:
    """Return the cost of a device function by its C name, None where it was not measured.

    The name may carry a case in brackets: ``atomicAdd (float)``, ``pow (exponent 2)``. ``fast``:
    compiled with nvcc's ``-use_fast_math``.
    """
    return _cost_as_told("functions", name, fast=fast)


def operator_cost(key: str, *, fast: bool = False) -> OperationCost | None:
    """Return the cost of an operator, None where it was not measured.

    Keys are a type and an operator, such as ``float /``, ``int / var``, ``unsigned % pow2`` or
    ``long long *``; the table's header lists their forms. ``fast`` as of a function.
    """
    return _cost_as_told("operators", key, fast=fast)


def measured_operator(key: str) -> OperationCost:
    """Return the cost of an operator that the model cannot do without.

    Raises LookupError where the table lacks it: the table was made by an older script.
    """
    found = operator_cost(key)
    if found is None:
        raise LookupError(f"{_TABLE.name} has no operator '{key}'")
    return found


def conversion_cost(source: str, target: str, *, fast: bool = False) -> OperationCost | None:
    """Return the cost of a conversion between two C types, None where it was not measured.

    ``fast`` as of a function.
    """
    return _cost_as_told("conversions", f"{source}->{target}", fast=fast)


def loop_cost(key: str) -> OperationCost | None:
    """Return the cost of one iteration of a measured loop, such as ``s += a[i]``."""
    return _cost("loops", key)


def kernel_cost(key: str) -> OperationCost | None:
    """Return the cost of one thread of a measured kernel, such as ``saxpy``."""
    return _cost("kernels", key)


def keys(section: str) -> tuple[str, ...]:
    """Return the keys of a section of the table, in its order.

    Sections are ``functions``, ``operators``, ``conversions``, ``loops`` and ``kernels``, and the
    first three after ``fast_``; raises KeyError for another.
    """
    return tuple(_sections()[section])


def _cost_as_told(section: str, key: str, *, fast: bool) -> OperationCost | None:
    """An entry; of fast arithmetic only those that differ have one of their own."""
    return (fast and _cost(f"fast_{section}", key)) or _cost(section, key)


@cache
def _sections() -> dict[str, dict[str, str]]:
    """Return each section's entries, key to text; a text is read when its cost is asked for."""
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    sections = {}
    for name, content in table.items():
        if "entries" in content:
            lines = (line.rpartition(" = ") for line in content["entries"].splitlines())
            sections[name] = {key: text for key, _, text in lines}
    return sections


@cache
def _cost(section: str, key: str) -> OperationCost | None:
    text = _sections()[section].get(key)
    if text is None:
        return None
    text, _, zero = text.partition("; zero ")
    ordinary, _, slow = text.partition("; slow ")
    cost = _parse(ordinary)
    if slow:
        cost = replace(cost, slow=_parse(slow))
    return replace(cost, zero=_parse(zero)) if zero else cost


def _parse(text: str) -> OperationCost:
    counts = {}
    if text != "nothing":
        for item in text.split(", "):
            field, number = item.split(" ")
            counts[field] = float(number)
    return OperationCost(
        sp_flops=counts.get("sp_flops", 0.0),
        dp_flops=counts.get("dp_flops", 0.0),
        hp_flops=counts.get("hp_flops", 0.0),
        int_ops=counts.get("int_ops", 0.0),
        int_moves=counts.get("int_moves", 0.0),
        mufu=counts.get("mufu", 0.0),
        conversions=counts.get("conversions", 0.0),
        branches=counts.get("branches", 0.0),
        others=counts.get("others", 0.0),
    )
