"""Slices of a partitioned GPU (NVIDIA Multi-Instance GPU), each of which a program sees as a GPU.

A slice is named as ``nvidia-smi`` names it: so many compute slices and so much memory
(``1g.10gb``), with ``+me`` behind if it has media engines.
"""

import re
from dataclasses import replace

from roofline_hardware_db.model import Gpu, Peaks

_PROFILE = (
    r"[\s,:/(-]*(?:mig[\s-]*)?(?:\dc\.)?"
    r"(?P<profile>\d+g\.\d+gb(?:[+-](?:me|gfx)(?:\.all)?)?)\)?\s*$"
)


def split_profile(name: str) -> tuple[str, str | None]:
    """A name without the profile of a slice at its end, and that profile in lower case or None.

    >>> split_profile("NVIDIA H100 80GB HBM3 MIG 1g.10gb")
    ('NVIDIA H100 80GB HBM3', '1g.10gb')
    """
    # Compiling the pattern takes longer than loading a GPU, so a name must look like it first.
    found = re.search(_PROFILE, name, re.IGNORECASE) if "g." in name.lower() else None
    if found is None:
        return name, None
    return name[: found.start()], found["profile"].lower()


def slice_of(gpu: Gpu, profile: str) -> Gpu | None:
    """The slice as a GPU of its own; None if the GPU has no such profile.

    It has the SMs, memory, bandwidth and L2 of the slice. Peaks that are stated, measured ceilings
    and PCI ids are those of the whole GPU, so the slice has none.
    """
    part = gpu.mig.get(profile)
    if part is None:
        return None
    return replace(
        gpu,
        name=f"{gpu.name} MIG {profile}",
        sm_count=part.sm_count,
        memory_gb=None if gpu.memory_gb is None else gpu.memory_gb * part.memory_fraction,
        memory_bandwidth_gbs=gpu.memory_bandwidth_gbs * part.memory_fraction,
        l2_mb=None if gpu.l2_mb is None else gpu.l2_mb * part.l2_fraction,
        aliases=(),
        default_for=(),
        pci_ids=(),
        stated=Peaks(),
        ceilings=Peaks(),
        exceptions={},
        mig={},
    )
