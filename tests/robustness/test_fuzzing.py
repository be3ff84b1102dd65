"""Random inputs of each kind in every run; ``python -m tests.robustness.fuzzing`` tries more."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from roofline_analysis.api import entry

from .fuzzing import guard
from .fuzzing.corpus import corpus
from .fuzzing.guard import guarded
from .fuzzing.kinds import KINDS, input_of

SEEDS = corpus()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Nothing that hostile clients cause is logged."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("kind", KINDS)
def test_random_inputs_come_to_no_fault(kind: str) -> None:
    """The same inputs in each run; ``python -m tests.robustness.fuzzing`` draws others."""
    word = "tests"
    for number in range(15):
        found = input_of(kind, f"{word}-{number}", SEEDS)
        outcome = guarded(found.run, found.analyses)
        assert not outcome.fault, f"--again {kind}:{word}-{number}: {outcome.fault}"


FOUND = (
    *("grammar:n4-626", "grammar:n4-631", "grammar:n5-1020", "host:n3-545", "host:n4-245"),
    *("mutations:n5-264", "mutations:n5-356", "edits:n3-702", "edits:n7-261", "settings:n7-411"),
    *("grammar:n2-59", "grammar:n7-354"),
)
"""Inputs that came to a fault once."""


@pytest.mark.parametrize("found", FOUND)
def test_what_was_mended_stays_so(found: str) -> None:
    kind, _, seed = found.partition(":")
    made = input_of(kind, seed, SEEDS)
    assert not guarded(made.run, made.analyses).fault


def test_a_seed_stands_for_one_input() -> None:
    for kind in KINDS:
        first, second, other = (input_of(kind, word, SEEDS).text for word in ("a", "a", "b"))
        assert first == second != other


def test_what_goes_wrong_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks can fail."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a test broke this")

    with monkeypatch.context() as patch:
        patch.setattr(entry, "signature", broken)
        faults = [guarded(input_of("grammar", f"{n}", SEEDS).run).fault for n in range(10)]
    assert any("internal error" in fault and "a test broke this" in fault for fault in faults)
    assert "ZeroDivisionError" in guarded(broken).fault


def test_what_takes_too_long_or_too_much_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless() -> None:
        while True:
            pass

    monkeypatch.setattr(guard, "MOST_CPU_S", 0.1)
    assert "takes more than 0" in guarded(endless).fault
    monkeypatch.setattr(guard, "MOST_CPU_S", 5.0)
    monkeypatch.setattr(guard, "MOST_MB", 20.0)
    held = SimpleNamespace()
    outcome = guarded(lambda: setattr(held, "text", b"x" * 60_000_000))
    assert outcome.fault.startswith("takes ")
    assert outcome.peak_mb > 50


def test_an_edited_document_that_differs_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    original: Callable[..., object] = entry.file_report
    calls = iter(range(1_000))

    def differing(*args: object, **named: object) -> object:
        from dataclasses import replace

        return replace(original(*args, **named), looked_for_findings=next(calls) % 2 == 0)  # type: ignore[type-var]

    monkeypatch.setattr(entry, "file_report", differing)
    faults = [guarded(input_of("edits", f"{n}", SEEDS).run, 9).fault for n in range(8)]
    assert any("not as a fresh one" in fault for fault in faults)
