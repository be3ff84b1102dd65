"""The process that reads one ``.ncu-rep`` file: a line of JSON for each launch, on standard output.

``python -m roofline_profiling.ncu_rep_reader FILE``
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Iterator
from typing import Any, Final

from roofline_profiling.ncu_metrics import (
    DEVICE_NAME,
    EXECUTED,
    SAMPLE_GROUP,
    is_relevant,
    is_sampled,
)
from roofline_profiling.ncu_rep import LIMITED, MISSING
from roofline_profiling.pc_samples import Place, hottest

MAX_LAUNCHES: Final = 50_000
_MAX_MEMORY_BYTES: Final = 8 * 1024**3
_MAX_INSTANCES: Final = 1_000_000


def main(path: str) -> int:
    """Print the launches of a report, and return the exit code."""
    _limit_memory()
    try:
        ncu_report: Any = importlib.import_module("ncu_report")
    except ImportError:
        return MISSING
    context = ncu_report.load_report(path)
    demangled = ncu_report.IAction.NameBase_DEMANGLED
    for number, action in enumerate(_actions(context)):
        if number == MAX_LAUNCHES:
            return LIMITED
        print(json.dumps(launch_of(action, demangled), allow_nan=False), flush=True)
    return 0


def _actions(context: Any) -> Iterator[Any]:
    if context is None:
        return
    for at in range(context.num_ranges()):
        found = context.range_by_idx(at)
        for each in range(found.num_actions()):
            yield found.action_by_idx(each)


def launch_of(action: Any, demangled: int) -> dict[str, object]:
    """What of an ``IAction`` of NVIDIA's reader is of use."""
    values: dict[str, tuple[float, str]] = {}
    device = None
    names = tuple(action.metric_names())
    for name in names:
        if name == DEVICE_NAME:
            device = action.metric_by_name(name).as_string() or None
        elif is_relevant(name):
            metric = action.metric_by_name(name)
            value = metric.value() if metric.has_value() else None
            if isinstance(value, (int, float)) and math.isfinite(value):
                values[name] = (value, metric.unit() or "")
    sampled = [name for name in names if is_sampled(name)]
    samples = _by_line(action, sampled or [name for name in (SAMPLE_GROUP,) if name in names])
    executed = _by_line(action, [name for name in (EXECUTED,) if name in names])
    lines = [
        [each.path, each.line, each.samples, each.instructions]
        for each in hottest(samples, executed)
    ]
    name = action.name(demangled) or action.name() or "?"
    return {"kernel": name, DEVICE_NAME: device, "values": values, "lines": lines}


def _by_line(action: Any, metrics: list[str]) -> dict[Place, float]:
    """The instances of metrics, added up over the program counters of each source line."""
    found: dict[Place, float] = {}
    places: dict[int, Place | None] = {}
    for metric in (action.metric_by_name(name) for name in metrics):
        if not metric.has_correlation_ids():
            continue
        addresses = metric.correlation_ids()
        for at in range(min(metric.num_instances(), _MAX_INSTANCES)):
            address = addresses.as_uint64(at)
            if address not in places:
                info = action.source_info(address)
                places[address] = None if info is None else (info.file_name() or "?", info.line())
            place = places[address]
            if place is not None:
                found[place] = found.get(place, 0.0) + metric.as_double(at)
    return found


def _limit_memory() -> None:
    """Where the system can: a file that makes the reader ask for more ends it."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard == resource.RLIM_INFINITY or hard > _MAX_MEMORY_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
