"""Random inputs of each kind in every run; ``python -m tests.robustness.fuzzing`` tries more."""

from __future__ import annotations

import json
import logging
import mmap
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from roofline_analysis.api import entry
from roofline_analysis.language import constant_expressions, types
from roofline_core.program.progress import PROGRESS
from roofline_parsers.preprocess import conditions
from roofline_profiling import records as measurements

from . import records
from .fuzzing import __main__ as runs
from .fuzzing import frames, guard, reading, record, replies, rows, small_values
from .fuzzing.corpus import corpus
from .fuzzing.guard import Outcome, guarded
from .fuzzing.kinds import KINDS, Input, input_of

SEEDS = corpus()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Nothing that hostile clients cause is logged."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


MOST_STEPS = 60_000
"""Stages and statements that one input may take: some 5 s of a usual machine."""
SLOWER = 4
"""So many times slower than that a machine may be that runs these tests."""


def fault_of(made: Input) -> str:
    """What is wrong with an input, on a machine of any speed; empty if nothing is."""
    before = PROGRESS.steps
    fault = guarded(made.run, made.analyses * SLOWER).fault
    steps = PROGRESS.steps - before
    return fault or (f"{steps:,} steps" if steps > MOST_STEPS * made.analyses else "")


@pytest.mark.parametrize("kind", KINDS)
def test_random_inputs_come_to_no_fault(kind: str) -> None:
    """The same inputs in each run; ``python -m tests.robustness.fuzzing`` draws others."""
    word = "tests"
    for number in range(15):
        fault = fault_of(input_of(kind, f"{word}-{number}", SEEDS))
        assert not fault, f"--again {kind}:{word}-{number}: {fault}"


FOUND = (
    *("grammar:n4-626", "grammar:n4-631", "grammar:n5-1020", "host:n3-545", "host:n4-245"),
    *("mutations:n5-264", "mutations:n5-356", "edits:n3-702", "edits:n7-261", "settings:n7-411"),
    *("grammar:n2-59", "grammar:n7-354", "mutations:n3-1197"),
)
"""Inputs that came to a fault once."""


@pytest.mark.parametrize("found", FOUND)
def test_what_was_mended_stays_so(found: str) -> None:
    kind, _, seed = found.partition(":")
    assert not fault_of(input_of(kind, seed, SEEDS))


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


def _new_memory(size_bytes: int) -> mmap.mmap:
    """Resident memory that is new to the process: a text may lie where a freed one lay."""
    memory = mmap.mmap(-1, size_bytes)
    for at in range(0, size_bytes, mmap.PAGESIZE):
        memory[at] = 1
    return memory


def test_what_takes_too_long_or_too_much_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless() -> None:
        while True:
            pass

    monkeypatch.setattr(guard, "MOST_CPU_S", 0.1)
    assert "takes more than 0" in guarded(endless).fault
    monkeypatch.setattr(guard, "MOST_CPU_S", 5.0)
    monkeypatch.setattr(guard, "MOST_MB", 20.0)
    held = SimpleNamespace()
    outcome = guarded(lambda: setattr(held, "memory", _new_memory(60_000_000)))
    assert outcome.fault.startswith("takes ")
    assert outcome.peak_mb > 50


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("goes_on", [True, False])
def test_what_takes_too_long_where_nothing_can_be_raised_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, *, goes_on: bool
) -> None:
    """Python swallows what is raised while an object is taken away."""

    def work(seconds: float) -> None:
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass

    class Slow:
        def __del__(self) -> None:
            work(0.3)

    def run() -> None:
        Slow()
        Slow()
        if goes_on:
            work(1e9)

    monkeypatch.setattr(guard, "MOST_CPU_S", 0.1)
    assert guarded(run).fault.startswith("takes more than 0 s")


def test_an_edited_document_that_differs_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    original: Callable[..., object] = entry.file_report
    calls = iter(range(1_000))

    def differing(*args: object, **named: object) -> object:
        from dataclasses import replace

        return replace(original(*args, **named), looked_for_findings=next(calls) % 2 == 0)  # type: ignore[type-var]

    monkeypatch.setattr(entry, "file_report", differing)
    faults = [guarded(input_of("edits", f"{n}", SEEDS).run, 9).fault for n in range(8)]
    assert any("not as a fresh one" in fault for fault in faults)


SMALL_VALUES = ("arithmetic", "conditions", "literals", "directives", "replies", "rows")


@pytest.mark.parametrize("kind", SMALL_VALUES)
def test_many_small_values(kind: str) -> None:
    """These take microseconds each."""
    for number in range(600):
        made = input_of(kind, f"tests-{number}", SEEDS)
        assert not (fault := guarded(made.run).fault), f"{kind}:tests-{number}: {fault}"


