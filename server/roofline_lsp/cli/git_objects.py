"""Files of a Git revision, read from the repository's objects. Nothing is ever written.

The repository may be a stranger's, and so may its ``.git/config``. So Git is given the names of
objects alone, which it was asked for first, reads them without filters, and is forbidden what its
settings could have it run: hooks, monitors of files, and fetching what a partial clone lacks.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record

LONGEST_S: Final = 30.0
"""How long Git may take to name objects."""
_REVISION: Final = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_@./~^{}+-]{0,199}")
"""Names, hashes, and what leads from one to another: no option, no path, no search by words."""
_REGULAR: Final = frozenset((b"100644", b"100755", b"100664"))
_FORBIDDEN: Final = (
    "--no-pager",
    "--no-replace-objects",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.sshCommand=false"),
    *("-c", "credential.helper="),
    *("-c", "safe.bareRepository=explicit"),
)
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",  # goes before the repository's protocol.*.allow
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_ANOTHER_REPOSITORY: Final = frozenset(("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"))
"""Variables that Git sets for its hooks, by which it would take another repository."""


class RevisionError(RooflineError):
    """A revision, or a file of one, that is not there or cannot be read."""


@record(frozen=True, slots=True)
class _Blob:
    name: bytes
    size: int | None
    """In bytes; None where the repository lacks the object, as a partial clone does."""


class RevisionObjects:
    """The files of one commit, by their places in the working tree. A context: it ends Git."""

    def __init__(self, folder: Path, name: str, most_bytes: int) -> None:
        """``folder`` is one of the repository. Longer files than ``most_bytes`` are not read.

        Raises RevisionError where there is no Git, no repository, or no such commit.
        """
        if not _REVISION.fullmatch(name) or ".." in name:
            raise RevisionError(
                f"'{name}' is not taken for a revision; it is a branch, a tag, or a commit's hash,"
                " also with ~1, ^ or @{1} behind it"
            )
        self.name = name
        self._git = (_git(), *_FORBIDDEN, "-C", os.path.realpath(folder))
        self._root = _text(self._asked(f"{folder}: is in no Git repository", *_TOP_LEVEL))
        found = self._asked(
            f"the repository of {folder} has no revision '{name}'",
            *("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"),
        )
        commit = _text(found)
        if not re.fullmatch(r"[0-9a-f]{40,64}", commit):
            raise RevisionError(f"'{name}' does not name one commit")
        listed = ("ls-tree", "-r", "-z", "-l", "--full-tree", commit)
        self._blobs = _blobs(self._asked(f"the files of '{name}' cannot be listed", *listed))
        self._most_bytes = most_bytes
        self._reader: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> RevisionObjects:
        return self

    def __exit__(self, *_: object) -> None:
        if self._reader is not None:
            self._reader.kill()
            self._reader.communicate()
            self._reader = None

    def owns(self, path: Path) -> bool:
        """Whether a path lies in the repository, so that the revision tells what it is."""
        return self._place(path) is not None

    def paths(self) -> tuple[Path, ...]:
        """Where the working tree has, or would have, the revision's files."""
        return tuple(Path(self._root, os.fsdecode(place)) for place in self._blobs)

    def read(self, path: Path) -> bytes | None:
        """A file as the revision has it; None if it has none, or it is a link or too long.

        Raises RevisionError where the object cannot be read.
        """
        place = self._place(path)
        blob = self._blobs.get(os.fsencode(place)) if place is not None else None
        if blob is None or (blob.size or 0) > self._most_bytes:
            return None
        if blob.size is None:
            raise RevisionError(
                f"{path}: the repository lacks this file of revision '{self.name}', as a partial"
                f" clone does; have Git fetch it: git -C {self._root} show {self.name}:{place}"
            )
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(blob.name + b"\n")
            process.stdin.flush()
            return _one_object(process.stdout, blob.name, blob.size)
        except OSError:
            raise RevisionError(f"{path}: revision '{self.name}' cannot be read by Git") from None

    def _place(self, path: Path) -> str | None:
        """A path's place in the repository, with ``/``; None where it is outside."""
        folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - keep a link's own name
        whole = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        try:
            place = os.path.relpath(whole, os.path.realpath(self._root))
        except ValueError:  # another drive
            return None
        outside = place in (os.curdir, os.pardir) or place.startswith(os.pardir + os.sep)
        return None if outside else place.replace(os.sep, "/")

    def _started(self) -> subprocess.Popen[bytes]:
        if self._reader is None:
            self._reader = subprocess.Popen(
                (*self._git, "cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        return self._reader

    def _asked(self, trouble: str, *words: str) -> bytes:
        try:
            done = subprocess.run(
                (*self._git, *words),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LONGEST_S,
                env=_environment(),
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise RevisionError(f"{trouble}: {type(error).__name__}") from None
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RevisionError(trouble + (f" ({reason[0]})" if reason else ""))
        return done.stdout


_TOP_LEVEL: Final = ("rev-parse", "--show-toplevel")


def _git() -> str:
    """Git by its path, never one of the current folder. Raises RevisionError."""
    here = os.path.realpath(os.curdir)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(folder).is_absolute() and os.path.realpath(folder) != here:
            found = shutil.which("git", path=folder)
            if found is not None:
                return found
    raise RevisionError("revisions are read with Git, which is not on the PATH")


def _environment() -> Mapping[str, str]:
    own = {name: value for name, value in os.environ.items() if name not in _ANOTHER_REPOSITORY}
    return {**own, **_ENVIRONMENT}


def _text(output: bytes) -> str:
    return os.fsdecode(output.rstrip(b"\r\n"))


def _blobs(listing: bytes) -> dict[bytes, _Blob]:
    """The regular files of ``ls-tree -z -l``: ``mode type name size<tab>place``, by place."""
    found = {}
    for entry in listing.split(b"\0"):
        head, _, place = entry.partition(b"\t")
        words: Sequence[bytes] = head.split()
        if len(words) == 4 and words[0] in _REGULAR:
            found[place] = _Blob(words[2], int(words[3]) if words[3].isdigit() else None)
    return found


def _one_object(stream: IO[bytes], name: bytes, size: int) -> bytes:
    """One answer of ``cat-file --batch``. Raises OSError where it is not what was asked for."""
    head = stream.readline().split()
    if len(head) != 3 or head[0] != name or head[2] != str(size).encode():
        raise OSError(f"object {name!r} is not there")
    content = stream.read(size + 1)
    if len(content) != size + 1:
        raise OSError("the answer ends early")
    return content[:-1]
