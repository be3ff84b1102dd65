"""Planned launches run on an OpenCL device, in processes that may crash.

Each outcome is appended to the results as soon as it is known, so a run that was ended, whatever
ended it, goes on with the launches that have none. A crash or a hang costs the rest of its kernel.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from roofline_core.program.errors import RooflineError
from roofline_study.llmperf.corpus import KernelFile
from roofline_study.llmperf.kernels import PlannedKernel, PlannedLaunch
from roofline_study.llmperf.records import (
    DeviceFacts,
    NotTimed,
    Timed,
    TriedAgain,
    append,
    read_outcomes,
)
from roofline_study.workers import in_processes

_KERNELS_A_PROCESS: Final = 12
"""A process ends after so many kernels, because what compilers hold is never freed."""
_SHARE_OF_LIMIT: Final = 0.6
"""Of a kernel's time, after which no further launch of it is begun."""


class RunError(RooflineError):
    """Kernels cannot be run here."""


class Device(Protocol):
    """What kernels run on: ``opencl_device.OpenClDevice``."""

    @property
    def facts(self) -> DeviceFacts:
        """What it is."""
        ...

    def build(self, file: KernelFile, kernel: str) -> Any:
        """A kernel that ``time`` takes."""
        ...

    def time(self, kernel: Any, launch: PlannedLaunch) -> Timed:
        """The times of a launch."""
        ...


@dataclass(frozen=True, slots=True)
class KernelLimits:
    """What a kernel may take."""

    kernel_s: float = 60.0
    """Seconds for a kernel with all its launches; it is ended then."""
    memory_bytes: int = 6 * 1024**3
    """Address space of the process."""


@dataclass(frozen=True, slots=True)
class RunTally:
    """What a run did."""

    timed: int = 0
    """Launches that were timed now."""
    known: int = 0
    """Launches that had an outcome before."""
    failures: tuple[NotTimed, ...] = field(default_factory=tuple)
    """Of now and of before."""


Tell = Callable[[int, int, str], None]
"""Called after each kernel with: kernels done, kernels in all, the kernel's name."""


def check_installed() -> None:
    """Raises RunError where pyopencl is not installed; importing it would load drivers."""
    if importlib.util.find_spec("pyopencl") is None:
        raise RunError(
            "kernels are run by way of pyopencl, which is not installed:"
            " pip install 'roofline-lsp[study]'"
        )


def find_opencl(wanted: str | None) -> Device:
    """The OpenCL device, in a process that runs kernels."""
    from roofline_study.llmperf.opencl_device import OpenClDevice  # noqa: PLC0415 - loads drivers

    return OpenClDevice.find(wanted)


def device_facts(find: Callable[[], Device]) -> DeviceFacts:
    """What the device is, asked in a process of its own. Raises RunError."""
    (done,) = in_processes(partial(_facts, find=find), [None], jobs=1, limit_s=60.0)
    if done.result is None:
        raise RunError(f"the OpenCL device cannot be used: {done.failure}")
    return done.result


def _facts(_: None, *, find: Callable[[], Device]) -> DeviceFacts:
    _keep_quiet()
    return find().facts


def run_launches(
    kernels: Sequence[PlannedKernel],
    times: Path,
    find: Callable[[], Device],
    limits: KernelLimits,
    tell: Tell | None = None,
    *,
    again: bool = False,
) -> RunTally:
    """Time all launches of some kernels that have no outcome in the file ``times``.

    What failed before is tried only ``again``. Launches of a kernel are run the smaller first.
    """
    timed, failed = read_outcomes(times)
    if again:
        for key in failed:
            append(times, TriedAgain(key))
        failed = {}
    work = [each for each in (_left(kernel, timed, failed) for kernel in kernels) if each.launches]
    known = len(timed) + len(failed)
    cache = tempfile.mkdtemp(prefix="roofline-pocl-")
    try:
        with _environment(cache):
            for index, kernel in enumerate(_outcomes(work, times, find, limits), 1):
                if tell is not None:
                    tell(index, len(work), kernel.name)
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    after, failures = read_outcomes(times)
    return RunTally(len(after) - len(timed), known, tuple(failures.values()))


def _left(
    kernel: PlannedKernel, timed: dict[str, Timed], failed: dict[str, NotTimed]
) -> PlannedKernel:
    """The kernel with the launches that have no outcome, those of fewer work-items first."""
    left = [
        each
        for each in kernel.launches
        if each.key not in timed and each.key not in failed and kernel.key not in failed
    ]
    left.sort(key=lambda each: each.configuration.items)
    return replace(kernel, launches=tuple(left))


def _outcomes(
    work: Sequence[PlannedKernel], times: Path, find: Callable[[], Device], limits: KernelLimits
) -> Iterator[PlannedKernel]:
    task = partial(_run_kernel, times=times, find=find, limits=limits)
    for start in range(0, len(work), _KERNELS_A_PROCESS):
        batch = work[start : start + _KERNELS_A_PROCESS]
        for done in in_processes(task, batch, jobs=1, limit_s=limits.kernel_s):
            kernel = batch[done.index]
            if done.failure is not None:
                append(times, NotTimed(kernel.key, done.failure))
            yield kernel


_found: dict[str, Device] = {}
"""The device of this process, found once."""


def _run_kernel(
    kernel: PlannedKernel, *, times: Path, find: Callable[[], Device], limits: KernelLimits
) -> int:
    """Build a kernel and time its launches; the number timed. What goes wrong is raised."""
    start = time.monotonic()
    if "device" not in _found:
        _keep_quiet()
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _found["device"] = find()
    device = _found["device"]
    built = device.build(kernel.file, kernel.name)
    count = 0
    for launch in kernel.launches:
        if time.monotonic() - start > _SHARE_OF_LIMIT * limits.kernel_s:
            append(times, NotTimed(launch.key, "not begun: the kernel's time was over"))
            continue
        try:
            append(times, device.time(built, launch))
        except RooflineError as error:
            append(times, NotTimed(launch.key, str(error)))
            continue
        count += 1
    return count


def _keep_quiet() -> None:
    """Send what drivers and kernels print to nowhere: this process prints nothing."""
    faulthandler.disable()  # a crash is an outcome like others
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


class _environment:  # noqa: N801 - a context
    """Settings of drivers, for the processes that are started inside."""

    def __init__(self, cache: str) -> None:
        # PoCL keeps what it compiled where this says; pyopencl keeps nothing.
        self._wanted = {"POCL_CACHE_DIR": cache, "PYOPENCL_NO_CACHE": "1"}
        self._before: dict[str, str | None] = {}

    def __enter__(self) -> None:
        for name, value in self._wanted.items():
            self._before[name] = os.environ.get(name)
            os.environ[name] = value

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
