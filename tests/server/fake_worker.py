"""A worker that finds kernels by regular expressions and does what comments tell it to.

``fake_worker.py FOLDER`` is one that comes to rest early; see ``rest_early``.
"""

import hashlib
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from roofline_analysis.api.compare.records import VariantComparison
from roofline_analysis.api.explain.records import Explanation
from roofline_analysis.api.wishes import Wishes
from roofline_analysis.report.report import (
    ClassOn,
    FileReport,
    Finding,
    GpuUsed,
    KernelReport,
    LaunchReport,
    LedgerLine,
    Limiter,
    Prediction,
    PredictionSource,
    Verdict,
    WhatIf,
)
from roofline_core.program.errors import RooflineError
from roofline_core.program.precision import Precision
from roofline_core.program.progress import PROGRESS
from roofline_core.program.units import Dialect, Problem, Severity, Span
from roofline_core.settings import Settings
from roofline_lsp.server.worker import main
from roofline_lsp.server.worker.analyser import Reader
from roofline_lsp.server.worker.jobs import VariantWanted

GPUS = {"RTX 3080": 40.0, "Slow ALU": 0.01}
"""Single-precision ridge by name; kernels here have 0.25 flop/B."""

KERNEL = re.compile(rb"__global__ void (\w+)\(")
LAUNCH = re.compile(rb"(\w+)<<<")
INCLUDE = re.compile(rb'#include "([^"]+)"')
LOOK = re.compile(rb"// LOOK until (.+)")
STEADY = re.compile(rb"// STEADY(?: until (.+))?")