def test_values_that_differ_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks of small values can fail."""

    def faulty(kind: str) -> int:
        made = (input_of(kind, f"tests-{number}", SEEDS) for number in range(150))
        return sum("FaultError" in guarded(each.run).fault for each in made)

    original = types.wrapped
    monkeypatch.setattr(
        f"{constant_expressions.__name__}.wrapped", lambda value, _: original(value, "short")
    )
    monkeypatch.setattr(conditions, "_MASK", (1 << 32) - 1)
    monkeypatch.setattr(small_values, "parse_number", lambda _: (7, "int"))
    assert min(faulty(kind) for kind in ("arithmetic", "conditions", "literals")) > 5


def test_what_rows_and_files_are_made_of_is_right() -> None:
    """What is spoiled would be taken as it is, so that little spoils it."""
    assert measurements.of_line(json.dumps(rows.MEASUREMENT)) is not None
    for text, check in (
        (json.dumps(rows.BASELINE), rows.check_baseline),
        (json.dumps(rows.DATABASE), rows.check_database),
        *((page, rows.check_profile) for page in rows.PAGES),
    ):
        with pytest.MonkeyPatch.context() as patch:
            for error in ("BaselineError", "CompileCommandsError", "ReportError"):
                patch.setattr(rows, error, _NeverError)
            check(text.encode())


class _NeverError(Exception):
    """Raised by nothing."""


def test_replies_that_come_to_harm_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their checks can fail."""
    monkeypatch.setattr(replies, "one_line", str)
    monkeypatch.setattr(replies, "check_words", lambda *_: None)
    monkeypatch.setattr(replies, "applied", lambda text, _: "\u202e" + text)
    made = (input_of("replies", f"tests-{number}", SEEDS) for number in range(600))
    found = " ".join(guarded(each.run).fault for each in made)
    assert "an edit that changes nothing, or brings a hidden character" in found
    assert "is not harmless" in found


def test_rows_that_come_to_harm_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their checks can fail: without a limit some rows hold numbers that no double does."""
    texts = [rows.measurement_row(random.Random(number)) for number in range(1_500)]
    for text in texts:
        rows.check_measurement_row(text)
    monkeypatch.setattr(measurements, "MOST_COUNT", float("inf"))
    faults = [guarded(partial(rows.check_measurement_row, text)).fault for text in texts]
    assert any(fault.startswith("OverflowError") for fault in faults)


def test_a_session_that_never_ends_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "ANSWER_S", 0.2)
    monkeypatch.setattr(frames, "LAST", -5)
    data, _ = frames.message_bytes(random.Random("tests"))
    monkeypatch.setattr(frames, "LAST", -6)
    with pytest.raises(guard.FaultError, match="no answer"):
        frames.run_session(data)
    frames.run_session(data, is_answered=False)


def test_reading_that_differs_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = iter(range(10_000))
    monkeypatch.setattr(reading, "_length", lambda _: next(lengths))
    faults = [guarded(input_of("reading", f"{n}", SEEDS).run).fault for n in range(5)]
    assert any("another program when it is read again" in fault for fault in faults)


def test_runs_add_up_and_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept" / "record.jsonl"
    words = ["--kinds", "literals,conditions", "--jobs", "0", "--inputs", "40", "--seed", "t"]
    words += ["--record", str(kept)]
    assert runs.main(words) == 0
    assert runs.main(words) == 0
    with kept.open("ab") as file:
        file.write(b'{"what": "fuzzing", "kind": "lit')  # A process was ended here.
    assert runs.main([*words, "--seed", "other", "--jobs", "1"]) == 0
    assert record.next_numbers(kept, "t", "") == {"literals": 80, "conditions": 80}
    assert record.next_numbers(kept, "other", "") == {"literals": 40, "conditions": 40}
    assert record.next_numbers(kept, "t", "/elsewhere") == {}
    found = record.totals(kept)
    assert {kind: total.inputs for kind, total in found.items()} == {
        "literals": 120,
        "conditions": 120,
    }
    assert found["literals"].seeds == {("t", ""), ("other", "")}
    assert found["literals"].versions == {records.code_version()}
    capsys.readouterr()
    assert runs.main(["--totals", "--record", str(kept)]) == 0
    assert "| all | 240 |" in capsys.readouterr().out


def test_each_kind_has_the_same_time() -> None:
    """A kind that takes ten times as long has a tenth of the inputs."""
    tallies = {"slow": record.Tally(), "fast": record.Tally()}
    plan = record.Plan(("slow", "fast"), "t", 1_000, tallies, {})
    for _ in range(1_100):
        kind, seed = next(plan)
        tallies[kind].add(seed, Outcome(0.1 if kind == "slow" else 0.01, 1.0))
    assert tallies["fast"].inputs + tallies["slow"].inputs == 1_100
    assert 95 <= tallies["slow"].inputs <= 115


def test_faults_are_recorded(tmp_path: Path) -> None:
    kept = tmp_path / "record.jsonl"
    plan = record.Plan(("host",), "t", 9, {"host": record.Tally()}, {})
    run = record.RunRecord(kept, plan, "")
    for kind, seed in plan:
        run.add(kind, seed, Outcome(0.5, 3.0, "" if seed == "t-0" else f"takes {seed}"))
    run.write()
    (row,) = records.rows(kept)
    assert (row["inputs"], row["end"], row["cpu_s"]) == (9, 9, 4.5)
    assert row["faults"] == {"takes t-_": ["t-1", 8]}
    assert record.totals(kept)["host"].faulty == 8
