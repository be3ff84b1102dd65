"""Files that a project or a store holds: right ones, whose values and bytes are then others."""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import FileReport
from roofline_core.settings import Settings
from roofline_lsp import analyze
from roofline_lsp.batch.record_json import DamagedError, RecordJson
from roofline_lsp.ratchet.baseline import BaselineError, baseline_text, read_baseline
from roofline_parsers.preprocess.compile_commands import (
    CompileCommandsError,
    load_compile_commands,
)
from roofline_profiling import records
from roofline_profiling.errors import ReportError
from roofline_profiling.importing import read_report
from tests.profiling.conftest import FULL, FULL_UNITS, SAXPY, raw_page

from .corpus import EXAMPLES
from .guard import FaultError
from .json_texts import spoiled_text
from .mutations import mutated

REPORTS: Final = RecordJson(FileReport)
MEASUREMENT: Final = {
    "kernel": "k(float *)", "source": "k.cu", "body": "0" * 64, "gpu": "A100", "args": ["1"],
    "grid": [4, 1, 1], "block": [256, 1, 1], "counts": {"sp_flops": 5, "time_ns": 1.5},
    "taken": "2026-01-01T00:00:00Z", "origin": "x", "emulated": True, "program": "p", "label": "CB",
    "stalls": {"wait": 1.0}, "memory": {"l2": 3}, "lines": [["k.cu", 3, 5, 7]],
}  # fmt: skip
BASELINE: Final = {
    "roofline_baseline": 1, "gpu": "A100", "clock": "boost", "rule": "compulsory",
    "kernels": [{
        "path": "k.cu", "name": "k(int)", "qualified_name": "k", "body": "aa", "class": "BB",
        "precision": "sp", "intensity": 0.25, "operations": {"sp": 5.0}, "dram_bytes": 8.0,
        "time_ns": 1.5,
    }],
    "issues": [{
        "path": "k.cu", "kernel": "k", "code": "RL1", "name": "n", "fingerprint": "f",
        "line_key": "l",
    }],
}  # fmt: skip
DATABASE: Final = [
    {"directory": "/none", "file": "k.cu", "command": "nvcc -DN=4 -I inc @more -o k k.cu"},
    {"directory": "b", "file": "../l.cu", "arguments": ["hipcc", "-x", "hip", "-include", "a.h"]},
]
_ROCPROF: Final = (
    '"Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n'
    '1,"k",SQ_WAVES,5,10,20\n1,"k",FETCH_SIZE,8,10,20\n2,"f(int)",SQ_INSTS_VALU_ADD_F32,7,0,1\n'
)
PAGES: Final = (
    raw_page([(SAXPY, "(256, 1, 1)", "(3907, 1, 1)", FULL)] * 2, FULL_UNITS),
    _ROCPROF,
)


@cache
def _report() -> object:
    """An example's report, as the store has it."""
    path = next(EXAMPLES.rglob("*.cu"))
    return json.loads(REPORTS.encoded(analyze(path.read_bytes(), path, Settings(gpu="A100"))))


def report_row(chance: random.Random) -> bytes:
    """A kept report."""
    return spoiled_text(chance, _report())


def measurement_row(chance: random.Random) -> bytes:
    """A line of a store of measurements."""
    return spoiled_text(chance, MEASUREMENT)


def baseline_file(chance: random.Random) -> bytes:
    """A baseline as a project has it."""
    return spoiled_text(chance, BASELINE)


def compile_database(chance: random.Random) -> bytes:
    """A ``compile_commands.json``."""
    return spoiled_text(chance, DATABASE)


def profile_text(chance: random.Random) -> bytes:
    """What a profiler printed."""
    return mutated(chance, chance.choice(PAGES).encode(), ())


def check_report_row(text: bytes) -> None:
    """Decode it; Damaged is told as such."""
    try:
        value = REPORTS.decoded(text)
    except DamagedError:
        return
    try:
        again = REPORTS.encoded(value)
    except (TypeError, RecursionError, AttributeError):
        return  # Of other types than the fields': what it is decoded for looks at that.
    if repr(REPORTS.decoded(again)) != repr(value):
        raise FaultError("a row that does not come back")


def check_measurement_row(text: bytes) -> None:
    """Read it: a record, which comes back from its own line, or none."""
    record = records.of_line(text.decode("utf-8", "replace"))
    if record is None:
        return
    hash(record.key)
    if records.of_line(records.as_line(record)) != record:
        raise FaultError("a measurement that does not come back")


def check_baseline(text: bytes) -> None:
    """Read it: one that is written as it was read, or a reason."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "baseline.json"
        path.write_bytes(text)
        try:
            found = read_baseline(path)
        except BaselineError as error:
            if not str(error):
                raise FaultError("refused without a reason") from None
            return
        path.write_text(written := baseline_text(found))
        if baseline_text(read_baseline(path)) != written:
            raise FaultError("a baseline that does not come back")


def check_database(text: bytes) -> None:
    """Read all flags: the same again, or a reason."""
    try:
        found = load_compile_commands(text, lambda _: b"-DM=1 '@more'")
    except CompileCommandsError as error:
        if not str(error):
            raise FaultError("refused without a reason") from None
        return
    if found != load_compile_commands(text, lambda _: b"-DM=1 '@more'"):
        raise FaultError("other flags when it is read again")


def check_profile(text: bytes) -> None:
    """Import it: launches that can be kept, or a reason."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.csv"
        path.write_bytes(text)
        try:
            found = read_report(path)
        except ReportError as error:
            if not str(error):
                raise FaultError("refused without a reason") from None
            return
    for each in found.measurements:
        record = records.Record(each, "A100", None, None, "")
        if records.of_line(records.as_line(record)) is None:
            raise FaultError("a launch that cannot be kept")
