"""Launches that were emulated, as measurements like those of a profiler."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.timing.occupancy import occupancy
from roofline_hardware_db.model import Gpu
from roofline_profiling.emulate.counts import (
    SECTOR_BYTES,
    CodeTable,
    LaunchCounts,
    Requests,
    requested_sectors,
)
from roofline_profiling.emulate.opcodes import Space
from roofline_profiling.emulate.records import LaunchRecord, read_code
from roofline_profiling.measurement import LineHeat, LineOperations, Measurement, name_of
from roofline_profiling.pc_samples import hottest

_INTERNAL: Final = re.compile(r"\b_INTERNAL_[0-9a-f]\w*?::")
"""What older compilers put before the names of static functions."""
_DEMANGLE_LIMIT_S: Final = 60.0


class Tables:
    """The code of the kernels of a run, each read once."""

    def __init__(self) -> None:
        self._tables: dict[Path, CodeTable] = {}

    def counts(self, record: LaunchRecord) -> LaunchCounts:
        """The counts of a launch. Raises ReportError where its code cannot be read."""
        if record.code not in self._tables:
            self._tables[record.code] = CodeTable(read_code(record.code))
        return self._tables[record.code].counts(record)


def measurement_of(
    record: LaunchRecord, counts: LaunchCounts, gpu: Gpu, kernel: str, args: tuple[str, ...] | None
) -> Measurement:
    """A launch as a measurement; ``kernel`` is its demangled name. It has no time."""
    memory, traffic = counts.memory, record.traffic
    shared_bytes = record.static_shared_bytes + record.dynamic_shared_bytes
    shared = memory.get(Space.SHARED)
    measurement = Measurement(
        kernel=kernel,
        gpu=gpu.name,
        args=args,
        grid=record.grid,
        block=record.block,
        sp_flops=counts.work.sp_flops,
        dp_flops=counts.work.dp_flops,
        hp_flops=counts.work.hp_flops,
        int_ops=counts.work.int_ops,
        tensor_flops=counts.work.tensor_flops,
        l1_bytes=requested_sectors(memory) * SECTOR_BYTES,
        shared_bytes=shared.bytes if shared is not None else 0.0,
        registers=float(record.registers),
        block_shared_bytes=float(shared_bytes),
        occupancy=_occupancy(record, gpu, shared_bytes),
        memory=memory_counts(memory),
        lines=_lines(counts),
        line_work=tuple(
            LineOperations(path, line, work.sp_flops, work.dp_flops, work.int_ops, work.int_moves)
            for (path, line), work in counts.lines.items()
        ),
        origin=_origin(record),
        emulated=True,
    )
    if traffic is None:
        return measurement
    return replace(
        measurement,
        dram_read_bytes=traffic.dram_read_bytes * counts.scale,
        dram_write_bytes=traffic.dram_write_bytes * counts.scale,
        kept_bytes=traffic.dirty_bytes * counts.scale,
        l2_bytes=traffic.l2_sectors * counts.scale * SECTOR_BYTES,
    )


def memory_counts(memory: Mapping[Space, Requests]) -> dict[str, float]:
    """By name, what was asked of each kind of memory; what was not is absent."""
    found: dict[str, float] = {}
    for space, asked in memory.items():
        held = {
            "requests": asked.requests,
            "sectors": asked.sectors,
            "passes": asked.wavefronts,
            "conflicts": asked.bank_conflicts,
            "atomics": asked.atomics,
        }
        found |= {f"{space.value}_{name}": value for name, value in held.items() if value}
    return found


def _occupancy(record: LaunchRecord, gpu: Gpu, shared_bytes: int) -> float:
    """The occupancy that registers, shared memory and the block's size allow."""
    x, y, z = record.block
    return occupancy(gpu, x * y * z, record.registers, shared_bytes).share


def _lines(counts: LaunchCounts) -> tuple[LineHeat, ...]:
    return hottest({}, {place: work.warp_instructions for place, work in counts.lines.items()})


def _origin(record: LaunchRecord) -> str:
    origin = f"emulated, launch {record.launch + 1}"
    if record.blocks_run < record.blocks:
        origin += f", {record.blocks_run} of {record.blocks} blocks"
    return origin


def demangled(names: Iterable[str], program: Path | None) -> dict[str, str]:
    """Demangled names by mangled ones; a name that cannot be demangled stays as it is.

    ``program`` is ``c++filt``. What marks a static function is left out, as profilers do.
    """
    wanted = list(dict.fromkeys(names))
    found = _filtered(wanted, program) if program is not None and wanted else wanted
    return {
        one: name_of(_INTERNAL.sub("", other)) for one, other in zip(wanted, found, strict=True)
    }


def _filtered(names: Sequence[str], program: Path) -> Sequence[str]:
    try:
        done = subprocess.run(
            [str(program)],
            input="\n".join(names) + "\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=_DEMANGLE_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return names
    found = done.stdout.splitlines()
    return found if not done.returncode and len(found) == len(names) else names
