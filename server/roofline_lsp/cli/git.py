"""What git keeps of a project, read alone: for ``--changed-since`` and ``--baseline-commit``.

Whoever wrote a project may have written its ``.git/config``, too, where hooks, filters, monitors
and transports are commands. So git is asked for names and contents of objects alone (``rev-parse``,
``ls-tree``, ``cat-file``), which run none of them; working files are hashed here, and nothing is
fetched. What names a revision never begins with a dash.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from roofline_core.program.errors import RooflineError
from roofline_core.program.regular_files import read_regular_file

LONGEST_S: Final = 120.0
MOST_FILE_BYTES: Final = 16_000_000
"""The largest file that is taken from a revision; a longer one is data."""
MOST_BYTES: Final = 4_000_000_000
"""The most that is written of one revision."""

_SETTINGS: Final = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "protocol.allow=never",
    "core.pager=cat",
)
_REGULAR: Final = frozenset({"100644", "100755"})


class GitError(RooflineError):
    """A revision that cannot be read, named with the remedy."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A regular file of a revision."""

    path: str
    """From the repository's folder, with slashes."""
    object: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
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
        """The name that git gives a file's content, as it stands in the working folder."""
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
    if not name or name.startswith("-") or any(each.isspace() or ord(each) < 32 for each in name):
        raise GitError(f"'{name}' is no revision; give a branch, a tag or a commit")
    folder = Path(_asked(start, "rev-parse", "--show-toplevel").decode().rstrip("\n"))
    try:
        found = _asked(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    except GitError:
        raise GitError(
            f"there is no revision '{name}' in '{folder}'; where CI fetches the last commit alone,"
            " have it fetch the history, too (fetch-depth: 0)"
        ) from None
    commit = found.decode().strip()
    listed = _asked(folder, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    blobs = {blob.path: blob for blob in _blobs(listed)}
    return Revision(folder, name, commit, blobs)


def write_files(revision: Revision, wanted: Callable[[Blob], bool], into: Path) -> None:
    """Write files of a revision below a folder, as regular files. Raises GitError, OSError."""
    blobs = [blob for blob in revision.blobs.values() if wanted(blob)]
    if sum(blob.size_bytes for blob in blobs) > MOST_BYTES:
        raise GitError(
            f"revision '{revision.name}' has more than {MOST_BYTES / 1e9:.0f} GB of files; compare"
            " with a file instead: --write-baseline there, --baseline here"
        )
    for blob, text in _contents(revision.folder, blobs):
        path = into / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def _blobs(listed: bytes) -> Iterator[Blob]:
    """The regular files of ``ls-tree -r -l -z`` whose paths lead nowhere else."""
    for entry in listed.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        words = head.decode("ascii", "replace").split()
        path = os.fsdecode(name)
        parts = PurePosixPath(path).parts
        if len(words) != 4 or words[0] not in _REGULAR:
            continue
        if ".." in parts or path.startswith("/") or "\\" in path or ":" in path:
            continue
        # One that this copy of the repository lacks has no size; reading it tells.
        yield Blob(path, words[2], int(words[3]) if words[3].isdigit() else 0)


def _contents(folder: Path, blobs: Iterable[Blob]) -> Iterator[tuple[Blob, bytes]]:
    """Each with its bytes; git writes them one after the other, in the order asked for."""
    with subprocess.Popen(
        _command(folder, "cat-file", "--batch"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            for blob in blobs:
                running.stdin.write(f"{blob.object}\n".encode())
                running.stdin.flush()
                head = running.stdout.readline().split()
                if len(head) != 3 or head[1] != b"blob":
                    raise GitError(
                        f"'{blob.path}' is not in this copy of the repository; fetch it whole"
                    )
                text = running.stdout.read(int(head[2]))
                running.stdout.read(1)
                yield blob, text
        finally:
            running.kill()


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
    # Never one of the current folder, which is the project's.
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    program = shutil.which("git", path=os.pathsep.join(filter(os.path.isabs, places)))
    if program is None or not Path(program).is_absolute():
        raise GitError("git was not found; install it, or compare with a file: --baseline")
    settings = (word for setting in _SETTINGS for word in ("-c", setting))
    return [program, "--no-pager", "--literal-pathspecs", *settings, "-C", str(folder), *arguments]


def _environment() -> dict[str, str]:
    """The person's, without what other programs left there for git."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith("GIT_CONFIG")
    }
    return {
        **kept,
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
