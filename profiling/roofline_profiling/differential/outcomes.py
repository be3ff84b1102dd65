"""What came of a program under emulation, kept as a file of JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any, Final

from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.differential.recording import Compilation
from roofline_profiling.emulate import native_build, translate
from roofline_profiling.errors import ProfilerError
from roofline_profiling.measurement import LineOperations, Measurement
from roofline_profiling.records import Record, as_line, of_line

VERSION: Final = 2
_MOST_BYTES: Final = 4 * 1024**2
"""Of a larger file only the size is in the key: it is data."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run."""

    how: str
    """``as given``, ``numbers divided by 8`` or ``64 blocks of a launch``."""
    args: tuple[str, ...]
    sampled: bool
    """Whether only some blocks of a launch ran."""
    launches: tuple[Measurement, ...]
    problems: tuple[str, ...]
    """As of ``Profiled``; empty for a run that came to its end."""
    timed_out: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """What came of a program."""

    program: str
    key: str
    """Of its files and of what was asked; another one makes the outcome stale."""
    emulator: str
    """A hash of the emulator's own files."""
    failure: str = ""
    """Why there is no launch: a stage and what was said; empty if there is one."""
    attempts: tuple[Attempt, ...] = ()
    compilations: tuple[Compilation, ...] = ()
    """How its sources were compiled."""
    code_lines: int = 0
    """Lines of its sources that are not blank."""

    @property
    def best(self) -> Attempt | None:
        """The run that is compared: the one with most launches; of whole ones before samples."""
        ran = [each for each in self.attempts if each.launches]
        return max(ran, key=lambda each: (not each.sampled, len(each.launches)), default=None)


def key_of(program: TreeProgram, plan: DifferentialPlan) -> str:
    """A hash of the program's files, its command line, its flags and the GPU."""
    digest = hashlib.sha256(
        repr((VERSION, program.args, program.flags, plan.settings.gpu)).encode()
    )
    digest.update(repr([path.name for path in program.sources]).encode())
    for path in sorted(program.folder.rglob("*")):
        if path.is_file():
            size = path.stat().st_size
            digest.update(f"{path.relative_to(program.folder)}\0{size}\0".encode())
            if size <= _MOST_BYTES:
                digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def emulator_hash() -> str:
    """A hash of the files that make the emulator."""
    digest = hashlib.sha256()
    folder = Path(translate.__file__).parent
    for path in sorted([*folder.rglob("*.py"), *native_build.SOURCES.iterdir()]):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def path_of(program: str, kept: Path) -> Path:
    """Where a program's outcome is kept."""
    return kept / f"{program.replace('/', '%')}.json"


def write_outcome(outcome: ProgramOutcome, kept: Path) -> None:
    """Keep an outcome; the file is the old or the new one, never a part. Raises ProfilerError."""
    content = asdict(replace(outcome, attempts=()))
    content["attempts"] = [_attempt_content(each) for each in outcome.attempts]
    path = path_of(outcome.program, kept)
    beside = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise ProfilerError(f"{path}: cannot be written: {error.strerror}") from None


def read_outcome(program: str, kept: Path) -> ProgramOutcome | None:
    """A program's outcome; None if none is kept, or it is of another version."""
    try:
        content = json.loads(path_of(program, kept).read_text(encoding="utf-8"))
        attempts = tuple(map(_attempt, content.pop("attempts")))
        compilations = tuple(
            Compilation(each["directory"], tuple(each["arguments"]))
            for each in content.pop("compilations", ())
        )
        return ProgramOutcome(**content, attempts=attempts, compilations=compilations)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _attempt_content(attempt: Attempt) -> dict[str, object]:
    content = asdict(replace(attempt, launches=()))
    content["launches"] = [
        json.loads(as_line(Record(each, each.gpu or "", None, None, "")))
        for each in attempt.launches
    ]
    content["line_work"] = [
        [astuple(each) for each in launch.line_work] for launch in attempt.launches
    ]
    return content


def _attempt(content: Mapping[str, Any]) -> Attempt:
    launches = [
        replace(record.measurement, line_work=tuple(LineOperations(*each) for each in work))
        for launch, work in zip(content["launches"], content["line_work"], strict=True)
        if (record := of_line(json.dumps(launch))) is not None
    ]
    return Attempt(
        how=content["how"],
        args=tuple(content["args"]),
        sampled=content["sampled"],
        launches=tuple(launches),
        problems=tuple(content["problems"]),
        timed_out=content["timed_out"],
        seconds=content["seconds"],
    )
