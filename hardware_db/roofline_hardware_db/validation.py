"""Checks what the types cannot: sources, stated peaks, and figures that must agree."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from roofline_core.program.precision import Precision
from roofline_hardware_db.host_link import pcie_link
from roofline_hardware_db.load import read_gpu_file
from roofline_hardware_db.model import (
    SEGMENTS,
    SHARED,
    Architecture,
    Gpu,
    MigProfile,
    Peaks,
    Source,
)
from roofline_hardware_db.roofline import ClockKind

TOLERANCES = {
    "fp32_tflops": (Precision.SP, 0.01),
    "fp64_tflops": (Precision.DP, 0.02),
    "fp16_tflops": (Precision.HP, 0.02),
    "int32_tops": (Precision.INT, 0.02),
    "tensor_fp16_tflops": (Precision.TENSOR, 0.02),
}
"""How far a derived peak may lie from the stated one. Vendors round: 33.45 is printed as 34."""
BANDWIDTH_TOLERANCE = 0.01


_PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}(:[0-9a-f]{2})?")


def validate_file(path: Path | str) -> tuple[str, ...]:
    """All faults of a GPU file: of its form, else what ``validate`` finds. Empty if sound."""
    gpu, problems = read_gpu_file(Path(path))
    return problems if gpu is None else validate(gpu)


def validate(gpu: Gpu) -> tuple[str, ...]:
    """All faults of a GPU and of its architecture, one sentence each. Empty if sound."""
    return (
        *_source_problems(gpu, gpu.sources),
        *_clock_problems(gpu),
        *_remark_problems(gpu),
        *_link_problems(gpu),
        *_part_problems(gpu),
        *_peak_problems(gpu),
        *(f"architecture {gpu.architecture.name}: {problem}"
          for problem in validate_architecture(gpu.architecture)),
    )  # fmt: skip


def validate_architecture(architecture: Architecture) -> tuple[str, ...]:
    """All faults of an architecture, one sentence each. Empty if sound."""
    limits = architecture.occupancy
    agreements = (
        (
            limits.warps_per_sm * architecture.warp_size == limits.threads_per_sm,
            "occupancy.threads_per_sm: must be warps_per_sm x warp_size",
        ),
        (
            architecture.sector_bytes.bit_count() == 1,
            "sector_bytes: must be a power of two",
        ),
        (
            limits.threads_per_block <= limits.threads_per_sm,
            "occupancy.threads_per_block: must not exceed threads_per_sm",
        ),
        (
            limits.shared_bytes_per_block + limits.shared_reserved_bytes_per_block
            <= limits.shared_bytes_per_sm,
            "occupancy.shared_bytes_per_block: must fit shared_bytes_per_sm with what is reserved",
        ),
        (
            (limits.registers_per_block or 0) <= limits.registers_per_sm,
            "occupancy.registers_per_block: must not exceed registers_per_sm",
        ),
        (
            limits.warps_per_sm % limits.subpartitions_per_sm == 0,
            "occupancy.subpartitions_per_sm: must divide warps_per_sm",
        ),
        (
            architecture.instructions_per_clock_sm.fp32 is not None,
            "instructions_per_clock_sm.fp32: missing; add it",
        ),
    )
    return (
        *_source_problems(architecture, architecture.sources),
        *(problem for holds, problem in agreements if not holds),
    )


def _source_problems(holder: object, sources: Iterable[Source]) -> Iterator[str]:
    numbers = list(_numbers_in(holder))
    claims = [name for source in sources for name in source.fields]
    for name in numbers:
        count = claims.count(name) or claims.count(name.partition(".")[0])
        if count == 0:
            yield f"{name}: has no source; name a document under [sources]"
        elif count > 1:
            yield f"{name}: has {count} sources; leave the one that the number was taken from"
    known = {part for name in numbers for part in (name, name.partition(".")[0])}
    for name in claims:
        if name not in known:
            yield f"sources: {name} is no number of this file; remove it or correct its spelling"


def _numbers_in(holder: object, prefix: str = "") -> Iterator[str]:
    """The names of all known numbers, those of an architecture's own file apart."""
    for entry in fields(holder):  # type: ignore[arg-type]
        value = getattr(holder, entry.name)
        if isinstance(value, int | float):
            yield prefix + entry.name
        elif value and entry.name in ("pci_ids", "mig"):
            yield entry.name
        elif is_dataclass(value) and not isinstance(value, Architecture):
            yield from _numbers_in(value, f"{prefix}{entry.name}.")


