"""The GPU that verdicts are for: the database's, with what the settings change."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from roofline_analysis.api import targets
from roofline_analysis.api.targets import gpu_of, gpu_used, target_of
from roofline_core.program.precision import Precision
from roofline_core.settings import OwnGpu, Settings
from roofline_core.settings.own_gpus import FIGURES, MEASURED
from roofline_hardware_db import Gpu, GpuDataError, Peaks, UnknownGpuError, find_gpu


def test_settings_can_replace_what_the_database_knows() -> None:
    assert set(FIGURES) <= {entry.name for entry in fields(Gpu)}
    assert set(MEASURED) == {entry.name for entry in fields(Peaks)}


def test_without_overrides_it_is_the_one_of_the_database() -> None:
    assert gpu_of(Settings(gpu="rtx3080")) is find_gpu("RTX 3080")


def test_own_gpu_is_like_another_but_for_what_it_says() -> None:
    own = OwnGpu("lab card", like="RTX 3080", figures=(("memory_bandwidth_gbs", 700.0),))
    gpu = gpu_of(Settings(gpu="Lab Card", gpus=(own,)))
    assert (gpu.name, gpu.memory_bandwidth_gbs, gpu.sm_count) == ("lab card", 700.0, 68)


def test_a_power_cap_lowers_the_clocks_that_are_above_it() -> None:
    own = OwnGpu("RTX 3080", clock_cap_mhz=1600)
    target = target_of(Settings(gpu="GeForce RTX 3080 10GB", gpus=(own,)))
    assert target.gpu.name == "GeForce RTX 3080 10GB"
    assert (target.gpu.boost_clock_mhz, target.gpu.base_clock_mhz) == (1600, 1440)
    assert target.roofline.peaks_gops[Precision.SP] == pytest.approx(68 * 128 * 2 * 1.6)


def test_overrides_of_other_gpus_change_nothing() -> None:
    own = OwnGpu("RTX 3080", clock_cap_mhz=1000)
    assert gpu_of(Settings(gpu="RTX 3080 12GB", gpus=(own,))) is find_gpu("RTX 3080 12GB")


def test_measured_ceilings_are_used_only_when_asked_for() -> None:
    own = OwnGpu("RTX 3080", measured=(("memory_bandwidth_gbs", 650.0), ("fp32_tflops", 28.0)))
    spec = target_of(Settings(gpus=(own,))).roofline
    measured = target_of(Settings(gpus=(own,), ceilings="measured")).roofline
    assert (spec.bandwidth_gbs, measured.bandwidth_gbs) == (760.3, 650.0)
    assert measured.peaks_gops[Precision.SP] == 28_000
    assert measured.peaks_gops[Precision.INT] == spec.peaks_gops[Precision.INT]
    assert measured.ridge(Precision.SP) == pytest.approx(28_000 / 650)


def test_a_slice_can_be_overridden_like_a_gpu() -> None:
    own = OwnGpu("slice", like="A100 1g.5gb", figures=(("memory_bandwidth_gbs", 190.0),))
    used = gpu_used(Settings(gpu="slice", gpus=(own,)))
    assert used.bandwidth_gbs == 190.0
    assert used.peaks_gops[Precision.SP] == pytest.approx(14 * 64 * 2 * 1.41)


def test_own_file_describes_a_gpu(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "Prototype"\nvendor = "NVIDIA"\narchitecture = "sm_90"\n'
        "sm_count = 4\nboost_clock_mhz = 1000\nmemory_bandwidth_gbs = 100\n"
    )
    gpu = gpu_of(Settings(gpu="proto", gpus=(OwnGpu("proto", file=path),)))
    assert (gpu.name, gpu.sm_count, gpu.architecture.name) == ("proto", 4, "sm_90")
    with pytest.raises(GpuDataError):
        gpu_of(Settings(gpu="x", gpus=(OwnGpu("x", file=tmp_path / "absent.toml"),)))


def test_own_gpu_like_an_unknown_one_says_so() -> None:
    with pytest.raises(UnknownGpuError, match="Voodoo"):
        gpu_of(Settings(gpu="x", gpus=(OwnGpu("x", like="Voodoo"),)))


def test_auto_is_the_gpu_of_this_machine_or_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "present_gpus", lambda: (find_gpu("L4"), find_gpu("T4")))
    assert gpu_of(Settings(gpu="auto")).name == "L4"
    monkeypatch.setattr(targets, "present_gpus", tuple)
    assert gpu_of(Settings(gpu=" Auto")) is find_gpu(Settings().gpu)


def test_what_auto_means_without_a_gpu_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "present_gpus", tuple)
    used = gpu_used(Settings(gpu="auto, MI300X"))
    assert used.name == "Instinct MI300X"
    assert used.note is not None
    assert used.note.startswith("no GPU that the database knows was found in this machine")
    assert gpu_used(Settings(gpu="A100")).note is None
    monkeypatch.setattr(targets, "present_gpus", lambda: (find_gpu("L4"),))
    there = gpu_used(Settings(gpu="AUTO , MI300X"))
    assert (there.name, there.note) == ("L4", None)
    monkeypatch.setattr(targets, "present_gpus", tuple)
    with pytest.raises(UnknownGpuError, match="Voodoo"):
        gpu_of(Settings(gpu="auto, Voodoo 5"))


def test_overrides_hold_for_the_gpu_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "present_gpus", lambda: (find_gpu("L4"),))
    own = OwnGpu("NVIDIA L4", clock_cap_mhz=900)
    assert gpu_of(Settings(gpu="auto", gpus=(own,))).boost_clock_mhz == 900
