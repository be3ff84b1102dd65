"""Internal errors, kept where a person finds them: what a report of a fault needs, and no source.

One line of JSON for each: when, which version, which exception, and the functions of ours that it
came through. Neither its message nor a name or a path of the project is kept, as these are the
person's.
"""

from __future__ import annotations

import contextlib
import json
import os
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from roofline_core.program.records import record
from roofline_lsp.formats.tool import tool_version

REMEDY: Final = "please report it, with what `roofline-lsp doctor` says"
MOST_BYTES: Final = 200_000
"""The largest file; of a larger one the older half is dropped."""
_MOST_FRAMES: Final = 15
_PACKAGES: Final = Path(__file__).parents[3]


@record(frozen=True, slots=True)
class KeptError:
    """One internal error."""

    time: str
    """In ISO 8601, UTC."""
    version: str
    error: str
    """The exception's class."""
    frames: tuple[str, ...]
    """``module.py:12 in function``, outermost first."""


def error_file() -> Path:
    """Where errors are kept: below ``XDG_STATE_HOME`` or ``~/.local/state``."""
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME")
    folder = Path(base) if base else Path.home() / ".local" / "state"
    return folder / "roofline-lsp" / "errors.jsonl"


def keep_error(error: BaseException) -> None:
    """Add an exception to the file, which only the person may read. Never raises."""
    with contextlib.suppress(Exception):
        path = error_file()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _shorten(path)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, _line(error))
        finally:
            os.close(descriptor)


def kept_errors() -> tuple[KeptError, ...]:
    """The errors of the file, oldest first; none where there is no file."""
    try:
        lines = error_file().read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    return tuple(found for line in lines if (found := _of_line(line)) is not None)


def forget_errors() -> bool:
    """Delete the file; whether there was one. Raises OSError if it cannot be deleted."""
    try:
        error_file().unlink()
    except FileNotFoundError:
        return False
    return True


def _line(error: BaseException) -> bytes:
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]
    content = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": tool_version(),
        "error": type(error).__name__,
        "frames": [f"{_module(each.filename)}:{each.lineno} in {each.name}" for each in frames],
    }
    return json.dumps(content).encode() + b"\n"


def _module(name: str) -> str:
    """A module of ours by its path in the packages, another by its name alone."""
    path = Path(name)
    return str(path.relative_to(_PACKAGES)) if path.is_relative_to(_PACKAGES) else path.name


def _of_line(line: str) -> KeptError | None:
    try:
        content: dict[str, Any] = json.loads(line)
        words = [str(content[key]) for key in ("time", "version", "error")]
        return KeptError(words[0], words[1], words[2], tuple(map(str, content["frames"])))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _shorten(path: Path) -> None:
    """Drop the older half of a file that has become large."""
    if not path.is_file() or path.stat().st_size <= MOST_BYTES:
        return
    lines = path.read_bytes().splitlines(keepends=True)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.touch(mode=0o600)
    new.write_bytes(b"".join(lines[len(lines) // 2 :]))
    new.replace(path)
