"""Files are read without waiting, and no more of them than is allowed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roofline_core.program.regular_files import (
    NotRegularError,
    TooLargeError,
    is_special,
    read_regular_file,
)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.h"
    path.write_bytes(b"0123456789")
    assert read_regular_file(path, 10) == b"0123456789"
    with pytest.raises(TooLargeError) as found:
        read_regular_file(path, 9)
    assert found.value.size_bytes == 10


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.h"
    os.mkfifo(path)
    with pytest.raises(NotRegularError):
        read_regular_file(path, 10)
    # Put in a file's place after that was looked at.
    (tmp_path / "b.h").write_bytes(b"")
    status = os.stat(tmp_path / "b.h")  # noqa: PTH116
    monkeypatch.setattr("roofline_core.program.regular_files.os.stat", lambda _: status)
    with pytest.raises(NotRegularError):
        read_regular_file(path, 10)


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NotRegularError):
        read_regular_file(tmp_path, 10)
    with pytest.raises(FileNotFoundError):
        read_regular_file(tmp_path / "none", 10)


@pytest.mark.parametrize(
    ("path", "special"),
    [
        ("/proc/kmsg", True),
        ("/dev/null", True),
        ("/sys", True),
        ("/dev/shm/a.cu", False),
        ("/process/a.cu", False),
    ],
)
def test_the_files_of_the_system_are_special(path: str, special: bool) -> None:
    assert is_special(path) is special
