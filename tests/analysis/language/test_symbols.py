"""The names of a program, with some functions replaced."""

from __future__ import annotations

import pytest

from roofline_analysis.language.symbols import SHARED_TABLES, Symbols
from roofline_core.program.units import Program


@pytest.mark.sources
def test_what_is_not_replaced_is_the_same() -> None:
    """Whoever adds a table says whether it is shared."""
    symbols = Symbols(Program(()))
    replaced = {"functions", "_replaced", "_home", "_methods"}
    assert {*SHARED_TABLES} | replaced == vars(symbols).keys()
    assert not replaced & {*SHARED_TABLES}
    changed = symbols.with_functions({})
    assert all(getattr(changed, name) is getattr(symbols, name) for name in SHARED_TABLES[:10])
    assert all(getattr(changed, name) is not getattr(symbols, name) for name in replaced)
