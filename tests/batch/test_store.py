"""The store of kept values: what is in it comes back or does not, and nothing else ever does."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from roofline_lsp.batch import store as module
from roofline_lsp.batch.store import Store

KEY, STATE = b"key", b"state"

WRITES = """\
import sys
from pathlib import Path
from roofline_lsp.batch.store import Store
store = Store(Path(sys.argv[1]), lambda text: print(text, flush=True))
name = sys.argv[2].encode()
print("begins", flush=True)
for number in range(int(sys.argv[3])):
    value = b"%s %d " % (name, number) * 3000
    store.put(b"%s %d" % (name, number), b"state", value)
store.close()
"""


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, told: list[str]) -> Store:
    return Store(tmp_path / "kept", told.append)


def again(store: Store, told: list[str]) -> Store:
    """Another process's view of the same folder."""
    store.close()
    return Store(store.folder, told.append)


def writer(folder: Path, name: str, rows: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITES, str(folder), name, str(rows)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def values_of(name: str, rows: int) -> dict[bytes, bytes]:
    return {
        f"{name} {number}".encode(): f"{name} {number} ".encode() * 3000 for number in range(rows)
    }


def test_what_is_put_comes_back(store: Store, told: list[str]) -> None:
    assert store.rows(KEY) == []
    store.put(KEY, STATE, b"value")
    store.put(KEY, STATE, b"newer")
    store.put(KEY, b"other", b"third")
    store.put(b"another key", STATE, b"fourth")
    assert again(store, told).rows(KEY) == [(b"other", b"third"), (STATE, b"newer")]
    assert told == []


def test_few_states_of_a_key_are_kept(store: Store) -> None:
    for number in range(10):
        store.put(KEY, b"%d" % number, b"value")
    assert [state for state, _ in store.rows(KEY)] == [b"9", b"8", b"7", b"6"]


def test_folder_and_file_are_private(store: Store) -> None:
    before = os.umask(0)
    try:
        store.put(KEY, STATE, b"value")
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    (file,) = store.folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_others_can_write_is_not_used(store: Store, told: list[str], what: str) -> None:
    store.put(KEY, STATE, b"value")
    place = store.folder if what == "folder" else store.folder / "reports.db"
    place.chmod(place.stat().st_mode | 0o020)
    fresh = again(store, told)
    assert fresh.rows(KEY) == []
    fresh.put(KEY, STATE, b"new")
    assert len(told) == 1
    assert f"others may write to {place}" in told[0]
    assert "chmod go-w" in told[0]
    place.chmod(place.stat().st_mode & ~0o020)
    assert again(fresh, told).rows(KEY) == [(STATE, b"value")]


def test_a_link_is_not_followed(store: Store, tmp_path: Path, told: list[str]) -> None:
    store.put(KEY, STATE, b"value")
    store.close()
    moved = store.folder.rename(tmp_path / "elsewhere")
    store.folder.symlink_to(moved)
    assert again(store, told).rows(KEY) == []
    assert "is a link" in told[0]


def test_a_row_that_was_changed_is_left_out(store: Store, told: list[str]) -> None:
    store.put(KEY, STATE, b"value")
    store.put(KEY, b"other", b"second")
    store.close()
    with sqlite3.connect(store.folder / "reports.db") as database:
        database.execute("UPDATE kept SET state = ? WHERE state = ?", (b"moved", STATE))
    assert again(store, told).rows(KEY) == [(b"other", b"second")]
    with sqlite3.connect(store.folder / "reports.db") as database:
        database.execute("UPDATE kept SET value = ?", (b"planted",))
    assert again(store, told).rows(KEY) == []
    assert told == []


@pytest.mark.parametrize(
    "content", [b"this is no database at all, but a text of some length" * 40, b"SQLite format 3\0"]
)
def test_a_file_that_is_no_store_is_made_anew(
    store: Store, told: list[str], content: bytes
) -> None:
    store.folder.mkdir(mode=0o700)
    (store.folder / "reports.db").write_bytes(content)
    (store.folder / "reports.db").chmod(0o600)
    assert store.rows(KEY) == []
    store.put(KEY, STATE, b"value")
    assert again(store, told).rows(KEY) == [(STATE, b"value")]
    assert told == []


def test_any_damage_to_the_file_gives_what_was_put_or_nothing(
    store: Store, told: list[str]
) -> None:
    for number in range(40):
        store.put(b"%d" % number, STATE, b"%d" % number * 500)
    store.close()
    file = store.folder / "reports.db"
    whole = file.read_bytes()
    for start in range(0, len(whole), len(whole) // 30):
        file.write_bytes(whole[:start] + b"\xa5" * 64 + whole[start + 64 :])
        fresh = again(store, told)
        for number in range(40):
            assert fresh.rows(b"%d" % number) in ([], [(STATE, b"%d" % number * 500)])
        fresh.put(KEY, STATE, b"value")
        fresh.close()


def test_another_version_is_made_anew(store: Store, told: list[str]) -> None:
    store.put(KEY, STATE, b"value")
    store.close()
    with sqlite3.connect(store.folder / "reports.db") as database:
        database.execute("PRAGMA user_version = 77")
    fresh = again(store, told)
    assert fresh.rows(KEY) == []
    fresh.put(KEY, STATE, b"new")
    assert fresh.rows(KEY) == [(STATE, b"new")]


def test_what_was_kept_first_makes_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 400_000)
    for number in range(200):
        store.put(b"%d" % number, STATE, os.urandom(10_000))
    kept = [number for number in range(200) if store.rows(b"%d" % number)]
    assert kept == list(range(kept[0], 200))
    assert 20 < len(kept) < 60
    assert (store.folder / "reports.db").stat().st_size < 1_000_000


def test_a_store_that_cannot_be_written_is_read(
    store: Store, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(KEY, STATE, b"value")
    real = os.open

    def refusing(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    fresh = again(store, told)
    assert fresh.rows(KEY) == [(STATE, b"value")]
    fresh.put(KEY, STATE, b"new")
    assert fresh.rows(KEY) == [(STATE, b"value")]
    assert len(told) == 1
    assert "cannot be written: Permission denied" in told[0]


def test_a_folder_that_cannot_be_made_is_told_once(told: list[str]) -> None:
    store = Store(Path("/proc/nobody/kept"), told.append)
    for _ in range(3):
        assert store.rows(KEY) == []
        store.put(KEY, STATE, b"value")
    assert len(told) == 1
    assert told[0].startswith("/proc/nobody/kept: the cache of reports cannot be written: ")


def test_a_store_held_by_another_process_holds_nobody_up(
    store: Store, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOCK_WAIT_S", 0.01)
    store.put(KEY, STATE, b"value")
    store.close()
    other = sqlite3.connect(store.folder / "reports.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert store.rows(KEY) == [(STATE, b"value")]
    store.put(KEY, STATE, b"left out")
    other.execute("ROLLBACK")
    store.put(b"next", STATE, b"kept")
    other.execute("BEGIN EXCLUSIVE")
    fresh = again(store, told)
    assert fresh.rows(KEY) == []
    assert "is held by another process" in told[0]
    other.close()
    assert Store(store.folder, told.append).rows(KEY) == [(STATE, b"value")]
    assert Store(store.folder, told.append).rows(b"next") == [(STATE, b"kept")]


def test_several_processes_share_a_store(store: Store, told: list[str]) -> None:
    names = ("one", "two", "three")
    started = [writer(store.folder, name, 60) for name in names]
    assert [each.communicate(timeout=120)[0] for each in started] == ["begins\n"] * 3
    for name in names:
        for key, value in values_of(name, 60).items():
            assert store.rows(key) == [(STATE, value)]
    assert told == []


@pytest.mark.parametrize("after_rows", [0, 3, 20, 60])
def test_a_process_that_is_killed_leaves_a_store(
    store: Store, told: list[str], after_rows: int
) -> None:
    process = writer(store.folder, "killed", 100_000)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    wanted = f"killed {after_rows}".encode()
    while not Store(store.folder, told.append).rows(wanted):
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    for key, value in values_of("killed", after_rows + 1).items():
        assert store.rows(key) == [(STATE, value)]
    for key, value in values_of("killed", after_rows + 40).items():
        assert store.rows(key) in ([], [(STATE, value)])
    store.put(KEY, STATE, b"value")
    assert store.rows(KEY) == [(STATE, b"value")]
    assert told == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_full_disk_ends_writing_alone(tmp_path: Path, told: list[str]) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
    writes = WRITES.replace("* 3000", "+ __import__('os').urandom(9000)")
    command = [sys.executable, "-c", limit + writes, str(tmp_path / "kept"), "full", "100"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    begins, warning = ran.stdout.splitlines()
    assert begins == "begins"
    assert "the cache of reports cannot be written (" in warning
    store = Store(tmp_path / "kept", told.append)
    kept = [number for number in range(100) if store.rows(b"full %d" % number)]
    assert kept == list(range(len(kept)))
    assert 5 < len(kept) < 25
    assert told == []
