"""What is at a path, told once a run to the programs that may read the same files."""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.project.file_states import NOTHING, FileStates, ReadLog
from roofline_analysis.project.files import read_file
from roofline_analysis.project.readable import Readable


def _project(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / ".git").mkdir()
    source = folder / "a.cu"
    source.write_bytes(b"int a;\n")
    return source


def test_what_was_found_stays_for_the_run(tmp_path: Path) -> None:
    source = _project(tmp_path / "one")
    log = ReadLog(read_file)
    before = FileStates(log, Readable([source])).of(str(source))
    folder = FileStates(log, Readable([source])).of(str(source.parent))
    source.unlink()
    assert FileStates(log, Readable([source])).of(str(source)) == before != NOTHING
    assert FileStates(log, Readable([source])).of(str(source.parent)) == folder
    assert FileStates(ReadLog(read_file), Readable([source])).of(str(source)) == NOTHING
    assert FileStates(ReadLog(read_file), Readable([source])).of(str(source.parent)) != folder


def test_a_file_that_appears_is_seen(tmp_path: Path) -> None:
    source = _project(tmp_path / "one")
    log, later = ReadLog(read_file), source.with_name("b.h")
    assert FileStates(log, Readable([source])).of(str(later)) == NOTHING
    later.write_bytes(b"int b;\n")
    assert FileStates(log, Readable([source])).of(str(later)) != NOTHING


def test_programs_that_may_read_other_files_find_other_states(tmp_path: Path) -> None:
    one, two = _project(tmp_path / "one"), _project(tmp_path / "two")
    log = ReadLog(read_file)
    assert "refused" not in FileStates(log, Readable([one])).of(str(one))
    assert FileStates(log, Readable([two])).of(str(one)).startswith("refused")
    assert "refused" not in FileStates(log, Readable([one])).of(str(one))
