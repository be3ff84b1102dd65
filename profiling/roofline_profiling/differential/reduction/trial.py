"""Whether a program still shows a disagreement: it is built, emulated and predicted anew."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_core.settings import SOURCE_SUFFIXES
from roofline_profiling.differential.compared import Compared
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.emulating import emulated
from roofline_profiling.differential.judging import judged_alone
from roofline_profiling.differential.outcomes import ProgramOutcome
from roofline_profiling.differential.plan import DifferentialPlan
from roofline_profiling.differential.reduction.search import Files
from roofline_study.breakdown import Status

_NOT_FOLLOWED: Final = "not followed"


@dataclass(frozen=True, slots=True)
class Sought:
    """A disagreement that a smaller program has to show."""

    kernel: str
    """The kernel's name without namespaces and arguments."""
    quantity: str
    """A name of ``COUNTS``."""
    direction: str
    """As of ``direction_of``."""

    def is_shown_by(self, found: Compared) -> bool:
        """Whether a launch shows it.

        The kernel ran whole, nothing of it was assumed or not seen, and the quantity is off in the
        same direction, beyond what counts as agreement.
        """
        return (
            base_name(found) == self.kernel
            and rests_on_nothing(found)
            and found.agrees(self.quantity) is False
            and direction_of(found, self.quantity) == self.direction
        )


def base_name(found: Compared) -> str:
    """The name of a launch's kernel, without namespaces and arguments."""
    return parse_profiled_name(found.kernel).base_name


def rests_on_nothing(found: Compared) -> bool:
    """Whether a launch ran whole, and nothing that was predicted of it was assumed."""
    seen = not any(each.startswith(_NOT_FOLLOWED) for each in found.assumed)
    return found.status == Status.RESOLVED.value and seen and not found.sampled


def direction_of(found: Compared, quantity: str) -> str:
    """How a prediction is off: ``none emulated``, ``none predicted``, ``too many``, ``too few``."""
    there, here = found.emulated[quantity], found.predicted.get(quantity) or 0.0
    if not there or not here:
        return "none predicted" if there else "none emulated"
    return "too many" if here > there else "too few"


def texts_of(program: TreeProgram) -> dict[str, bytes]:
    """The sources and headers in a program's folder, by their paths below it."""
    paths = program.sources or sorted(program.folder.rglob("*"))
    beside = [path for path in program.folder.iterdir() if path.suffix in (".h", ".hpp", ".cuh")]
    wanted = [path for path in paths if path.suffix.lower() in SOURCE_SUFFIXES and path.is_file()]
    return {
        path.relative_to(program.folder).as_posix(): path.read_bytes()
        for path in dict.fromkeys((*wanted, *beside))
    }


class Trials:
    """Programs tried in one folder, a copy of the original's."""

    def __init__(self, program: TreeProgram, plan: DifferentialPlan) -> None:
        """``program`` is the copy."""
        self._program = program
        self._plan = plan
        self.tried = 0
        self.failure = ""
        """Why the last one that was tried had no launch; empty if it had one."""

    def launches(self, files: Files) -> list[Compared]:
        """The launches of the program with other texts; none where it cannot be built or run."""
        for path, text in files.items():
            (self._program.folder / path).write_bytes(text)
        self.tried += 1
        with tempfile.TemporaryDirectory(prefix="roofline-") as held:
            plan = replace(self._plan, results=Path(held), candidates=True)
            outcome = emulated(self._program, plan, ProgramOutcome(self._program.name, "", ""))
            self.failure = outcome.failure
            return judged_alone(self._program, outcome, plan) if outcome.best is not None else []


def arguments_of(found: Compared) -> tuple[str, ...]:
    """The command line of a launch's run."""
    return tuple(shlex.split(found.args))
