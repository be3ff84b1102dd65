"""What a person asks of a differential run."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_core.settings import Settings
from roofline_profiling.errors import ProfilerError

_KEYS: Final = frozenset(("args", "flags", "skip"))


@dataclass(frozen=True, slots=True)
class ProgramRule:
    """What is said of the programs whose names match a pattern."""

    pattern: str
    """As of a shell, for the whole name: ``src/*-cuda``."""
    args: tuple[str, ...] | None = None
    """The command line; None leaves it."""
    flags: tuple[str, ...] = ()
    """Added to nvcc's command line where there is no Makefile."""
    skip: str | None = None
    """Why they are left out; empty: they are not, after all; None: nothing is said."""


Rules = tuple[ProgramRule, ...]


@dataclass(frozen=True, slots=True)
class DifferentialPlan:
    """What is run and compared, and by which limits."""

    trees: tuple[Path, ...]
    results: Path
    """The folder where outcomes are kept."""
    settings: Settings
    rules: Rules = ()
    only: tuple[str, ...] = ()
    """Patterns for names; empty: all programs."""
    without: frozenset[str] = frozenset()
    """Names of folders that are left out: programs that other data has."""
    limit_s: float = 60.0
    """Seconds that a build, and each run, may take."""
    memory_bytes: int = 8 * 1024**3
    blocks: int = 64
    """Where even scaled-down runs do not come far, so many blocks of a launch are run."""
    shapes: int = 8
    """At most so many launches of a kernel are compared, each of another grid or block."""
    jobs: int = 1
    runs: bool = True
    """False: compare what was kept, and run nothing."""
    again: bool = False
    """Whether to run programs anew that have a result."""
    candidates: bool = False
    """Whether programs are tried for a reduction: run as given and in no other way; device code
    that reads what was never set, or ends without the value that it returns, is not compiled."""

    @property
    def kept(self) -> Path:
        """The folder of the programs' outcomes."""
        return self.results / "programs"


def read_rules(path: Path) -> Rules:
    """The entries of a TOML file: a table for each pattern. Raises ProfilerError."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProfilerError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfilerError(f"{path}: not valid TOML: {error}") from None
    return tuple(_rule(path, pattern, entry) for pattern, entry in content.items())


def _rule(path: Path, pattern: str, entry: object) -> ProgramRule:
    if not isinstance(entry, dict) or entry.keys() - _KEYS:
        raise ProfilerError(f'{path}: ["{pattern}"] must be a table of args, flags and skip')
    skip = entry.get("skip")
    if skip is not None and not isinstance(skip, str):
        raise ProfilerError(f'{path}: ["{pattern}"]: skip must be a text, the reason')
    args = _words(path, pattern, entry["args"]) if "args" in entry else None
    return ProgramRule(pattern, args, _words(path, pattern, entry.get("flags", "")), skip)


def _words(path: Path, pattern: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value))
        except ValueError:
            pass
    elif isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise ProfilerError(f'{path}: ["{pattern}"]: a command line is a text or a list of texts')
