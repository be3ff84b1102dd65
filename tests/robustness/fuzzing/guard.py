"""What one input may cost, and what it came to."""

from __future__ import annotations

import gc
import re
import resource
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

MOST_CPU_S: Final = 5.0
AGAIN_S: Final = 0.5
MOST_MB: Final = 500.0
_PEAK: Final = re.compile(r"VmHWM:\s+(\d+) kB")


class FaultError(Exception):
    """An input came to what none should."""


class TooLongError(BaseException):
    """An input took longer than it may. No handler of ``Exception`` is to hold it up."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one input."""

    cpu_s: float
    peak_mb: float
    """The most memory above what the process had before."""
    fault: str = ""
    """Empty where there is none."""

    @property
    def sign(self) -> str:
        """The fault without what changes from input to input."""
        return re.sub(r"'[^']*'|0x[0-9a-f]+|\d+", "_", self.fault)[:300]


def _too_long(_: int, frame: FrameType | None) -> None:
    raise TooLongError


def guarded(run: Callable[[], None], analyses: int = 1, *, light: bool = False) -> Outcome:
    """Run one input within the limits; whatever it raises is its fault.

    ``light``: it takes microseconds, and its memory is what goes beyond the most so far.
    """
    signal.signal(signal.SIGPROF, _too_long)
    before_mb = _most_so_far_mb() if light else _peak_mb(reset=True)
    started = time.process_time()
    fault = ""
    too_long = f"takes more than {MOST_CPU_S * analyses:.0f} s"
    # Again and again: what is raised where Python calls back, as for a weak reference, is lost.
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU_S * analyses, AGAIN_S)
    try:
        run()
    except TooLongError as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        fault = f"{too_long} at {_places(error, 12)}"
    except Exception as error:
        fault = f"{type(error).__name__}: {str(error)[:300]} at {_places(error, 3)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    cpu_s = time.process_time() - started
    if not fault and cpu_s > MOST_CPU_S * analyses:
        fault = too_long
    peak_mb = (_most_so_far_mb() if light else _peak_mb(reset=False)) - before_mb
    if not fault and peak_mb > MOST_MB:
        fault = f"takes {peak_mb:.0f} MB"
    if peak_mb > MOST_MB / 4:
        gc.collect()
    return Outcome(cpu_s, peak_mb, fault)


def _most_so_far_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _places(error: BaseException, count: int) -> str:
    """The innermost functions that an exception came through, outermost first."""
    frames = traceback.extract_tb(error.__traceback__)
    return " > ".join(f"{Path(each.filename).name}:{each.name}" for each in frames[-count:])


def _peak_mb(*, reset: bool) -> float:
    """The most memory that was resident since the last reset; 0 where the system does not tell."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        found = _PEAK.search(Path("/proc/self/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1e3 if found else 0.0
