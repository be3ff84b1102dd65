"""OpenCL kernel files of folder trees, and how they are to be built."""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_core.program.errors import RooflineError
from roofline_core.program.units import OPENCL_SUFFIXES
from roofline_core.settings import refused_character

_KEYS: Final = frozenset(("defines", "include", "skip", "kernels"))


class CorpusError(RooflineError):
    """Kernel files, or what is said of building them, that cannot be read."""


@dataclass(frozen=True, slots=True)
class BuildVariant:
    """What a person says of building the kernel files whose paths match a pattern."""

    pattern: str
    """As of a shell, for the path below its tree: ``opencl/*/kernels/*.cl``."""
    defines: tuple[str, ...] = ()
    """``NAME`` or ``NAME=VALUE``."""
    include: tuple[str, ...] = ()
    """Folders searched for headers, relative to the file's tree."""
    skip: str | None = None
    """Why the files are left out; None: they are not."""
    kernels: tuple[str, ...] = ()
    """Patterns for the kernels that it is for; empty: all."""


@dataclass(frozen=True, slots=True)
class KernelFile:
    """A file of kernels, to be built in one way."""

    tree: Path
    path: Path
    defines: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    kernels: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The tree's name, the path below it, and the macros."""
        below = self.path.relative_to(self.tree).as_posix()
        return "  -D".join((f"{self.tree.name}/{below}", *self.defines))

    def has(self, kernel: str) -> bool:
        """Whether a kernel of the file is meant."""
        return not self.kernels or any(fnmatch.fnmatchcase(kernel, each) for each in self.kernels)


def read_variants(path: Path) -> tuple[BuildVariant, ...]:
    """The entries of a TOML file: a table, or an array of tables, for each pattern.

    An array builds its files once for each table. Raises CorpusError.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: not valid TOML: {error}") from None
    found = []
    for pattern, entry in content.items():
        for each in entry if isinstance(entry, list) else [entry]:
            found.append(_variant(path, pattern, each))
    return tuple(found)


def _variant(path: Path, pattern: str, entry: object) -> BuildVariant:
    where = f'{path}: ["{pattern}"]'
    if not isinstance(entry, dict) or entry.keys() - _KEYS:
        raise CorpusError(f"{where} must be a table of {', '.join(sorted(_KEYS))}")
    lists: dict[str, tuple[str, ...]] = {}
    for key in ("defines", "include", "kernels"):
        value = entry.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise CorpusError(f"{where}: '{key}' must be a list of texts")
        lists[key] = tuple(value)
    skip = entry.get("skip")
    if skip is not None and not isinstance(skip, str):
        raise CorpusError(f"{where}: 'skip' must be a text, the reason")
    for define in lists["defines"]:
        if refused_character(define) is not None or any(c.isspace() for c in define):
            raise CorpusError(f"{where}: '{define}' must be NAME or NAME=VALUE without blanks")
    return BuildVariant(pattern, skip=skip, **lists)


def kernel_files(
    trees: Sequence[Path], variants: Sequence[BuildVariant] = (), only: Sequence[str] = ()
) -> tuple[KernelFile, ...]:
    """The OpenCL files below some folders, each as often as variants build it.

    ``only`` has patterns for the paths below a tree. Raises CorpusError: a folder does not exist,
    or there is no file in any.
    """
    found: dict[tuple[Path, tuple[str, ...]], KernelFile] = {}
    for tree in trees:
        if not tree.is_dir():
            raise CorpusError(f"the folder {tree} does not exist")
        for path in sorted(tree.rglob("*")):
            if path.suffix.lower() not in OPENCL_SUFFIXES or not path.is_file():
                continue
            below = path.relative_to(tree).as_posix()
            if only and not any(fnmatch.fnmatchcase(below, each) for each in only):
                continue
            for made in _built(tree.resolve(), path.resolve(), below, variants):
                found.setdefault((made.path, made.defines), made)
    if not found:
        raise CorpusError("no OpenCL file was found in " + ", ".join(map(str, trees)))
    return tuple(found.values())


def _built(
    tree: Path, path: Path, below: str, variants: Sequence[BuildVariant]
) -> Iterator[KernelFile]:
    fitting = [each for each in variants if fnmatch.fnmatchcase(below, each.pattern)]
    if any(each.skip is not None for each in fitting):
        return
    if not path.is_relative_to(tree):
        return  # A link that leads out of the tree.
    for each in fitting or [BuildVariant("*")]:
        include = (path.parent, *(tree / folder for folder in each.include))
        yield KernelFile(tree, path, each.defines, include, each.kernels)
