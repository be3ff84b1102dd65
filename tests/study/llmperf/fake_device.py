"""A device that notes what it runs, and crashes or hangs where a test wants it to."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from roofline_core.program.errors import RooflineError
from roofline_study.llmperf.corpus import KernelFile
from roofline_study.llmperf.kernels import PlannedLaunch
from roofline_study.llmperf.records import DeviceFacts, Timed


@dataclass(frozen=True)
class FakeDevice:
    log: Path
    """A line for each launch that was run."""
    crashing: str = ""
    """The kernel that ends its process after its first launch."""
    hanging: str = ""
    refused: str = ""
    """A launch that the device does not take."""

    @property
    def facts(self) -> DeviceFacts:
        return DeviceFacts("fake", 16, "1")

    def build(self, file: KernelFile, kernel: str) -> str:
        if kernel == "unbuilt":
            raise RooflineError("not built: error: nothing")
        return kernel

    def time(self, kernel: str, launch: PlannedLaunch) -> Timed:
        if launch.key == self.refused:
            raise RooflineError("out of resources")
        before = self.log.read_text().split() if self.log.exists() else []
        with self.log.open("a") as file:
            file.write(launch.key + "\n")
        if kernel == self.crashing and before:
            os.kill(os.getpid(), signal.SIGSEGV)
        if kernel == self.hanging:
            time.sleep(600)
        return Timed(launch.key, 100.0, 90.0, 120.0, 5)
