"""Files are read without waiting, and no more of them than is allowed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roofline_analysis.project.files import read_bounded, read_file
from roofline_lsp.cli.files import read_regular


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.h"
    path.write_bytes(b"0123456789")
    assert read_bounded(path, 10) == b"0123456789"
    assert read_bounded(path, 4) == b"01234"
    assert read_file(path) == read_regular(path) == b"0123456789"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.h"
    os.mkfifo(path)
    assert read_bounded(path, 10) is None
    monkeypatch.setattr(Path, "is_file", lambda _: True)  # as it was when it was looked at
    assert read_file(path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs descriptors that do not wait")
def test_what_gives_nothing_yet_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the kernel's log, which is a regular file to ``stat``."""
    reading, writing = os.pipe()
    monkeypatch.setattr("roofline_analysis.project.files.stat.S_ISREG", lambda _: True)
    os.write(writing, b"begun")
    try:
        assert read_bounded(Path(f"/dev/fd/{reading}"), 100) == b"begun"
    finally:
        os.close(reading)
        os.close(writing)


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    assert read_file(tmp_path) is None
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "none", 10)
