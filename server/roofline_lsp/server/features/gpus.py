"""``roofline/gpus``: the GPUs that a person can choose from, with their ridges."""

from __future__ import annotations

from roofline_lsp.hardware_db import ClockKind, Gpu, find_gpu, gpu_names
from roofline_lsp.hardware_db.errors import UnknownGpuError
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.reports.json import Json
from roofline_lsp.settings import Settings

METHOD = "roofline/gpus"
"""A request without parameters, or with ``{"textDocument": {"uri": ...}}``.

``"only": "current"`` lists no other GPU than the current one.
"""

_PRECISIONS = (
    ("fp64", Precision.DP),
    ("fp32", Precision.SP),
    ("fp16", Precision.HP),
    ("int32", Precision.INT),
)


def gpus(settings: Settings, *, only_current: bool = False) -> Json:
    """``current``, the name of the GPU that the settings mean, ``clock``, and ``gpus``.

    Of each its ``name``, ``aliases``, ``vendor``, ``architecture``, ``memory_bandwidth_gbs`` and
    ``ridge``, in operations per byte by precision, without precisions that have no known peak.
    """
    try:
        current = find_gpu(settings.gpu).name
    except UnknownGpuError:
        current = None
    clock = ClockKind(settings.clock)
    names = gpu_names() if not only_current else () if current is None else (current,)
    return {
        "current": current,
        "clock": settings.clock,
        "gpus": [_gpu(find_gpu(name), clock) for name in names],
    }


def _gpu(gpu: Gpu, clock: ClockKind) -> Json:
    roofline = gpu.roofline(clock)
    return {
        "name": gpu.name,
        "aliases": [*gpu.aliases, *gpu.default_for],
        "vendor": gpu.vendor,
        "architecture": gpu.architecture.title,
        "memory_bandwidth_gbs": roofline.bandwidth_gbs,
        "ridge": {
            name: roofline.ridge(precision)
            for name, precision in _PRECISIONS
            if precision in roofline.peaks_gops
        },
    }
