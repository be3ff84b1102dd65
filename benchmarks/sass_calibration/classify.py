"""The classification of SASS opcodes that the table of costs is measured by: the product's own."""

from collections import Counter
from dataclasses import dataclass

from roofline_profiling.emulate.opcodes import (
    FIELDS,
    INTEGER_ASSUMED,
    INTEGER_MEASURED,
    NOT_INTEGER_ASSUMED,
    NOT_INTEGER_MEASURED,
    classify,
)

__all__ = [
    "FIELDS",
    "INTEGER_ASSUMED",
    "INTEGER_MEASURED",
    "NOT_INTEGER_ASSUMED",
    "NOT_INTEGER_MEASURED",
    "Counts",
    "classify",
]


@dataclass(frozen=True, slots=True)
class Counts:
    """Executions of one thread by opcode, and the harness's own moves of kernel parameters."""

    executed: Counter[str]
    parameter_moves: int = 0

    def totals(self) -> dict[str, int]:
        """Return each field's count."""
        found = dict.fromkeys(FIELDS, 0)
        for opcode, times in self.executed.items():
            for name, weight in classify(opcode):
                found[name] += weight * times
        for name in ("int_ops", "int_moves"):
            found[name] -= self.parameter_moves
        return found