class FakeAnalyser:
    def analyse(
        self,
        text: bytes,
        path: Path,
        settings: Settings,
        reader: Reader,
        *,
        findings: bool,
        aside: bool,
        wishes: Wishes | None,
    ) -> FileReport:
        if b"// CRASH" in text:
            os._exit(3)
        if b"// HANG" in text:
            time.sleep(600)
        if b"// SPIN" in text:
            re.match(r"(a+)+$", "a" * 60 + "b")
        if (steady := STEADY.search(text)) is not None:
            get_on(Path(steady[1].decode()) if steady[1] else None)
        if (look := LOOK.search(text)) is not None and wishes is not None:
            look_until(Path(look[1].decode()), wishes, text, path, verdict_of(settings))
        if b"// SLOW" in text:
            time.sleep(1.0)
        if b"// MEMORY" in text:
            self.held = bytearray(8 << 30)
        if b"// PRINT" in text:
            print("this must not reach the client")
            sys.stdout.flush()
        if b"// BUG" in text:
            raise ZeroDivisionError("a fault in the analyser")
        for name in INCLUDE.findall(text):
            reader(path.parent / name.decode())
        verdict = verdict_of(settings)
        problems = tuple(
            Problem(Severity.WARNING, "cannot read this", path, line)
            for line, content in enumerate(text.split(b"\n"), 1)
            if b"// PROBLEM" in content
        )
        if b"// CHECKSUM" in text:
            checksum = hashlib.sha256(text).hexdigest()
            problems = (*problems, Problem(Severity.WARNING, checksum, path))
        kernels = tuple(kernel(text, match, path, verdict) for match in KERNEL.finditer(text))
        return FileReport(path, kernels, problems)

    def what_if(
        self, path: Path, kernel: KernelReport, launch: int | None, gpus: tuple[str, ...]
    ) -> WhatIf | None:
        return WhatIf(tuple(ClassOn(name, name, Verdict.BANDWIDTH_BOUND, 0.9) for name in gpus))

    def suggestions(self, path: Path, kernel: KernelReport) -> tuple[Finding, ...] | None:
        return kernel.findings

    def explain(self, path: Path, kernel: KernelReport, launch: int | None) -> Explanation | None:
        return None

    def compare(
        self, variants: Sequence[VariantWanted], settings: Settings, reader: Reader
    ) -> VariantComparison:
        raise RooflineError("the fake compares nothing")

    def gpu(self, settings: Settings) -> GpuUsed:
        ridge = GPUS.get(settings.gpu)
        if ridge is None:
            raise RooflineError(f"there is no GPU '{settings.gpu}'; known are {', '.join(GPUS)}")
        peaks = {Precision.SP: ridge * 760.0}
        return GpuUsed(settings.gpu, settings.clock, 1710.0, peaks, 760.0, {Precision.SP: ridge})

    def read(self, path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except OSError:
            return None

    def overlaid(self, path: Path, text: bytes | None) -> None:
        pass

    def changed(self, path: Path, text: bytes | None) -> None:
        pass

    def forget(self) -> None:
        self.held = bytearray()

    def is_program(self, text: bytes) -> bool:
        return b"int main" in text

    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        pass

    def step(self) -> bool:
        return True

    def regrouped(self) -> frozenset[Path]:
        return frozenset()


def get_on(until: Path | None) -> None:
    """Say all the while that something is done: for 6 s, or until there is a file ``until``."""
    steps = 0
    while steps < 60 if until is None else not until.exists():
        steps += 1
        PROGRESS.steps += 1
        time.sleep(0.1)


def look_until(until: Path, wishes: Wishes, text: bytes, path: Path, verdict: Verdict) -> None:
    """Tell of the kernels that are wished for, until there is a file ``until``."""
    kernels = [kernel(text, match, path, verdict) for match in KERNEL.finditer(text)]
    while not until.exists():
        for wish in wishes.open():
            for each in kernels:
                if each.base_name == wish.word:
                    wishes.grant(wish, each)
        PROGRESS.steps += 1
        time.sleep(0.01)


def verdict_of(settings: Settings) -> Verdict:
    return Verdict.COMPUTE_BOUND if GPUS[settings.gpu] < 0.25 else Verdict.BANDWIDTH_BOUND


def kernel(text: bytes, match: re.Match[bytes], path: Path, verdict: Verdict) -> KernelReport:
    name = match[1].decode()
    end = text.find(b"\n}", match.end()) + 2
    loads = [
        line
        for line in range(line_of(text, match.start()), line_of(text, max(end, match.end())) + 1)
        if b"[i]" in text.split(b"\n")[line - 1]
    ]
    ledger = tuple(
        LedgerLine(path, line, sp_flops=2e6 / len(loads), dram_read_bytes=8e6 / len(loads))
        for line in loads
    )
    compute = verdict is Verdict.COMPUTE_BOUND
    prediction = Prediction(
        verdict=verdict,
        confidence=0.93,
        source=PredictionSource.STATIC,
        limiting=Limiter.SP if compute else Limiter.BANDWIDTH,
        sp_flops=2e6,
        dp_flops=0.0,
        hp_flops=0.0,
        int_ops=0.0,
        tensor_flops=0.0,
        dram_read_bytes=8e6,
        dram_write_bytes=0.0,
        time_ns=10_500.0,
        precision_verdicts={Precision.SP: verdict},
        ledger=ledger,
    )
    launches = tuple(
        LaunchReport(
            path,
            line_of(text, launch.start()),
            (3907, 1, 1),
            (256, 1, 1),
            0,
            True,
            (),
            (),
            prediction,
        )
        for launch in LAUNCH.finditer(text)
        if launch[1] == match[1]
    )
    return KernelReport(
        name=f"{name}()",
        base_name=name,
        qualified_name=name,
        dialect=Dialect.CUDA,
        path=path,
        span=span(text, match.start(), max(end, match.end())),
        name_span=span(text, match.start(1), match.end(1)),
        launches=launches,
        prediction=prediction,
    )


def line_of(text: bytes, offset: int) -> int:
    return text.count(b"\n", 0, offset) + 1


def span(text: bytes, start: int, end: int) -> Span:
    return Span(
        line_of(text, start),
        start - (text.rfind(b"\n", 0, start) + 1),
        line_of(text, end),
        end - (text.rfind(b"\n", 0, end) + 1),
    )


def rest_early(folder: Path) -> None:
    """Be at rest after 0.1 s, and say that this takes as many bytes as the file ``resident`` has.

    Where there is a file ``refused`` the process does not start.
    """
    if (folder / "refused").exists():
        raise SystemExit(7)
    main.__dict__["TIDY_AFTER_S"] = 0.1
    main.__dict__["resident_bytes"] = lambda: int((folder / "resident").read_text())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        rest_early(Path(sys.argv[1]))
    main.serve(FakeAnalyser())
