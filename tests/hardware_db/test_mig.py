"""Slices of partitioned GPUs are GPUs with a part of the whole."""

import pytest

from roofline_core.program.precision import Precision
from roofline_hardware_db import ClockKind, UnknownGpuError, find_gpu
from roofline_hardware_db.mig import split_profile


@pytest.mark.parametrize(
    ("name", "gpu", "profile"),
    [
        ("H100 1g.10gb", "H100", "1g.10gb"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA A100-SXM4-40GB", "1g.5gb"),
        ("a100 80gb (MIG 3g.40GB)", "a100 80gb", "3g.40gb"),
        ("A30 MIG-2g.12gb+me", "A30", "2g.12gb+me"),
        ("H200 1c.3g.71gb", "H200", "3g.71gb"),
        ("RTX 3080 10gb", "RTX 3080 10gb", None),
    ],
)
def test_profile_is_told_from_the_name(name: str, gpu: str, profile: str | None) -> None:
    assert split_profile(name) == (gpu, profile)


@pytest.mark.parametrize(
    ("name", "sms", "memory_gb", "bandwidth_gbs", "l2_mb"),
    [
        ("H100 1g.10gb", 16, 10, 419, 6.25),
        ("H100 1g.20gb", 16, 20, 838, 6.25),
        ("H100 3g.40gb", 48, 40, 1676, 25),
        ("A100 1g.5gb", 14, 5, 1555 / 8, 5),
        ("A100 7g.40gb", 98, 40, 1555, 40),
        ("A30 2g.12gb", 28, 12, 466.5, 12),
        ("B200 1g.23gb", 18, 22.5, 962.5, 126.5 / 8),
        ("RTX PRO 6000 Blackwell 2g.48gb", 94, 48, 896, 64),
    ],
)
def test_slice_has_its_part(
    name: str, sms: int, memory_gb: float, bandwidth_gbs: float, l2_mb: float
) -> None:
    part = find_gpu(name)
    assert part.sm_count == sms
    assert part.memory_gb == memory_gb
    assert part.memory_bandwidth_gbs == pytest.approx(bandwidth_gbs)
    assert part.l2_mb == pytest.approx(l2_mb)


def test_peaks_of_a_slice_follow_its_sms() -> None:
    whole, part = find_gpu("A100"), find_gpu("A100 2g.10gb")
    peaks = whole.roofline(ClockKind.BOOST).peaks_gops
    assert part.roofline(ClockKind.BOOST).peaks_gops[Precision.SP] == pytest.approx(
        peaks[Precision.SP] * 28 / 108
    )
    assert part.name == "A100 SXM4 40GB MIG 2g.10gb"
    assert part.architecture is whole.architecture
    assert part.stated.fp32_tflops is None
    assert part.pci_ids == ()


def test_profile_that_the_gpu_has_not_is_answered_with_those_it_has() -> None:
    with pytest.raises(UnknownGpuError) as caught:
        find_gpu("A100 1g.6gb")
    assert "A100 SXM4 40GB 1g.5gb" in caught.value.suggestions


@pytest.mark.parametrize("name", ["RTX 3080 1g.10gb", "1g.10gb", "MIG 1g.10gb"])
def test_gpu_without_slices_has_none(name: str) -> None:
    with pytest.raises(UnknownGpuError):
        find_gpu(name)
