"""What Git keeps of a project, read alone: `--changed-since`, `--baseline-commit` and `@REV`.

Whoever wrote a project may have written its ``.git/config``, too, where hooks, filters, monitors
and transports are commands. So Git is asked for names and contents of objects alone (``rev-parse``,
``ls-tree``, ``cat-file``), which run none of them; working files are hashed here, nothing is
fetched, and nothing is written in a repository. What names a revision never begins with a dash.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record
from roofline_core.program.regular_files import read_regular_file

LONGEST_S: Final = 120.0
"""How long Git may take to name objects."""
MOST_FILE_BYTES: Final = 16_000_000
"""The largest file that is taken from a revision; a longer one is data."""
MOST_BYTES: Final = 4_000_000_000
"""The most that is written of one revision."""

_SETTINGS: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",  # goes before the repository's protocol.*.allow
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_REVISION: Final = re.compile(r"(?!-)(?!.*\.\.)[^\s\x00-\x1f\x7f:$]+")
"""Names, hashes, and what leads from one to another: no option, no path, no range."""
_REGULAR: Final = frozenset({b"100644", b"100755", b"100664"})


class GitError(RooflineError):
    """A revision, or a file of one, that cannot be read, named with the remedy."""


@record(frozen=True, slots=True)
class Blob:
    """A regular file of a revision."""

    path: str
    """From the repository's folder, with slashes."""
    object: str
    size_bytes: int | None
    """None where this copy of the repository lacks the file, as a partial clone does."""


