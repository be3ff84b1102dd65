"""The GPU of the settings, with the settings' overrides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from roofline_analysis.report.report import GpuUsed
from roofline_analysis.timing.launch_time import l1_bandwidth_gbs, l2_bandwidth_gbs
from roofline_analysis.traffic.background import Background
from roofline_analysis.verdict.analyse import Target
from roofline_analysis.verdict.rule import RULES_BY_NAME
from roofline_core.settings import OwnGpu, Settings
from roofline_hardware_db import ClockKind, Gpu, Peaks, find_gpu, load_gpu_file
from roofline_hardware_db.detect import AUTO, present_gpus
from roofline_hardware_db.errors import UnknownGpuError
from roofline_hardware_db.names import key_of


def target_of(settings: Settings) -> Target:
    """The GPU and roofline that the settings name. Raises ``UnknownGpuError``."""
    gpu = gpu_of(settings)
    measured = settings.ceilings == "measured"
    background = Background(settings.background_gbs, settings.background_period_ms)
    roofline = gpu.roofline(ClockKind(settings.clock), measured=measured)
    rule = RULES_BY_NAME[settings.rule]
    return Target(gpu, roofline, background, rule, settings.compiler)


def gpu_of(settings: Settings, name: str | None = None) -> Gpu:
    """The GPU of that name (None: of the one the settings choose), with the settings' overrides.

    A GPU defined in the settings takes precedence over the database. ``auto`` is the first GPU of
    this machine that the database knows; without one, the GPU named after it (``auto, A100``) or
    the default. Raises ``UnknownGpuError``, which names the settings file of an unknown name, and
    ``GpuDataError``.
    """
    try:
        return _named(settings, settings.gpu if name is None else name)
    except UnknownGpuError as error:
        raise _told_where(error, settings) from None


def _told_where(error: UnknownGpuError, settings: Settings) -> UnknownGpuError:
    """The error with the file that has the name. What a person has just typed needs no place."""
    named = {"gpu": (settings.gpu,), "what_if": settings.what_if or ()}
    for key, names in named.items():
        origin = settings.origins.get(key, "")
        if origin.endswith(".toml") and any(error.name in name for name in names):
            return UnknownGpuError(error.name, error.suggestions, origin)
    return error


def _named(settings: Settings, asked: str) -> Gpu:
    fallback = _fallback(asked)
    if fallback is not None:
        present = present_gpus()
        asked = present[0].name if present else fallback
    gpu = _overridden(asked, settings)
    return with_ceilings(gpu) if settings.ceilings == "measured" else gpu


def with_ceilings(gpu: Gpu) -> Gpu:
    """The GPU with its peaks measured on this machine, unless the settings override them.

    Raises ``MeasurementError`` if the file of measurements is broken.
    """
    from roofline_hardware_db.ceilings import load_ceilings  # noqa: PLC0415 - few runs need it

    found = load_ceilings(gpu)
    if found is None:
        return gpu
    known = {name: getattr(gpu.ceilings, name) for name in found.figures}
    figures = {name: known[name] or value for name, value in found.figures.items()}
    return replace(gpu, ceilings=replace(gpu.ceilings, **figures))


def _overridden(asked: str, settings: Settings) -> Gpu:
    key = key_of(asked)
    for own in settings.gpus:
        if key_of(own.name) == key:
            return _own(own)
    gpu = find_gpu(asked)
    for own in settings.gpus:
        if own.like is None and own.file is None and find_gpu(own.name) == gpu:
            return _own(own)
    return gpu


def _fallback(asked: str) -> str | None:
    """The GPU for ``auto`` or ``auto, A100`` on a machine without one; None for other names."""
    first, _, other = asked.partition(",")
    if first.strip().casefold() != AUTO:
        return None
    return other.strip() or Settings().gpu


def _own(own: OwnGpu) -> Gpu:
    base = load_gpu_file(own.file) if own.file is not None else find_gpu(own.like or own.name)
    figures: dict[str, Any] = dict(own.figures)
    if own.clock_cap_mhz is not None:
        for field in ("base_clock_mhz", "boost_clock_mhz", "tensor_clock_mhz"):
            clock_mhz = figures.get(field, getattr(base, field))
            if clock_mhz is not None:
                figures[field] = min(clock_mhz, own.clock_cap_mhz)
    name = base.name if own.like is None and own.file is None else own.name
    measured = replace(base.ceilings, **dict(own.measured)) if own.measured else base.ceilings
    return replace(base, name=name, ceilings=measured, stated=Peaks(), exceptions={}, **figures)


def gpu_used(settings: Settings) -> GpuUsed:
    """The roofline that reports will be judged by.

    Raises ``UnknownGpuError``, also for one of the GPUs to compare with.
    """
    for name in settings.what_if or ():
        gpu_of(settings, name)
    target = target_of(settings)
    roofline = target.roofline
    ridges = {
        precision: ridge
        for precision in roofline.peaks_gops
        if (ridge := roofline.ridge(precision)) is not None
    }
    return GpuUsed(
        name=target.gpu.name,
        clock=roofline.clock.value,
        clock_mhz=roofline.clock_mhz,
        peaks_gops=dict(roofline.peaks_gops),
        bandwidth_gbs=roofline.bandwidth_gbs,
        ridges=ridges,
        l2_bandwidth_gbs=l2_bandwidth_gbs(target.gpu, roofline.clock_mhz),
        l1_bandwidth_gbs=l1_bandwidth_gbs(target.gpu, roofline.clock_mhz),
        rule=target.rule.name,
        note="; ".join(_notes(settings, target.gpu)) or None,
    )


def _notes(settings: Settings, gpu: Gpu) -> Iterator[str]:
    if _fallback(settings.gpu) is not None and not present_gpus():
        yield "no GPU that the database knows was found in this machine, so this one is taken"
    if settings.ceilings == "measured" and gpu.ceilings == Peaks():
        yield "nothing was measured of this GPU, so its derived peaks are taken"
