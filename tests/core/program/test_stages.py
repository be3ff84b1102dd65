"""Clocks count each stage's own time, and only in the context that asked."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Callable

import pytest

from roofline_core.program import stages
from roofline_core.program.stages import Stage, count, measured, stage


@pytest.fixture(name="tick")
def _tick(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets time pass, in seconds that only the clock sees."""
    now = [100.0]
    monkeypatch.setattr(stages, "perf_counter", lambda: now[0])

    def tick(seconds: float) -> None:
        now[0] += seconds

    return tick


def test_the_time_of_inner_stages_is_not_the_outer_one_s(tick: Callable[[float], None]) -> None:
    @stage(Stage.LOWER)
    def inner() -> None:
        tick(2.0)

    @stage(Stage.HOST)
    def outer(value: int, *, add: int) -> int:
        tick(1.0)
        inner()
        tick(4.0)
        inner()
        return value + add

    with measured() as clock:
        tick(0.5)
        assert outer(3, add=4) == 7
    assert clock.seconds[Stage.HOST] == 5.0
    assert clock.seconds[Stage.LOWER] == 4.0
    assert clock.calls == {Stage.HOST: 1, Stage.LOWER: 2}
    assert clock.total_s == 9.5


def test_a_stage_within_itself_is_one_call(tick: Callable[[float], None]) -> None:
    @stage(Stage.LINK)
    def descend(depth: int) -> None:
        tick(1.0)
        if depth:
            descend(depth - 1)

    with measured() as clock:
        descend(3)
    assert clock.seconds[Stage.LINK] == 4.0
    assert clock.calls[Stage.LINK] == 1


def test_a_stage_that_fails_is_left(tick: Callable[[float], None]) -> None:
    @stage(Stage.PARSE)
    def fail() -> None:
        tick(1.0)
        raise KeyError

    with measured() as clock:
        with pytest.raises(KeyError):
            fail()
        tick(3.0)
    assert clock.seconds[Stage.PARSE] == 1.0
    assert sum(clock.seconds.values()) == 1.0


def test_counts_are_added_up() -> None:
    count("files")
    with measured() as clock:
        count("files")
        count("files", 4)
    count("files")
    assert clock.counts == {"files": 5}


def test_other_contexts_are_not_measured() -> None:
    @stage(Stage.WALK)
    def work() -> None:
        count("kernels")

    outside = contextvars.copy_context()
    with measured() as clock:
        outside.run(work)
    work()
    assert not clock.calls
    assert not clock.counts


def test_clocks_nest() -> None:
    with measured() as outer:
        with measured() as inner:
            count("files")
        count("kernels")
    assert (inner.counts, outer.counts) == ({"files": 1}, {"kernels": 1})
    assert outer.total_s >= inner.total_s


def test_a_staged_function_keeps_its_name() -> None:
    @stage(Stage.READ)
    def read() -> float:
        """Reads."""
        return time.perf_counter()

    assert read.__name__ == "read"
    assert read.__doc__ == "Reads."