@record(frozen=True, slots=True)
class Revision:
    """A commit of the repository around a folder."""

    folder: Path
    """The repository's own folder, absolute."""
    name: str
    """As it was asked for."""
    commit: str
    blobs: Mapping[str, Blob]
    """By path."""

    def hash_of(self, text: bytes) -> str:
        """The name that Git gives a file's content, as it stands in the working folder."""
        algorithm = hashlib.sha256 if len(self.commit) == 64 else hashlib.sha1
        return algorithm(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()

    def differs(self, path: str) -> bool:
        """Whether a file of the working folder is not what it was; True for new and gone ones."""
        blob = self.blobs.get(path)
        try:
            text = read_regular_file(self.folder / path, MOST_FILE_BYTES)
        except OSError:
            return True
        return blob is None or blob.object != self.hash_of(text)


def revision(start: Path, name: str) -> Revision:
    """The commit that a name stands for in the repository around a folder. Raises GitError."""
    if not _REVISION.fullmatch(name):
        raise GitError(
            f"'{name}' is no revision; give a branch, a tag or a commit's hash, also with ~1, ^ or"
            " @{1} behind it"
        )
    folder = Path(_text(_asked(start, "rev-parse", "--show-toplevel")))
    named = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    try:
        commit = _text(_asked(folder, *named))
    except GitError:
        raise GitError(
            f"there is no revision '{name}' in '{folder}'; where CI fetches the last commit alone,"
            " have it fetch the history, too (fetch-depth: 0)"
        ) from None
    if not re.fullmatch(r"[0-9a-f]{40,64}", commit):
        raise GitError(f"'{name}' does not name one commit")
    listed = _asked(folder, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    return Revision(folder, name, commit, {blob.path: blob for blob in _blobs(listed)})


class RevisionFiles:
    """The files of a revision, by their places in the working folder. A context: it ends Git."""

    def __init__(self, of: Revision, most_bytes: int) -> None:
        """Longer files than ``most_bytes`` are not read."""
        self.revision = of
        self._most_bytes = most_bytes
        self._reader: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> RevisionFiles:
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
        """Where the working folder has, or would have, the revision's files."""
        return tuple(self.revision.folder / place for place in self.revision.blobs)

    def read(self, path: Path) -> bytes | None:
        """A file as the revision has it; None if it has none, or it is a link or too long.

        Raises GitError where the object cannot be read.
        """
        place = self._place(path)
        blob = self.revision.blobs.get(place) if place is not None else None
        if blob is None or (blob.size_bytes or 0) > self._most_bytes:
            return None
        return self.content(blob)

    def content(self, blob: Blob) -> bytes:
        """One of the revision's files, however long. Raises GitError where it cannot be read."""
        try:
            return self._object(blob)
        except OSError:
            raise GitError(
                f"'{blob.path}' of revision '{self.revision.name}' is not in this copy of the"
                " repository; have Git fetch it"
            ) from None

    def _place(self, path: Path) -> str | None:
        """A path's place in the repository, with ``/``; None where it is outside."""
        folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - keep a link's own name
        whole = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        try:
            place = os.path.relpath(whole, os.path.realpath(self.revision.folder))
        except ValueError:  # another drive
            return None
        outside = place in (os.curdir, os.pardir) or place.startswith(os.pardir + os.sep)
        return None if outside else place.replace(os.sep, "/")

    def _object(self, blob: Blob) -> bytes:
        """One answer of ``cat-file --batch``. Raises OSError where it is not what was asked for."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{blob.object}\n".encode())
        process.stdin.flush()
        head = process.stdout.readline().split()
        if len(head) != 3 or head[:2] != [blob.object.encode(), b"blob"]:
            message = f"object {blob.object} is not there"
            raise OSError(message)
        size = int(head[2])
        content = process.stdout.read(size + 1)
        if len(content) != size + 1:
            message = "the answer ends early"
            raise OSError(message)
        return content[:-1]

    def _started(self) -> subprocess.Popen[bytes]:
        if self._reader is None:
            self._reader = subprocess.Popen(
                _command(self.revision.folder, "cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        return self._reader


def write_files(of: Revision, wanted: Callable[[Blob], bool], into: Path) -> None:
    """Write files of a revision below a folder, as regular files. Raises GitError, OSError."""
    blobs = [blob for blob in of.blobs.values() if wanted(blob) and _is_plain(blob.path)]
    if sum(blob.size_bytes or 0 for blob in blobs) > MOST_BYTES:
        raise GitError(
            f"revision '{of.name}' has more than {MOST_BYTES / 1e9:.0f} GB of files; compare"
            " with a file instead: --write-baseline there, --baseline here"
        )
    with RevisionFiles(of, MOST_FILE_BYTES) as files:
        for blob in blobs:
            path = into / blob.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files.content(blob))


def _blobs(listed: bytes) -> Iterator[Blob]:
    """The regular files of ``ls-tree -r -l -z`` whose paths lead nowhere else."""
    for entry in listed.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        words = head.split()
        if len(words) != 4 or words[0] not in _REGULAR:
            continue
        path = os.fsdecode(name)
        if path.startswith("/") or ".." in PurePosixPath(path).parts:
            continue
        size = int(words[3]) if words[3].isdigit() else None
        yield Blob(path, words[2].decode("ascii"), size)


def _is_plain(path: str) -> bool:
    """Whether no system takes a path for one with a drive, a stream, or other folders."""
    return "\\" not in path and ":" not in path


def _asked(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            _command(folder, *arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_S,
            env=_environment(),
            check=True,
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(f"git: {said[0] if said else 'failed'} (in '{folder}')") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git cannot be run: {error}") from None
    return done.stdout


def _command(folder: Path, *arguments: str) -> list[str]:
    settings = (word for setting in _SETTINGS for word in ("-c", setting))
    place = os.path.realpath(folder)
    fixed = ("--no-pager", "--literal-pathspecs", *settings, "-C", place)
    return [_git(), *fixed, *arguments]


def _git() -> str:
    """Git by its path, never one of the current folder, which is the project's. Raises GitError."""
    here = os.path.realpath(os.curdir)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if Path(folder).is_absolute() and os.path.realpath(folder) != here:
            found = shutil.which("git", path=folder)
            if found is not None:
                return found
    raise GitError("revisions are read with Git, which is not on the PATH; install it")


def _environment() -> dict[str, str]:
    """The person's, without what other programs left there for Git."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith("GIT_CONFIG")
    }
    return {**kept, **_ENVIRONMENT}


def _text(output: bytes) -> str:
    return os.fsdecode(output.rstrip(b"\r\n"))
