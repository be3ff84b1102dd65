"""Measurements added to a project's store, each with the hash of the measured code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from roofline_core.settings import Settings
from roofline_hardware_db import UnknownGpuError, find_gpu
from roofline_profiling.measurement import Measurement
from roofline_profiling.records import Record
from roofline_profiling.sources import Sources
from roofline_profiling.store import append
from roofline_profiling.store_path import store_path


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """The outcome of adding measurements to a store."""

    path: Path
    records: tuple[Record, ...]
    not_found: tuple[str, ...]
    """Kernels found in no source of the project; their measurements are stored all the same."""


def keep(
    measurements: Iterable[Measurement],
    root: Path,
    settings: Settings,
    *,
    now: datetime | None = None,
) -> ImportOutcome:
    """Add measurements to the store of the project at ``root``.

    Of several launches with one identity the first is kept. A launch whose report does not name the
    GPU is taken to be of the settings' one, one without a command line to be of theirs. Raises
    StoreError.
    """
    sources = Sources(root, settings)
    taken = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    records: dict[tuple[object, ...], Record] = {}
    missing: dict[str, None] = {}
    for each in measurements:
        launch = each if each.args is not None else replace(each, args=settings.args)
        found = sources.find(launch)
        if found is None:
            missing[launch.kernel] = None
        record = Record(
            launch,
            gpu_name(launch.gpu or settings.gpu),
            None if found is None else sources.relative(found.path),
            None if found is None else found.body,
            taken,
        )
        records.setdefault(record.key, record)
    path = store_path(root)
    append(path, records.values())
    return ImportOutcome(path, tuple(records.values()), tuple(missing))


@cache
def gpu_name(name: str) -> str:
    """The hardware database's name of a GPU; the given name if the database lacks the GPU."""
    try:
        return find_gpu(name).name
    except UnknownGpuError:
        return name
