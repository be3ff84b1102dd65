"""Nsight Compute's own report files, through NVIDIA's reader in a process of its own.

The reader is native code and files come from anywhere: what it does to its process, it does not do
to this one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from roofline_profiling.bounded_reader import head_of
from roofline_profiling.errors import ReportError
from roofline_profiling.measurement import Imported, LineHeat, Measurement, name_of
from roofline_profiling.ncu_metrics import (
    DEVICE_NAME,
    MetricValue,
    counts_of,
    dimensions_of,
    stalls_of,
)

TIME_LIMIT_S = 120.0
READER = "roofline_profiling.ncu_rep_reader"
MISSING, LIMITED = 3, 4
"""How the reader's process ends: NVIDIA's package is missing, or there are more launches."""
_MAX_LINE = 1024**2

_REMEDY = "or export it: ncu --import {name} --csv --page raw > report.csv"


def read_ncu_report(path: Path, *, limit_s: float = TIME_LIMIT_S) -> Imported:
    """The launches of a report.

    Raises ReportError: NVIDIA's package is not installed, the file is none of its reports, cut or
    without a launch, or reading it fails or takes too long.
    """
    head_of(path)
    command = [sys.executable, "-P", "-m", READER, str(path.absolute())]
    with tempfile.TemporaryFile() as out:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ReportError(
                f"{path}: NVIDIA's reader took longer than {limit_s:g} s; export fewer launches,"
                f" {_REMEDY.format(name=path.name)}"
            ) from None
        out.seek(0)
        measurements = _measurements(out, path.name)
    if done.returncode == MISSING:
        raise ReportError(
            f"{path}: reading .ncu-rep files takes NVIDIA's package:"
            f" pip install 'roofline-lsp[ncu]'; {_REMEDY.format(name=path.name)}"
        )
    problems = _problems(path, done.returncode, done.stderr, len(measurements))
    if not measurements:
        raise ReportError(problems[0] if problems else f"{path}: {_EMPTY}")
    return Imported(measurements, problems)


_EMPTY = "no launch in it; it is no report of Nsight Compute, or it was cut short"


def _problems(path: Path, code: int, said: bytes, launches: int) -> tuple[str, ...]:
    if code == 0:
        return ()
    if code == LIMITED:
        return (f"{path}: only the first {launches} launches are taken",)
    lines = said.decode("utf-8", "replace").strip().splitlines()
    last = lines[-1][:300] if lines else "it said nothing"
    how = f"was ended by signal {-code}" if code < 0 else f"failed: {last}"
    return (f"{path}: NVIDIA's reader {how}; the file may be damaged",)


def _measurements(out: IO[bytes], name: str) -> tuple[Measurement, ...]:
    found: list[Measurement] = []
    while line := out.readline(_MAX_LINE):
        try:
            content = json.loads(line)
        except ValueError:
            continue  # cut by the end of the reader
        found.append(_measurement(content, f"{name}, launch {len(found)}"))
    return tuple(found)


def _measurement(content: Mapping[str, Any], origin: str) -> Measurement:
    values = {
        metric: MetricValue(number, unit) for metric, (number, unit) in content["values"].items()
    }
    return Measurement(
        kernel=name_of(content["kernel"]),
        gpu=name_of(content[DEVICE_NAME] or "") or None,
        grid=dimensions_of(values, "grid"),
        block=dimensions_of(values, "block"),
        stalls=stalls_of(values),
        lines=tuple(LineHeat(*each) for each in content["lines"]),
        origin=origin,
        **counts_of(values),  # type: ignore[arg-type]
    )
