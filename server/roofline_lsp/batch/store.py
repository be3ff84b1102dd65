"""What is kept of earlier runs: one SQLite file, private to a person, shared by their processes.

It is a convenience that may fail at any time: a store that is locked, full, damaged, not writable
or open to other people gives at most one warning, and the run does its work without. Rows carry a
checksum; what does not agree with it is dropped. Nothing in it is ever executed or unpickled.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from roofline_core.program.errors import RooflineError

_DATABASE: Final = "reports.db"
_VERSION: Final = 1
"""Grows with every change of the tables; a store of another version is made anew."""
_LOCK_WAIT_S: Final = 2.0
_MOST_BYTES: Final = 1 << 30
"""The most bytes that are kept; beyond, what was kept first goes."""
_MOST_STATES: Final = 4
"""The most states of one program's files that are kept, such as those of several branches."""
_TABLE: Final = """
CREATE TABLE kept (
    turn INTEGER PRIMARY KEY, key BLOB NOT NULL, state BLOB NOT NULL, value BLOB NOT NULL,
    checksum BLOB NOT NULL, UNIQUE (key, state)
)
"""
"""``turn`` grows from row to row: no clock, which may be set back, tells which is older."""

Found = TypeVar("Found")
Row = tuple[bytes, bytes]
"""A state and its value."""


def default_folder() -> Path:
    """Where reports are kept unless a folder is named; it need not exist."""
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "roofline-lsp" / "reports"


class UnsafeFolderError(RooflineError):
    """A folder or file in which other people could change what is kept."""


class Store:
    """Values under a key and a state, the newest first. Not thread-safe."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        """Opens nothing yet. ``warn`` is told, once, why the store is not used."""
        self.folder = folder
        self._warn = warn
        self._warned = False
        self._database: sqlite3.Connection | None = None
        self._readable = self._writable = True

    def rows(self, key: bytes) -> list[Row]:
        """All that is kept under a key."""
        return self._tried(lambda database: self._rows(database, key), writing=False) or []

    def put(self, key: bytes, state: bytes, value: bytes) -> None:
        """Keep a value."""
        packed = zlib.compress(value, 1)
        row = (key, state, packed, _checksum(key, state, packed))
        self._tried(lambda database: self._put(database, row), writing=True)

    def clear(self) -> None:
        """Forget everything."""
        self.close()
        for name in _files(self.folder):
            with contextlib.suppress(FileNotFoundError):
                name.unlink()

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    # ---- Details

    def _rows(self, database: sqlite3.Connection, key: bytes) -> list[Row]:
        query = "SELECT state, value, checksum FROM kept WHERE key = ? ORDER BY turn DESC"
        found = []
        for state, value, checksum in database.execute(query, (key,)):
            if isinstance(value, bytes) and checksum == _checksum(key, state, value):
                with contextlib.suppress(zlib.error):
                    found.append((state, zlib.decompress(value)))
        return found

    def _put(self, database: sqlite3.Connection, row: tuple[bytes, bytes, bytes, bytes]) -> None:
        key, state, value, checksum = row
        with _transaction(database):
            database.execute(
                "REPLACE INTO kept (turn, key, state, value, checksum) VALUES"
                " ((SELECT coalesce(max(turn), 0) + 1 FROM kept), ?, ?, ?, ?)",
                (key, state, value, checksum),
            )
            database.execute(
                "DELETE FROM kept WHERE key = ? AND state NOT IN"
                " (SELECT state FROM kept WHERE key = ? ORDER BY turn DESC LIMIT ?)",
                (key, key, _MOST_STATES),
            )
            _make_room(database)

    def _tried(self, work: Callable[[sqlite3.Connection], Found], *, writing: bool) -> Found | None:
        """Do something with the store; None where that is not possible."""
        for attempt in range(2):
            if not (self._writable if writing else self._readable):
                break
            try:
                if self._database is None:
                    self._database = _opened(self.folder, writing=self._writable)
                return work(self._database)
            except UnsafeFolderError as error:
                self._readable = self._writable = False
                self._tell(str(error))
            except sqlite3.DatabaseError as error:
                self.close()
                self._on_error(error, attempt, writing=writing)
            except OSError as error:
                self._on_refusal(error)
        return None

    def _on_refusal(self, error: OSError) -> None:
        """After the file could not be opened: it may be read, and else is not used."""
        if self._writable:
            self._writable = False
            self._tell(f"cannot be written: {error.strerror}; reports of this run are not kept")
        else:
            self._readable = False

    def _on_error(self, error: sqlite3.DatabaseError, attempt: int, *, writing: bool) -> None:
        text = str(error)
        if "locked" in text or "busy" in text:
            if not writing:  # a row that cannot be written now is left out, the next one is tried
                self._readable = self._writable = False
                self._tell("is held by another process; continuing without it")
        elif not isinstance(error, sqlite3.OperationalError) and attempt == 0 and self._writable:
            # Not a database, or a malformed one: nothing in it is worth more than the time to
            # make it anew.
            with contextlib.suppress(OSError):
                self.clear()
        elif writing:
            self._writable = False
            self._tell(f"cannot be written ({text}); further reports of this run are not kept")
        else:
            self._readable = self._writable = False
            self._tell(f"cannot be read ({text}); continuing without it")

    def _tell(self, why: str) -> None:
        if not self._warned:
            self._warned = True
            self._warn(f"{self.folder}: the cache of reports {why}")


def _checksum(*parts: bytes) -> bytes:
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.digest()


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _make_room(database: sqlite3.Connection) -> None:
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    (free,) = database.execute("PRAGMA freelist_count").fetchone()
    (size,) = database.execute("PRAGMA page_size").fetchone()
    if (pages - free) * size > _MOST_BYTES:
        database.execute(
            "DELETE FROM kept WHERE turn <="
            " (SELECT turn FROM kept ORDER BY turn LIMIT 1 OFFSET (SELECT count(*) / 4 FROM kept))"
        )


def _files(folder: Path) -> Iterable[Path]:
    return (folder / f"{_DATABASE}{end}" for end in ("", "-journal"))


def _opened(folder: Path, *, writing: bool) -> sqlite3.Connection:
    """The store of a folder. Raises OSError, sqlite3.DatabaseError and UnsafeFolderError."""
    path = folder / _DATABASE
    if writing:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(path, flags, 0o600))
    for each in (folder, path):
        _check_private(each)
    mode = "rw" if writing else "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    database = sqlite3.connect(uri, timeout=_LOCK_WAIT_S, isolation_level=None, uri=True)
    try:
        # A process may end at any moment, which the journal takes care of; that the whole machine
        # ends is left to the checksums.
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA trusted_schema = OFF")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            if not writing:
                message = "it is of another version"
                raise sqlite3.OperationalError(message)
            _create(database)
    except BaseException:
        database.close()
        raise
    return database


def _create(database: sqlite3.Connection) -> None:
    with _transaction(database):
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:  # else another process was faster
            database.execute("DROP TABLE IF EXISTS kept")
            database.execute(_TABLE)
            database.execute(f"PRAGMA user_version = {_VERSION}")


def _check_private(path: Path) -> None:
    """Raises UnsafeFolderError where somebody else could write, OSError where there is nothing."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise UnsafeFolderError(f"is not used, as {path} is a link")
    if os.name == "nt":
        return
    if status.st_uid != os.geteuid():
        raise UnsafeFolderError(f"is not used, as {path} is another user's; see --cache-dir")
    if status.st_mode & 0o022:
        raise UnsafeFolderError(
            f"is not used, as others may write to {path}; take that right away (chmod go-w)"
        )
