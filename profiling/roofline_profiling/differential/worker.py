"""Emulates one program: ``python -m roofline_profiling.differential.worker``.

Reads a program and a plan from standard input, by pickle, and writes the outcome where results are
kept. A process of its own, for limits that hold for all that it starts; on Ctrl-C it ends that.
"""

from __future__ import annotations

import pickle
import resource
import signal
import sys

from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.emulating import emulated
from roofline_profiling.differential.outcomes import ProgramOutcome, write_outcome
from roofline_profiling.differential.plan import DifferentialPlan


def main() -> int:
    """Emulate, keep the outcome, and return the exit code."""
    # Ignored, as by what a shell starts in the background, it could not be ended gently.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    program: TreeProgram
    plan: DifferentialPlan
    blank: ProgramOutcome
    program, plan, blank = pickle.load(sys.stdin.buffer)
    # Data, not address space: the emulator reserves what it never touches.
    resource.setrlimit(resource.RLIMIT_DATA, (plan.memory_bytes, plan.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        write_outcome(emulated(program, plan, blank), plan.kept)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
