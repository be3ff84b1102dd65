"""A cache of replies on disk, shared by all processes of a user; values are never pickled.

A damaged store is moved aside and replaced. A store that is locked or not writable is left alone,
and work continues without it. Either case gives one warning; no error reaches the caller.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roofline_core.program.errors import RooflineError
from roofline_core.settings import AdvisorSettings

if TYPE_CHECKING:
    import diskcache

logger = logging.getLogger(__name__)

T = TypeVar("T")

_LOCK_WAIT_S = 1.0
_DATABASE = "cache.db"
_DAY_S = 86_400.0
_LOCKED = ("locked", "busy")
_DAMAGE = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""Primary codes of a file that is no database, or none of ours: a table is missing."""


@dataclass(frozen=True, slots=True)
class Info:
    """The content of the cache."""

    folder: Path
    entries: int
    size_bytes: int
    most_bytes: int
    keep_days: float
    set_aside: tuple[Path, ...]
    """The number of damaged stores beside it."""


def cache_folder(settings: AdvisorSettings) -> Path:
    """The folder of the cache, which need not exist."""
    if settings.cache_dir is not None:
        return settings.cache_dir
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "roofline-lsp" / "replies"


class ReplyCache:
    """A store of JSON values under hashes. Its methods block for at most a second or so."""

    def __init__(
        self, settings: AdvisorSettings, warn: Callable[[str], None] = logger.warning
    ) -> None:
        """Opens nothing yet. ``warn`` is told, once, why the store is not used."""
        self.folder = cache_folder(settings)
        self._settings = settings
        self._warn = warn
        self._store: diskcache.Cache | None = None
        self._given_up = settings.cache_days == 0 or settings.cache_mb == 0

    def get(self, key: str) -> Any:
        """The value; None if there is none or it cannot be read."""
        import diskcache  # noqa: PLC0415

        def look(store: diskcache.Cache) -> Any:
            """The value; an entry that cannot be read is deleted and gives None."""
            try:
                return store.get(key)
            except (sqlite3.Error, diskcache.Timeout):
                raise
            except Exception:  # Whatever a damaged or planted entry makes of its reader.
                logger.warning("a kept reply cannot be read and is dropped")
                store.delete(key)
                return None

        return self._do(look)

    def put(self, key: str, value: Any, *, days: float | None = None) -> None:
        """Store a value for ``days`` days; replaces an earlier value of the key."""
        keep = (self._settings.cache_days if days is None else days) * _DAY_S
        self._do(lambda store: store.set(key, value, expire=keep))

    def drop(self, key: str) -> None:
        """Forget a value."""
        self._do(lambda store: store.delete(key))

    def info(self) -> Info:
        """The contents of the store, which is opened only if it exists."""
        there = (self.folder / _DATABASE).is_file()
        found = self._do(_measured) if there else None
        entries, size = found or (0, 0)
        return Info(
            self.folder,
            entries,
            size,
            int(self._settings.cache_mb * 1e6),
            self._settings.cache_days,
            tuple(_set_aside(self.folder)),
        )

    def clear(self) -> int:
        """Delete all replies and all damaged stores; returns the number of replies deleted."""
        there = (self.folder / _DATABASE).is_file()
        self._given_up = self._given_up and not there
        count = int(self._do(lambda store: store.clear()) or 0) if there else 0
        if there and self._given_up:
            raise RooflineError(
                f"{self.folder}: the cache cannot be cleared: another process holds it, or it is"
                " not yours; try again later"
            )
        for damaged in _set_aside(self.folder):
            shutil.rmtree(damaged, ignore_errors=True)
        return count

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _do(self, work: Callable[[diskcache.Cache], T]) -> T | None:
        """Run an operation on the store; None if the store cannot be opened."""
        import diskcache  # noqa: PLC0415 - for those who ask alone

        for attempt in range(2):
            if self._given_up:
                return None
            try:
                if self._store is None:
                    self._store = _opened(self.folder, self._settings)
                return work(self._store)
            except diskcache.Timeout:
                self._leave("is locked by another process")
            except sqlite3.DatabaseError as error:
                if any(word in str(error) for word in _LOCKED):
                    self._leave("is locked by another process")
                elif _is_damage(error) and not attempt:
                    self._replace()
                else:
                    self._leave(f"cannot be used: {error}")
            except OSError as error:
                self._leave(f"cannot be used: {error.strerror}")
        return None

    def _leave(self, why: str) -> None:
        self._given_up = True
        self._store = None
        self._warn(f"{self.folder}: the cache of replies {why}; continuing without it")

    def _replace(self) -> None:
        """Move a damaged store aside, so that it can be inspected."""
        self.close()
        aside = self.folder.with_name(f"{self.folder.name}.damaged-{time.time_ns()}")
        try:
            self.folder.rename(aside)
        except OSError as error:
            self._leave(f"is damaged and cannot be moved aside: {error.strerror}")
            return
        self._warn(
            f"{self.folder}: the cache of replies is damaged; it was moved to '{aside.name}' and"
            " a new one is created"
        )


class UnpicklableError(Exception):
    """An entry that is pickled, which none of ours is."""


def _opened(folder: Path, settings: AdvisorSettings) -> diskcache.Cache:
    import diskcache  # noqa: PLC0415

    class JsonDisk(diskcache.JSONDisk):  # type: ignore[misc]
        """Values as compressed JSON. A pickle in the store was put there by someone else."""

        def get(self, key: Any, raw: bool) -> Any:
            """The key, as ``JSONDisk`` reads it. Raises UnpicklableError for a pickled one."""
            if not raw:
                raise UnpicklableError
            return super().get(key, raw)

        def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
            """The value, as ``JSONDisk`` reads it. Raises UnpicklableError for a pickled one."""
            if mode == diskcache.core.MODE_PICKLE:
                raise UnpicklableError
            return super().fetch(mode, filename, value, read)

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / _DATABASE).touch(mode=0o600)
    _probe(folder / _DATABASE)
    made: Any = diskcache.Cache  # its types take whole seconds alone
    store: diskcache.Cache = made(
        str(folder),
        timeout=_LOCK_WAIT_S,
        disk=JsonDisk,
        size_limit=int(settings.cache_mb * 1e6),
        eviction_policy="least-recently-used",
    )
    return store


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the store itself is at fault, and not a full disk, a limit or a lack of rights.

    Those pass, and what is kept was paid for.
    """
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF in _DAMAGE


def _measured(store: Any) -> tuple[int, int]:
    """Entries, and bytes on disk."""
    return len(store), int(store.volume())


def _probe(database: Path) -> None:
    """Raises sqlite3.Error for a store that is locked or damaged; diskcache tries for a minute."""
    if database.is_file():
        connection = sqlite3.connect(database, timeout=_LOCK_WAIT_S, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        finally:
            connection.close()


def _set_aside(folder: Path) -> list[Path]:
    return sorted(folder.parent.glob(f"{folder.name}.damaged-*"))
