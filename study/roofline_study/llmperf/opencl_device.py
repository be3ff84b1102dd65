"""An OpenCL device by way of pyopencl: kernels are built, given arguments and timed.

Only processes that run kernels import this: a kernel that crashes ends its process.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyopencl as cl

from roofline_core.program.errors import RooflineError
from roofline_study.llmperf.arguments import (
    CONTENT_END,
    NUMBER_TYPES,
    OBJECTS,
    Argument,
    BufferArgument,
    LocalArgument,
    NumberArgument,
)
from roofline_study.llmperf.corpus import KernelFile
from roofline_study.llmperf.kernels import PlannedLaunch
from roofline_study.llmperf.records import DeviceFacts, Timed

_MARGIN_BYTES: Final = 1 << 16
"""Before and behind each buffer, for accesses that the memory analysis did not see; a multiple of
every device's alignment of sub-buffers."""
_WARM_UP: Final = 2
_LEAST_RUNS: Final = 5
_MOST_RUNS: Final = 15
_ENOUGH_S: Final = 0.02
"""Runs of a launch end when there are ``_LEAST_RUNS`` that took this long in all."""
_LONG_S: Final = 0.2
"""A launch that takes longer is run less often, at least ``_FEWEST_RUNS`` times."""
_FEWEST_RUNS: Final = 3


class DeviceError(RooflineError):
    """No such device, or a kernel that it does not take."""


@dataclass(frozen=True, slots=True)
class OpenClDevice:
    """A device with its queue."""

    context: Any
    queue: Any
    facts: DeviceFacts

    @classmethod
    def find(cls, wanted: str | None) -> OpenClDevice:
        """The first device with ``wanted`` in its or its platform's name. Raises DeviceError."""
        names = []
        for platform in _platforms():
            for device in platform.get_devices():
                name = f"{platform.name}: {device.name}".strip()
                names.append(name)
                if wanted is None or wanted.lower() in name.lower():
                    return cls._of(platform, device, name)
        if not names:
            raise DeviceError(
                "there is no OpenCL device; `pip install roofline-lsp[study]` has PoCL, which runs"
                " kernels on the CPU"
            )
        raise DeviceError(f"no OpenCL device has '{wanted}' in its name; there are: {names}")

    @classmethod
    def _of(cls, platform: Any, device: Any, name: str) -> OpenClDevice:
        context = cl.Context([device])
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        queue = cl.CommandQueue(context, device, properties=profiling)
        facts = DeviceFacts(name, int(device.max_compute_units), str(platform.version))
        return cls(context, queue, facts)

    def build(self, file: KernelFile, kernel: str) -> Any:
        """A kernel of a file. Raises DeviceError with the start of the compiler's messages."""
        text = file.path.read_text(encoding="utf-8", errors="replace")
        options = [f"-D{each}" for each in file.defines]
        options += [f"-I{each}" for each in file.include_dirs]
        try:
            program = cl.Program(self.context, text).build(options=options)
            return cl.Kernel(program, kernel)
        except cl.Error as error:
            raise DeviceError(f"not built: {_short(error)}") from None

    def time(self, kernel: Any, launch: PlannedLaunch) -> Timed:
        """Run a launch until its median is settled. Raises DeviceError."""
        try:
            held = [self._given(each) for each in launch.arguments]
            kernel.set_args(*(given for given, _ in held))
            runs = self._runs(kernel, launch)
        except cl.Error as error:
            raise DeviceError(_short(error)) from None
        low, median, high = _quartiles(runs)
        return Timed(launch.key, median, low, high, len(runs))

    def _runs(self, kernel: Any, launch: PlannedLaunch) -> list[float]:
        shape = launch.configuration
        found: list[float] = []
        start = time.monotonic()
        for index in range(_WARM_UP + _MOST_RUNS):
            event = cl.enqueue_nd_range_kernel(
                self.queue, kernel, shape.global_size, shape.local_size
            )
            event.wait()
            took_s = time.monotonic() - start
            if index < _WARM_UP - (took_s > _LONG_S):
                continue
            # A clock of whole nanoseconds may show nothing for the shortest of launches.
            found.append(max(1.0, float(event.profile.end - event.profile.start)))
            if len(found) >= (_FEWEST_RUNS if took_s > _LONG_S else _LEAST_RUNS):
                if took_s > _ENOUGH_S:
                    break
        return found

    def _given(self, argument: Argument) -> tuple[Any, Any]:
        """What the kernel is given, and what has to live as long."""
        if isinstance(argument, LocalArgument):
            return cl.LocalMemory(argument.size_bytes), None
        if isinstance(argument, NumberArgument):
            return _number(argument), None
        return self._buffer(argument)

    def _buffer(self, argument: BufferArgument) -> tuple[Any, Any]:
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        content = _content(argument)
        whole = cl.Buffer(self.context, flags, hostbuf=content)
        return whole.get_sub_region(_MARGIN_BYTES, argument.size_bytes), whole


def _platforms() -> Sequence[Any]:
    try:
        return list(cl.get_platforms())
    except cl.Error:
        return []


def _number(argument: NumberArgument) -> Any:
    type_ = np.dtype(NUMBER_TYPES[argument.element])
    slots = 4 if argument.width == 3 else argument.width
    values = np.full(slots, argument.value).astype(type_)
    return values[0] if slots == 1 else values


def _content(argument: BufferArgument) -> Any:
    """The bytes of a buffer and its margins: reals from 0 to 1, whole numbers below CONTENT_END."""
    type_ = np.dtype(NUMBER_TYPES[argument.element])
    size = argument.size_bytes + 2 * _MARGIN_BYTES
    count = -(-size // type_.itemsize)
    if argument.element == OBJECTS:
        return np.zeros(count, dtype=type_)
    # The same numbers in every run; not secrets.
    chance = np.random.default_rng(argument.size_bytes)
    if type_.kind == "f":
        return chance.random(count, dtype=np.float32).astype(type_)
    return chance.integers(0, CONTENT_END, count).astype(type_)


def _quartiles(runs: Sequence[float]) -> tuple[float, float, float]:
    low, median, high = statistics.quantiles(runs, n=4, method="inclusive")
    return low, median, high


def _short(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower()] or lines or [repr(error)]
    return told[0][:300]
