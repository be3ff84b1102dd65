"""``roofline/gpus``: the GPUs that a person can choose from, with their ridges."""

from __future__ import annotations

from collections.abc import Iterable

from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings
from roofline_hardware_db import ClockKind, find_gpu, gpu_names
from roofline_hardware_db.detect import present_gpus
from roofline_hardware_db.errors import UnknownGpuError
from roofline_lsp.formats.gpu_json import gpu_object
from roofline_lsp.formats.json import Json

METHOD = "roofline/gpus"
"""A request without parameters, or with ``{"textDocument": {"uri": ...}}``.

``"only": "current"`` lists no other GPU than the current one, and does not look for ``machine``.
"""

_KEYS = ("name", "aliases", "vendor", "architecture", "memory_bandwidth_gbs", "ridge")


def gpus(settings: Settings, *, only_current: bool = False) -> Json:
    """``current``, the name of the GPU that the settings mean, ``clock``, ``note`` and more.

    ``note`` says what a person should know of the current one, such as that none was found in this
    machine; else it is null. ``machine`` are the names of the GPUs of the machine that the server
    runs on, as far as they are known; null if they were not looked for. ``gpus`` has of each its
    ``name``, ``aliases``, ``vendor``, ``architecture``, ``memory_bandwidth_gbs`` and ``ridge``, in
    operations per byte by precision, without precisions that have no known peak.
    """
    current, note = _current(settings)
    clock = ClockKind(settings.clock)
    names = gpu_names() if not only_current else () if current is None else (current,)
    return {
        "current": current,
        "clock": settings.clock,
        "note": note,
        "machine": None
        if only_current
        else list(dict.fromkeys(each.name for each in present_gpus())),
        "gpus": _listed(names, clock),
    }


def _current(settings: Settings) -> tuple[str | None, str | None]:
    """Its name, and what a person should know of it."""
    try:
        return find_gpu(settings.gpu).name, None
    except UnknownGpuError:
        pass
    # The GPU of this machine, or one of the settings' own; few have those.
    from roofline_analysis.api import gpu_used  # noqa: PLC0415 - it loads the analyser

    try:
        used = gpu_used(settings)
    except RooflineError:
        return None, None
    return used.name, used.note


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
