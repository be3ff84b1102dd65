"""Replies on disk: shared, limited, never pickled, and set aside where they cannot be used."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
import stat
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import diskcache
import pytest

from roofline_advisor.cache import ReplyCache, cache_folder
from roofline_core.program.errors import RooflineError
from roofline_core.settings import AdvisorSettings

VALUE = {"value": {"answer": 1, "text": "Größe"}, "tokens": [1, 2, 3, 4]}


@pytest.fixture
def settings(tmp_path: Path) -> AdvisorSettings:
    return AdvisorSettings(cache_dir=tmp_path / "replies")


def test_a_value_comes_back_in_another_process(settings: AdvisorSettings) -> None:
    ReplyCache(settings).put("k", VALUE)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_get, (settings, "k")) == VALUE
    assert ReplyCache(settings).get("other") is None


def _get(settings: AdvisorSettings, key: str) -> Any:
    return ReplyCache(settings).get(key)


def test_two_at_once_see_each_other(settings: AdvisorSettings) -> None:
    one, other = ReplyCache(settings), ReplyCache(settings)
    one.put("a", 1)
    other.put("b", 2)
    assert (one.get("b"), other.get("a")) == (2, 1)
    one.drop("b")
    assert other.get("b") is None


def test_nothing_in_it_is_pickled_and_nobody_else_may_read_it(settings: AdvisorSettings) -> None:
    cache = ReplyCache(settings)
    cache.put("k", VALUE)
    cache.put("long", {"text": "x" * 100_000})
    cache.close()
    with sqlite3.connect(cache.folder / "cache.db") as database:
        modes = {row[0] for row in database.execute("SELECT mode FROM Cache")}
        raw = {row[0] for row in database.execute("SELECT raw FROM Cache")}
    assert diskcache.core.MODE_PICKLE not in modes
    assert raw == {1}
    if sys.platform != "win32":
        assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700


class Evil:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.mkdir, (Path("executed"),)  # type: ignore[return-value]


def test_a_pickle_in_the_store_is_not_loaded(
    settings: AdvisorSettings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    cache = ReplyCache(settings)
    cache.put("k", VALUE)
    cache.close()
    with sqlite3.connect(cache.folder / "cache.db") as database:
        database.execute(
            "UPDATE Cache SET mode = ?, value = ?",
            (diskcache.core.MODE_PICKLE, pickle.dumps(Evil())),
        )
    again = ReplyCache(settings)
    assert again.get("k") is None
    assert not (tmp_path / "executed").exists()
    again.put("k", VALUE)
    assert again.get("k") == VALUE


@pytest.mark.parametrize("junk", [b"junk", b"", b"\x78\x01junk"])
def test_an_entry_that_cannot_be_read_is_dropped(settings: AdvisorSettings, junk: bytes) -> None:
    cache = ReplyCache(settings)
    cache.put("k", VALUE)
    cache.close()
    with sqlite3.connect(cache.folder / "cache.db") as database:
        database.execute("UPDATE Cache SET value = ?", (junk,))
    again = ReplyCache(settings)
    assert again.get("k") is None
    assert again.info().entries == 0


@pytest.mark.parametrize(
    "change",
    [
        "value = zeroblob(9), mode = 77",
        "value = NULL",
        "value = 'text'",
        "value = 7, mode = 1",
        "value = NULL, mode = 2, filename = '../../nothing'",
        "value = NULL, mode = 3, filename = NULL",
        "raw = 7",
        "tag = x'ff'",
        "expire_time = 'never'",
    ],
)
def test_a_damaged_row_is_dropped_without_a_traceback(
    settings: AdvisorSettings, change: str
) -> None:
    cache = ReplyCache(settings)
    cache.put("k", VALUE)
    cache.close()
    with sqlite3.connect(cache.folder / "cache.db") as database:
        database.execute(f"UPDATE Cache SET {change}")
    again = ReplyCache(settings)
    assert again.get("k") in (None, VALUE)
    again.put("k", VALUE)
    assert again.get("k") == VALUE


def test_json_nested_deeply_is_dropped(settings: AdvisorSettings) -> None:
    cache = ReplyCache(settings)
    cache.put("k", VALUE)
    cache.close()
    deep = zlib.compress(b"[" * 200_000 + b"]" * 200_000)
    with sqlite3.connect(cache.folder / "cache.db") as database:
        database.execute("UPDATE Cache SET value = ?", (deep,))
    again = ReplyCache(settings)
    assert again.get("k") is None
    assert again.info().entries == 0


def test_only_its_owner_may_read_the_store(settings: AdvisorSettings) -> None:
    cache = ReplyCache(settings)
    cache.put("k", VALUE)
    files = [path for path in cache.folder.iterdir() if path.is_file()]
    assert [oct(stat.S_IMODE(path.stat().st_mode)) for path in files] == ["0o600"] * len(files)


def test_a_damaged_store_is_moved_aside(settings: AdvisorSettings) -> None:
    cache = ReplyCache(settings)
    cache.put("k", VALUE)
    cache.close()
    for file in cache.folder.glob("cache.db*"):
        file.write_bytes(b"this is no database" * 100)
    told: list[str] = []
    again = ReplyCache(settings, told.append)
    assert again.get("k") is None
    again.put("k", VALUE)
    assert again.get("k") == VALUE
    (message,) = told
    assert "is damaged; it was moved to 'replies.damaged-" in message
    (aside,) = again.info().set_aside
    assert (aside / "cache.db").read_bytes().startswith(b"this is no database")
    again.clear()
    assert not aside.exists()


def test_a_locked_store_is_left_alone(
    settings: AdvisorSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofline_advisor.cache._LOCK_WAIT_S", 0.1)
    first = ReplyCache(settings)
    first.put("k", VALUE)
    first.close()
    told: list[str] = []
    second = ReplyCache(settings, told.append)
    holder = sqlite3.connect(first.folder / "cache.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        second.put("other", VALUE)
        second.put("third", VALUE)
        (message,) = told
        assert "is locked by another process; continuing without it" in message
        with pytest.raises(RooflineError, match="cannot be cleared"):
            ReplyCache(settings, told.append).clear()
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert ReplyCache(settings).get("k") == VALUE  # nothing was lost
    assert ReplyCache(settings).info().set_aside == ()


def test_a_folder_that_cannot_be_made(settings: AdvisorSettings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told: list[str] = []
    cache = ReplyCache(replace(settings, cache_dir=tmp_path / "file" / "below"), told.append)
    cache.put("k", VALUE)
    assert cache.get("k") is None
    (message,) = told
    assert "continuing without it" in message


def test_replies_grow_old(settings: AdvisorSettings) -> None:
    cache = ReplyCache(settings)
    cache.put("k", VALUE, days=-1.0)
    assert cache.get("k") is None


def test_the_size_is_limited(settings: AdvisorSettings) -> None:
    cache = ReplyCache(replace(settings, cache_mb=0.5))
    for at in range(60):
        cache.put(str(at), [at, *(str(n * at * 7919) for n in range(8000))])
    info = cache.info()
    assert info.most_bytes == 500_000
    assert info.entries < 40
    assert cache.get("59") is not None
    assert cache.get("0") is None


def test_none_is_kept_if_wanted(settings: AdvisorSettings) -> None:
    cache = ReplyCache(replace(settings, cache_days=0.0))
    cache.put("k", VALUE)
    assert cache.get("k") is None
    assert not cache.folder.exists()


def test_info_and_clear_make_no_store(settings: AdvisorSettings) -> None:
    cache = ReplyCache(settings)
    assert cache.info().entries == 0
    assert cache.clear() == 0
    assert not cache.folder.exists()
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.info().entries == 2
    assert cache.clear() == 2
    assert cache.get("a") is None


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache_folder(AdvisorSettings()) == tmp_path / "roofline-lsp" / "replies"
