"""What contracts may say, and what they are told where they say anything else."""

from __future__ import annotations

import pytest

from roofline_analysis.api.formula import ContractError, read_formula
from roofline_analysis.report.report import Verdict
from roofline_lsp.ratchet.contracts.statements import Assume, Budget, Expect, read_statement


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12*n", 1200.0),
        ("12 * n + 4", 1204.0),
        ("4 + 12*n", 1204.0),
        ("(4 + 12)*n", 1600.0),
        ("n - 1 - 2", 97.0),
        ("n/4/5", 5.0),
        ("-n + 2*-3", -106.0),
        ("1.5e9", 1.5e9),
        (".5", 0.5),
        ("2k", 2000.0),
        ("3M", 3e6),
        ("1.5 G", None),
        ("4Ki", 4096.0),
        ("4ki", None),
        ("2Mi", 2097152.0),
        ("p.width", 7.0),
        ("((((n))))", 100.0),
    ],
)
def test_formulas_are_computed_as_usual(text: str, value: float | None) -> None:
    if value is None:
        with pytest.raises(ContractError):
            read_formula(text)
        return
    assert read_formula(text).value({"n": 100.0, "p.width": 7.0}) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' ends where a number or a name belongs"),
        ("12*", "'12*' ends where a number or a name belongs"),
        ("12 n", "'n' is one too many in '12 n'"),
        ("(12", "a bracket of '(12' is not closed"),
        ("12)", "')' is one too many in '12)'"),
        ("*2", "'*' stands where a number or a name belongs"),
        ("n**2", "'*' stands where a number or a name belongs"),
        ("2^n", "'^n' is not understood; a formula has numbers (4096, 1.5e9, 12M), names"),
        ("__import__('os')", "'('os')' is not understood"),
        ("12x", "'12x' is not understood"),
        ("+".join("1" * 200), "a formula of more than 200 parts"),
    ],
)
def test_what_is_no_formula_is_named(text: str, message: str) -> None:
    with pytest.raises(ContractError) as raised:
        read_formula(text)
    if "__import__" in text:
        assert "is not understood" in str(raised.value)
    else:
        assert str(raised.value).startswith(message)


def test_brackets_nest_no_deeper_than_a_formula_is_long() -> None:
    assert read_formula("(" * 99 + "1" + ")" * 99).value({}) == 1.0
    with pytest.raises(ContractError, match="more than 200 parts"):
        read_formula("(" * 10_000)


def test_statements() -> None:
    assert read_statement("expect BB") == Expect(Verdict.BANDWIDTH_BOUND, None)
    assert read_statement("expect compute-bound on RTX 3080") == Expect(
        Verdict.COMPUTE_BOUND, "RTX 3080"
    )
    assert read_statement("assume N=4096, rate = 1.5e3") == Assume(
        (("N", 4096.0), ("rate", 1500.0))
    )
    budget = read_statement("budget dram_bytes<=12*N")
    assert isinstance(budget, Budget)
    assert (budget.quantity, budget.relation, budget.limit.text, budget.limit.names) == (
        "dram_bytes",
        "<=",
        "12*N",
        ("N",),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expct BB", "there is no contract 'expct'; did you mean 'expect'?"),
        (
            "require BB",
            "there is no contract 'require'; contracts begin with expect, budget, assume",
        ),
        ("expect", "'expect' wants CB or BB, and may go on with 'on GPU', not 'nothing'"),
        ("expect fast", "'expect' wants CB or BB, and may go on with 'on GPU', not 'fast'"),
        ("expect BB A100", "'expect' wants CB or BB, and may go on with 'on GPU', not 'BB A100'"),
        ("budget", "'budget' wants a figure, one of <= < >= >, and a formula, such as"),
        ("budget dram_bytes == 3", "'budget' wants a figure, one of <= < >= >, and a formula"),
        ("budget dram_byte <= 3", "there is no figure 'dram_byte'; did you mean 'dram_bytes'?"),
        ("budget time_us <=", "'' ends where a number or a name belongs"),
        ("assume", "'assume' wants NAME=NUMBER, with commas between, not 'nothing'"),
        ("assume n", "'assume' wants NAME=NUMBER, with commas between, not 'n'"),
        ("assume n=2*m", "'n' wants a number, not '2*m'"),
        ("assume n=1/0", "'1/0' is no number"),
    ],
)
def test_what_is_no_statement_is_named_with_the_remedy(text: str, message: str) -> None:
    with pytest.raises(ContractError) as raised:
        read_statement(text)
    assert str(raised.value).startswith(message)
