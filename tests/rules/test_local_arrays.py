"""RL107 is found where loops alone index a thread's array, not where data do, too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport
from roofline_analysis.rules.catalogue.memory.rl107_local_memory_array import BAD

Analyse = Callable[..., FileReport]
LAST = "part[0] * part[1]"


@pytest.mark.parametrize(
    ("last", "found"), [(LAST, True), ("part[0] * part[(int)x[t] & 3]", False)]
)
def test_what_unrolling_makes_a_constant(last: str, found: bool, analyse: Analyse) -> None:
    codes = {each.code for each in analyse(BAD.replace(LAST, last)).all_findings()}
    assert ("RL107" in codes) is found