def _clock_problems(gpu: Gpu) -> Iterator[str]:
    for name in ("base_clock_mhz", "tensor_clock_mhz"):
        clock_mhz = getattr(gpu, name)
        if clock_mhz is not None and clock_mhz > gpu.boost_clock_mhz:
            yield f"{name}: {clock_mhz:g} exceeds boost_clock_mhz, {gpu.boost_clock_mhz:g}"


def _remark_problems(gpu: Gpu) -> Iterator[str]:
    """Segments that do not exist, and remarks on figures that are not there."""
    if gpu.segment is not None and gpu.segment not in SEGMENTS:
        yield f'segment: "{gpu.segment}" is unknown; choose among {", ".join(SEGMENTS)}'
    peaks = {entry.name for entry in fields(Peaks)}
    numbers = set(_numbers_in(gpu)) | peaks
    for name in gpu.disputed:
        if name not in numbers:
            yield f"disputed.{name}: is no number of this file and no peak; correct its spelling"
    for name in gpu.exceptions:
        if getattr(gpu.stated, name, None) is None:
            yield f"exceptions.{name}: is no stated peak of this file; remove it"


def _link_problems(gpu: Gpu) -> Iterator[str]:
    """A bus of which only a part is given, or that no bus can be."""
    if (gpu.pcie_generation is None) != (gpu.pcie_lanes is None):
        yield "pcie_lanes: give pcie_generation and pcie_lanes together, or neither"
    elif gpu.pcie_generation is not None and gpu.pcie_lanes is not None:
        if pcie_link(gpu.pcie_generation, gpu.pcie_lanes) is None:
            yield f"pcie_generation: {gpu.pcie_generation:g} is unknown; give 1, 1.1, 2, 3, 4 or 5"
    if gpu.host_memory not in (None, SHARED):
        yield f'host_memory: "{gpu.host_memory}" is unknown; write "{SHARED}" or leave it out'


def _part_problems(gpu: Gpu) -> Iterator[str]:
    """PCI ids that are none, and slices larger than the GPU."""
    for pci_id in gpu.pci_ids:
        if _PCI_ID.fullmatch(pci_id) is None:
            yield f'pci_ids: "{pci_id}" must be vendor:device[:revision], as 10de:2206'
    for name, part in gpu.mig.items():
        if part.sm_count > gpu.sm_count or not _are_fractions(part):
            yield f"mig.{name}: has more than the whole GPU; correct its numbers"


def _are_fractions(part: MigProfile) -> bool:
    return part.memory_fraction <= 1 and part.l2_fraction <= 1


def _peak_problems(gpu: Gpu) -> Iterator[str]:
    """Stated peaks that the rates do not give, and exceptions that none needs."""
    bandwidth_gbs = gpu.stated.memory_bandwidth_gbs
    if bandwidth_gbs and abs(gpu.memory_bandwidth_gbs / bandwidth_gbs - 1) > BANDWIDTH_TOLERANCE:
        yield f"stated.memory_bandwidth_gbs: {bandwidth_gbs:g} is not memory_bandwidth_gbs"
    peaks_gops = gpu.roofline(ClockKind.BOOST).peaks_gops
    for name, (precision, tolerance) in TOLERANCES.items():
        stated = getattr(gpu.stated, name)
        if stated is None:
            continue
        derived_gops = peaks_gops.get(precision)
        if derived_gops is None:
            yield f"stated.{name}: there is no rate to check it against; add the rate"
            continue
        agrees = abs(derived_gops / 1000 / stated - 1) <= tolerance
        if agrees and name in gpu.exceptions:
            yield f"exceptions.{name}: the peak agrees with the stated one; remove it"
        elif not agrees and name not in gpu.exceptions:
            yield (
                f"stated.{name}: {stated:g} is stated but the rates give {derived_gops / 1000:.4g},"
                f" more than {tolerance:.0%} off; check rates, sm_count and clocks"
            )
