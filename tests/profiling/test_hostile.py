"""Files that no profiler wrote: whatever they hold, a clear error, bounded work, no crash."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofline_profiling import bounded_reader, datasets, ncu_csv, tables
from roofline_profiling.errors import ReportError
from roofline_profiling.importing import read_report
from roofline_profiling.measurement import MAX_NAME
from tests.profiling.conftest import FULL, FULL_UNITS, SAXPY, raw_page

PAGE = raw_page([(SAXPY, "(256, 1, 1)", "(3907, 1, 1)", FULL)] * 3, FULL_UNITS)

ROCPROF = (
    '"Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n'
    '1,"k",SQ_WAVES,5,10,20\n'
)

relaxed = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=150,
)


def read(path: Path, content: bytes) -> int:
    """How many launches a file gives, 0 where it is refused."""
    path.write_bytes(content)
    try:
        return len(read_report(path).measurements)
    except ReportError:
        return 0


@relaxed
@given(st.binary(max_size=2000))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    read(tmp_path / "any", content)


@relaxed
@given(st.data(), st.sampled_from([PAGE, ROCPROF]))
def test_reports_with_a_part_replaced(tmp_path: Path, data: st.DataObject, page: str) -> None:
    start = data.draw(st.integers(0, len(page)))
    stop = data.draw(st.integers(start, min(len(page), start + 300)))
    middle = data.draw(st.text(alphabet='",;\n\r\t0123456789.-=eE ab\x00\u202f', max_size=40))
    content = page[:start] + middle + page[stop:]
    assert read(tmp_path / "edited", content.encode()) <= 40


@relaxed
@given(st.integers(0, len(PAGE)))
def test_every_cut_keeps_the_whole_launches(tmp_path: Path, length: int) -> None:
    found = read(tmp_path / "cut", PAGE[:length].encode())
    whole = PAGE[:length].count("\n") - 2
    # The last line may be whole but for its end.
    assert max(0, whole) <= found <= max(0, whole) + 1


@given(st.lists(st.text(max_size=30), max_size=12))
def test_any_lines_make_a_table_or_none(lines: list[str]) -> None:
    numbered = [(number, f"{line}\n") for number, line in enumerate(lines, 1)]
    table = tables.find_table(numbered, (frozenset({"a"}),))
    if table is not None:
        list(table.records)


def test_a_line_without_end_is_refused_in_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_reader, "MAX_LINE_CHARACTERS", 100_000)
    path = tmp_path / "endless.csv"
    path.write_bytes(b'"ID","Kernel Name","x"\n' + b"a," * 5_000_000)
    tracemalloc.start()
    with pytest.raises(ReportError, match="a line of more than 100000 characters"):
        read_report(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


def test_a_file_beyond_the_limit_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_reader, "MAX_FILE_BYTES", 1000)
    path = tmp_path / "huge.csv"
    path.write_text(PAGE * 10)
    with pytest.raises(ReportError, match="more than the limit of 0 MB; export fewer"):
        read_report(path)


def test_names_cannot_command_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text(raw_page([("k\x1b[31m\u202e(int)", "(1, 1, 1)", "(1, 1, 1)", FULL)]))
    assert read_report(path).measurements[0].kernel == "k\ufffd[31m\ufffd(int)"
    path.write_text(raw_page([("k" * 100_000, "(1, 1, 1)", "(1, 1, 1)", FULL)]))
    assert len(read_report(path).measurements[0].kernel) == MAX_NAME


def test_a_data_set_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "MAX_BYTES", 50)
    path = tmp_path / "set.csv"
    path.write_text("program,kernel,sp_flops,dram_bytes\n" + "p,k,1,1\n" * 100)
    with pytest.raises(ReportError, match="split it by program"):
        read_report(path)


def test_more_launches_than_the_limit_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ncu_csv, "MAX_LAUNCHES", 2)
    path = tmp_path / "many.csv"
    path.write_text(PAGE)
    found = read_report(path)
    assert len(found.measurements) == 2
    assert found.problems == (f"{path}: only the first 2 launches are taken",)


def test_an_open_quote_swallows_no_more_than_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_LINE_CHARACTERS", 50)
    lines = PAGE.splitlines(keepends=True)
    path = tmp_path / "quote.csv"
    path.write_text("".join([*lines[:3], '"open\n', "filler\n" * 10, *lines[3:]]))
    assert len(read_report(path).measurements) == 3
