"""Ignore files: ``.gitignore`` as git reads it, and ``.rooflineignore`` of the same form.

Those of a walked folder, of the folders below it, and of the folders above it up to the root of its
repository count. The pattern that is nearest to a file and last in its list decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roofline_analysis.project.paths import absolute, repository_root
from roofline_core.program.asked import asked
from roofline_core.program.regular_files import read_regular_file

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NAMES: Final = (".gitignore", ".rooflineignore")
MOST_BYTES: Final = 1_000_000
_MOST_LINES: Final = 2_000
_MOST_STARS: Final = 2
"""The most stars in one name of a pattern. A limit on the work: each may be tried at
every character."""
_MOST_FOLDERS: Final = 3
"""The most ``**`` of a pattern, for the same reason."""


class IgnoreFiles:
    """The ignore files that hold below a folder; each is read when a file asks for it."""

    def __init__(self, top: Path) -> None:
        """``top``: the uppermost folder whose ignore files count."""
        self._top = absolute(top)
        self._specs: dict[tuple[Path, bool], GitIgnoreSpec | None] = {}

    @classmethod
    def below(cls, folder: Path) -> IgnoreFiles:
        """Those for a folder that is walked: it is walked even where a folder above ignores it."""
        found = cls(repository_root(folder) or folder)
        return cls(folder) if found._ignores_folder(folder) else found

    def ignores(self, path: Path, *, is_folder: bool) -> bool:
        """Whether a file or folder is ignored, given that the folders above it are not."""
        whole = absolute(path)
        for folder in self._folders(whole):
            spec = self._spec(folder, of_folders=is_folder)
            if spec is not None:
                decided = spec.check_file(whole.relative_to(folder).as_posix()).include
                if decided is not None:
                    return decided
        return False

    def _ignores_folder(self, folder: Path) -> bool:
        """Whether a folder, or one above it, is ignored."""
        whole = absolute(folder)
        chain = [each for each in (whole, *whole.parents) if self._top in each.parents]
        return any(self.ignores(each, is_folder=True) for each in reversed(chain))

    def _folders(self, path: Path) -> Iterator[Path]:
        """Those above a path, the nearest first."""
        for folder in path.parents:
            yield folder
            if folder == self._top:
                return

    def _spec(self, folder: Path, *, of_folders: bool) -> GitIgnoreSpec | None:
        """The patterns of a folder's ignore files, as they are for files or for folders."""
        key = (folder, of_folders)
        if key not in self._specs:
            lines = [line for name in NAMES for line in _lines(folder / name)]
            if of_folders:  # those of folders alone, ``build/``, are as those of anything
                lines = [line.rstrip().removesuffix("/") for line in lines]
            self._specs[key] = _compiled(lines) if lines else None
        return self._specs[key]


def _lines(file: Path) -> Sequence[str]:
    """The patterns of a file; none where it is a link, which git does not follow, either."""
    asked((file,))
    if file.is_symlink():
        return ()
    try:
        text = read_regular_file(file, MOST_BYTES)
    except OSError:
        return ()
    lines = text.decode("utf-8", "replace").splitlines()[:_MOST_LINES]
    return [line for line in lines if _is_cheap(line)]


def _is_cheap(line: str) -> bool:
    parts = line.split("/")
    names = (part for part in parts if part != "**")
    return parts.count("**") <= _MOST_FOLDERS and all(
        name.count("*") <= _MOST_STARS for name in names
    )


def _compiled(lines: Sequence[str]) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - where there is such a file alone

    good = [line for line in lines if _is_pattern(line)]
    return GitIgnoreSpec.from_lines(good) if good else None


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - as above

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:  # git passes over what is none
        return False
    return True
