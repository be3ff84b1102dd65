"""The file of measurements: grows only, survives crashes and many writers."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline_analysis.report.report import Verdict
from roofline_profiling import store
from roofline_profiling.errors import StoreError
from roofline_profiling.measurement import LineHeat, Measurement
from roofline_profiling.records import MAX_STORED_LINES, Record, as_line, of_line
from roofline_profiling.store import append, load, stamp_of
from roofline_profiling.store_path import store_path

Measure = Callable[..., Measurement]


def record_of(launch: Measurement, body: str | None = "b0") -> Record:
    gpu = "GeForce RTX 3080 10GB"
    return Record(replace(launch, gpu=gpu), gpu, "src/main.cu", body, "2026-01-01T00:00:00+00:00")


@pytest.fixture
def record(measurement: Measure) -> Record:
    return record_of(measurement())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return store_path(tmp_path)


@pytest.mark.parametrize("folder", [True, False])
@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_written_where_links_lead(
    tmp_path: Path, record: Record, folder: bool, there: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    path = store_path(tmp_path / "project")
    path.parent.parent.mkdir()
    if there:
        (outside / path.name).write_bytes(b"")
    if folder:
        path.parent.symlink_to(outside)
    else:
        path.parent.mkdir()
        path.symlink_to(outside / path.name)
    with pytest.raises(StoreError, match="leads out of the project"):
        append(path, [record])
    assert [each.read_bytes() for each in outside.iterdir()] == [b""] * there


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_holds_nothing_up(path: Path, record: Record) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(StoreError, match="not a regular file"):
        load(path)
    with pytest.raises(StoreError, match="not a regular file"):
        append(path, [record])


def test_records_come_back_as_they_were(measurement: Measure, path: Path) -> None:
    full = record_of(
        measurement(
            program="p-cuda",
            label=Verdict.COMPUTE_BOUND,
            stalls={"wait": 2.5},
            lines=(LineHeat("main.cu", 5, 12.0, 40.0),),
            occupancy=0.5,
        )
    )
    bare = Record(Measurement("k", gpu="X"), "X", None, None, "")
    assert append(path, [full, bare]) == 2
    held = load(path)
    assert held.records == (full, bare)
    assert held.unreadable == 0
    header = json.loads(path.read_text().splitlines()[0])
    assert header == {"format": "roofline-lsp measurements", "version": 1}


def test_of_one_launch_the_last_holds(measurement: Measure, path: Path) -> None:
    old, new = record_of(measurement(time_ns=1.0)), record_of(measurement(time_ns=2.0))
    other = record_of(measurement(args=("5",)))
    changed = record_of(measurement(), body="b1")
    append(path, [old, other, changed])
    append(path, [new])
    assert load(path).records == (other, changed, new)


def test_no_file_is_no_record(path: Path) -> None:
    assert load(path).records == ()
    assert stamp_of(path) is None


def test_a_record_cut_by_a_crash_costs_itself_alone(record: Record, path: Path) -> None:
    append(path, [record])
    with path.open("ab") as file:
        file.write(as_line(record).encode()[:40])
    before = stamp_of(path)
    second = replace(record, body="b1")
    append(path, [second])
    held = load(path)
    assert held.records == (record, second)
    assert held.unreadable == 1
    assert stamp_of(path) != before


def _write(path: Path, number: int) -> None:
    for at in range(25):
        launch = Measurement(f"k{number}_{at}", gpu="X", stalls={"x" * 3000: 1.0})
        append(path, [Record(launch, "X", None, None, "")])


def test_many_writers_lose_nothing(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, number)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    held = load(path)
    assert held.unreadable == 0
    assert {each.measurement.kernel for each in held.records} == {
        f"k{number}_{at}" for number in range(4) for at in range(25)
    }
    assert path.read_text().count('"format"') == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("my notes\n", "not a file of measurements"),
        ("[1]\n", "not a file of measurements"),
        ('{"format": "roofline-lsp measurements", "version": 2}\n', "by a later roofline-lsp"),
        ('{"format": "roofline-lsp measurements"}\n', "by a later roofline-lsp"),
    ],
)
def test_a_foreign_file_is_left_alone(record: Record, path: Path, text: str, said: str) -> None:
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(StoreError, match=said):
        append(path, [record])
    with pytest.raises(StoreError, match=said):
        load(path)
    assert path.read_text() == text


def test_what_cannot_be_written_is_told(record: Record, tmp_path: Path) -> None:
    (tmp_path / ".roofline").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="cannot be written"):
        append(store_path(tmp_path), [record])


def test_a_full_disk_takes_nothing_away(
    record: Record, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(path, [record])
    before = path.read_bytes()

    class Full:
        """A file that takes ten bytes more."""

        def __init__(self, file: object) -> None:
            self.file: object = file

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

        def write(self, data: memoryview) -> int:
            if len(data) > 10:
                self.file.write(data[:10])  # type: ignore[attr-defined]
            raise OSError(28, "No space left on device")

    original = store._write
    monkeypatch.setattr(
        store, "_write", lambda where, file, lines: original(where, cast("Any", Full(file)), lines)
    )
    with pytest.raises(StoreError, match="No space left"):
        append(path, [record])
    assert path.read_bytes() == before


def test_a_store_that_is_too_long(
    path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(path, [record])
    monkeypatch.setattr(store, "MAX_BYTES", 10)
    with pytest.raises(StoreError, match="move it away to start anew"):
        load(path)


def test_a_line_that_is_too_long_is_passed_over(
    record: Record, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(path, [record])
    with path.open("a") as file:
        file.write("x" * 5000 + "\n")
    append(path, [replace(record, body="b2")])
    monkeypatch.setattr(store, "_MAX_LINE", 1000)
    held = load(path)
    assert len(held.records) == 2
    assert held.unreadable == 1


def test_few_lines_are_kept_of_a_long_kernel(measurement: Measure) -> None:
    heat = tuple(LineHeat("m.cu", at, 1.0, 1.0) for at in range(1, 200))
    found = of_line(as_line(record_of(measurement(lines=heat))))
    assert found is not None
    assert len(found.measurement.lines) == MAX_STORED_LINES


def test_names_in_a_store_cannot_command_the_terminal(record: Record) -> None:
    content = json.loads(as_line(record))
    content |= {"kernel": "k\x1b[2J", "origin": "a\nb", "gpu": "G\r", "stalls": {"w\x07": 1.0}}
    found = of_line(json.dumps(content))
    assert found is not None
    launch = found.measurement
    assert (launch.kernel, launch.origin, found.gpu) == ("k\ufffd[2J", "a\ufffdb", "G")
    assert launch.stalls == {"w\ufffd": 1.0}


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["kernel", "gpu", "args", "grid", "counts", "lines", "label", "stalls", ""]),
    JSON,
)
def test_any_value_in_a_record_gives_a_record_or_none(
    record: Record, key: str, value: object
) -> None:
    content = {**json.loads(as_line(record)), key: value}
    found = of_line(json.dumps(content))
    assert found is None or isinstance(found.measurement.kernel, str)


@pytest.mark.parametrize(
    "part",
    [
        *({"counts": {"sp_flops": 10**309}}, {"counts": {"sp_flops": 1e101}}),
        *({"stalls": {"wait": 10**309}}, {"memory": {"l2": 10**309}}),
        *({"grid": [1, 1, 10**11]}, {"block": [0, 1, 1]}, {"grid": []}),
        *({"lines": [["k.cu", 10**309, 1, 1]]}, {"lines": [["k.cu", 1, 10**309, 1]]}),
    ],
)
def test_a_record_with_numbers_that_nothing_counts_is_none(
    record: Record, part: dict[str, object]
) -> None:
    assert of_line(json.dumps({**json.loads(as_line(record)), **part})) is None


@given(st.text(max_size=100))
def test_any_line(text: str) -> None:
    of_line(text)
