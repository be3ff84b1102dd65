"""The GPU of the settings, looked up."""

from __future__ import annotations

from roofline_lsp.analysis.background import Background
from roofline_lsp.analysis.predict import Target
from roofline_lsp.analysis.timing import l2_bandwidth_gbs
from roofline_lsp.api.report import GpuUsed
from roofline_lsp.hardware_db import ClockKind, find_gpu
from roofline_lsp.settings import Settings


def target_of(settings: Settings) -> Target:
    """The GPU and roofline that the settings name. Raises ``UnknownGpuError``."""
    gpu = find_gpu(settings.gpu)
    background = Background(settings.background_gbs, settings.background_period_ms)
    return Target(gpu, gpu.roofline(ClockKind(settings.clock)), background)


def gpu_used(settings: Settings) -> GpuUsed:
    """The roofline that reports will be judged by. Raises ``UnknownGpuError``."""
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
    )
