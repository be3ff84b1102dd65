"""The memory that an allocation of the host program lies in."""

from __future__ import annotations

from enum import Enum


class BufferSpace(Enum):
    """Where an allocation lies; the values are what reports write."""

    HOST = "host"
    """Pageable memory of the host."""
    PINNED = "pinned"
    """Page-locked memory of the host, which kernels may read over the bus."""
    DEVICE = "device"
    """Memory of the GPU."""
    MANAGED = "managed"
    """Memory whose pages move to who uses them."""
    CONSTANT = "constant"
    """Constant memory of the GPU."""
    LOCAL = "local"
    """OpenCL's local memory, of which a launch gives each work-group its own."""
    GENERATED = "generated"
    """No memory: an iterator computes its elements, as a counting iterator does."""
    ZIPPED = "zipped"
    """Several sequences of device memory, read together by a zip iterator."""

    __hash__ = object.__hash__  # Enum's own computes the hash of the name at each call.
