"""``roofline/gpus``: the GPUs that a person can choose from, with their ridges."""

from __future__ import annotations

from collections.abc import Iterable

from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings
from roofline_hardware_db import ClockKind, find_gpu, gpu_names
from roofline_hardware_db.errors import UnknownGpuError
from roofline_lsp.formats.gpu_json import gpu_object
from roofline_lsp.formats.json import Json

METHOD = "roofline/gpus"
"""A request without parameters, or with ``{"textDocument": {"uri": ...}}``.

``"only": "current"`` lists no other GPU than the current one.
"""

_KEYS = ("name", "aliases", "vendor", "architecture", "memory_bandwidth_gbs", "ridge")


def gpus(settings: Settings, *, only_current: bool = False) -> Json:
    """``current``, the name of the GPU that the settings mean, ``clock``, and ``gpus``.

    Of each its ``name``, ``aliases``, ``vendor``, ``architecture``, ``memory_bandwidth_gbs`` and
    ``ridge``, in operations per byte by precision, without precisions that have no known peak.
    """
    current = _current(settings)
    clock = ClockKind(settings.clock)
    names = gpu_names() if not only_current else () if current is None else (current,)
    return {"current": current, "clock": settings.clock, "gpus": _listed(names, clock)}


def _current(settings: Settings) -> str | None:
    try:
        return find_gpu(settings.gpu).name
    except UnknownGpuError:
        pass
    # The GPU of this machine, or one of the settings' own; few have those.
    from roofline_analysis.api import gpu_used  # noqa: PLC0415 - it loads the analyser

    try:
        return gpu_used(settings).name
    except RooflineError:
        return None


def _listed(names: Iterable[str], clock: ClockKind) -> list[Json]:
    """What a person needs to choose; a GPU of the settings' own is not in the database."""
    found: list[Json] = []
    for name in names:
        try:
            made = gpu_object(find_gpu(name), clock)
        except UnknownGpuError:
            continue
        found.append({key: made[key] for key in _KEYS})
    return found
