"""Every entry of the database is sound, and the figures that others build on are exact."""

from collections import Counter
from pathlib import Path

import pytest

from roofline_core.program.precision import Precision
from roofline_hardware_db import ClockKind, find_gpu, gpu_names
from roofline_hardware_db.load import (
    ARCHITECTURE_FOLDER,
    GPU_FOLDER,
    architecture_names,
    load_architecture_file,
    load_gpu_file,
)
from roofline_hardware_db.model import SEGMENTS
from roofline_hardware_db.validation import validate_file

GPU_FILES = sorted(GPU_FOLDER.glob("*.toml"))


@pytest.mark.parametrize("path", GPU_FILES, ids=lambda path: path.stem)
def test_entry_is_sound(path: Path) -> None:
    assert validate_file(path) == ()


@pytest.mark.parametrize("path", GPU_FILES, ids=lambda path: path.stem)
def test_entry_is_found_by_each_of_its_names(path: Path) -> None:
    gpu = load_gpu_file(path)
    for name in (gpu.name, gpu.slug, f"{gpu.vendor} {gpu.name}", *gpu.aliases, *gpu.default_for):
        assert find_gpu(name) == gpu


def test_architectures_are_called_after_their_files_and_all_used() -> None:
    used = {load_gpu_file(path).architecture.name for path in GPU_FILES}
    assert used == set(architecture_names())
    for name in architecture_names():
        assert load_architecture_file(ARCHITECTURE_FOLDER / f"{name}.toml").name == name


def test_vendors_agree_with_their_architectures() -> None:
    for path in GPU_FILES:
        gpu = load_gpu_file(path)
        assert gpu.vendor == gpu.architecture.vendor, path


PROMISED = """
P100, V100, T4, RTX 2080 Ti, A100, A100 80GB, A10, A30, RTX 3060, RTX 3080, RTX 3080 12GB, RTX 3090,
RTX A6000, L4, L40S, RTX 4070, RTX 4090, RTX 6000 Ada, H100 PCIe, H100 SXM, H200, B200, RTX 5090,
Jetson AGX Orin, MI210, MI300X
"""


def test_promised_gpus_are_different_entries() -> None:
    names = [name.strip() for name in PROMISED.split(",")]
    found = {find_gpu(name).name for name in names}
    assert len(found) == len(names) == 26
    assert found <= set(gpu_names())


def test_rtx_3080_at_the_base_clock_has_the_figures_of_the_paper() -> None:
    roofline = find_gpu("rtx-3080-10gb").roofline(ClockKind.BASE)
    assert roofline.clock is ClockKind.BASE
    assert roofline.clock_mhz == 1440
    assert roofline.bandwidth_gbs == 760.3
    peaks = roofline.peaks_gops
    assert peaks[Precision.SP] == pytest.approx(25_067.52, rel=1e-12)
    assert peaks[Precision.DP] == pytest.approx(391.68, rel=1e-12)
    assert peaks[Precision.INT] == pytest.approx(12_533.76, rel=1e-12)
    ridges = [roofline.ridge(one) for one in (Precision.SP, Precision.DP, Precision.INT)]
    assert ridges == pytest.approx([32.97, 0.515, 16.49], abs=0.005)


def test_rtx_3080_at_the_boost_clock() -> None:
    roofline = find_gpu("rtx-3080-10gb").roofline(ClockKind.BOOST)
    assert roofline.clock_mhz == 1710
    assert dict(roofline.peaks_gops) == pytest.approx(
        {
            Precision.SP: 29_767.68,
            Precision.DP: 465.12,
            Precision.HP: 29_767.68,
            Precision.INT: 14_883.84,
            Precision.TENSOR: 59_535.36,
        },
        rel=1e-12,
    )


@pytest.mark.parametrize(
    ("name", "precision", "gops"),
    [
        ("P100", Precision.HP, 21_217.28),
        ("A100", Precision.DP, 9_745.92),
        ("A100", Precision.TENSOR, 311_869.44),
        ("H100", Precision.SP, 66_908.16),
        ("H100", Precision.TENSOR, 989_429.76),  # 1830 MHz, below the boost clock
        ("RTX 4090", Precision.INT, 41_287.68),
        ("RTX 5090", Precision.INT, 104_752.64),
        ("MI210", Precision.INT, 22_630.4),
        ("MI300X", Precision.SP, 163_430.4),
        ("MI300X", Precision.TENSOR, 1_307_443.2),
    ],
)
def test_peak_at_the_boost_clock(name: str, precision: Precision, gops: float) -> None:
    assert find_gpu(name).roofline(ClockKind.BOOST).peaks_gops[precision] == pytest.approx(gops)


@pytest.mark.parametrize(
    ("name", "precision"),
    [
        ("P100", Precision.TENSOR),
        ("Jetson AGX Orin", Precision.HP),
        ("Jetson AGX Orin", Precision.TENSOR),
        ("MI210", Precision.HP),
    ],
)
def test_unknown_peak_is_absent_and_its_ridge_none(name: str, precision: Precision) -> None:
    roofline = find_gpu(name).roofline(ClockKind.BOOST)
    assert precision not in roofline.peaks_gops
    assert roofline.ridge(precision) is None


@pytest.mark.parametrize(
    ("name", "sector_bytes"),
    [("RTX 3080", 32), ("H100", 32), ("P100", 32), ("MI210", 64), ("MI300X", 128)],
)
def test_what_l2_reads_at_a_time(name: str, sector_bytes: int) -> None:
    assert find_gpu(name).architecture.sector_bytes == sector_bytes


def test_the_last_cache_is_the_infinity_cache_where_there_is_one() -> None:
    assert find_gpu("MI300X").last_cache_bytes == 256 * 2**20
    assert find_gpu("MI210").last_cache_bytes == 8 * 2**20
    assert find_gpu("RTX 3080").last_cache_bytes == 5 * 2**20


def test_occupancy_facts_of_sm_86() -> None:
    architecture = find_gpu("RTX 3080").architecture
    limits = architecture.occupancy
    assert architecture.warp_size == 32
    assert (limits.warps_per_sm, limits.threads_per_sm, limits.blocks_per_sm) == (48, 1536, 16)
    assert (limits.registers_per_sm, limits.registers_per_thread) == (65_536, 255)
    assert (limits.register_alloc_unit, limits.subpartitions_per_sm) == (256, 4)
    assert (limits.shared_bytes_per_sm, limits.shared_bytes_per_block) == (102_400, 101_376)
    assert (limits.shared_alloc_unit_bytes, limits.shared_reserved_bytes_per_block) == (128, 1024)


def test_occupancy_facts_of_cdna_leave_unknown_limits_out() -> None:
    architecture = find_gpu("MI300X").architecture
    assert architecture.warp_size == 64
    assert architecture.occupancy.registers_per_sm == 131_072
    assert architecture.occupancy.blocks_per_sm is None
    assert architecture.occupancy.registers_per_block is None


def test_cache_sizes_in_bytes() -> None:
    assert find_gpu("RTX 3080").l2_bytes == 5 * 1024 * 1024
    assert find_gpu("RTX 3080").l3_bytes is None
    assert find_gpu("MI300X").l3_bytes == 256 * 1024 * 1024


def test_how_many_gpus_of_which_kind() -> None:
    gpus = [load_gpu_file(path) for path in GPU_FILES]
    assert len(gpus) >= 160
    vendors = Counter(gpu.vendor for gpu in gpus)
    assert (vendors["NVIDIA"] >= 100, vendors["AMD"] >= 40, vendors["Intel"] >= 15) == (True,) * 3
    assert {gpu.segment for gpu in gpus} == set(SEGMENTS)
    assert {gpu.architecture.generation for gpu in gpus} == {
        "Kepler", "Maxwell", "Pascal", "Volta", "Turing", "Ampere", "Ada Lovelace", "Hopper",
        "Blackwell", "GCN 5", "CDNA", "CDNA 2", "CDNA 3", "CDNA 4", "RDNA 2", "RDNA 3", "RDNA 4",
        "Xe-HPG", "Xe-HPC", "Xe2-HPG",
    }  # fmt: skip


def test_only_the_listed_entries_have_exceptions() -> None:
    listed = {
        (gpu.slug, peak)
        for path in GPU_FILES
        for gpu in [load_gpu_file(path)]
        for peak in gpu.exceptions
    }
    assert listed == {
        ("b300", "fp32_tflops"),
        ("b300", "fp64_tflops"),
        ("rx-6600m", "fp32_tflops"),
        ("rx-6800m", "fp32_tflops"),
        ("vii", "fp32_tflops"),
    }


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("RTX 3080", {"sm_count": 68, "memory_gb": 10, "memory_bandwidth_gbs": 760.3}),
        ("RTX 3080 12GB", {"sm_count": 70, "memory_gb": 12, "memory_bandwidth_gbs": 912.4}),
        ("RTX 3080 Laptop GPU", {"sm_count": 48}),
        ("RTX 4090 Laptop GPU", {"sm_count": 76}),
        ("L4", {"sm_count": 58}),
        ("A100 PCIe 80GB", {"l2_mb": 40}),
        ("L40S", {"l2_mb": 96}),
        ("Jetson AGX Orin", {"l2_mb": 4, "memory_bandwidth_gbs": 204.8}),
        ("MI210", {"l2_mb": 8, "devices_per_board": None}),
        ("MI250X", {"sm_count": 110, "l2_mb": 8, "devices_per_board": 2}),
        ("MI300X", {"l2_mb": 32, "memory_bandwidth_gbs": 5300}),
        ("MI325X", {"memory_gb": 256, "memory_bandwidth_gbs": 6000}),
        ("Tesla K80", {"sm_count": 13, "memory_gb": 12, "devices_per_board": 2}),
        ("Data Center GPU Max 1550", {"sm_count": 64, "memory_gb": 64, "devices_per_board": 2}),
        ("Arc A770 16GB", {"memory_bandwidth_gbs": 560}),
        ("B200", {"sm_count": 148, "memory_gb": 180, "memory_bandwidth_gbs": 7700}),
        ("H100 PCIe", {"sm_count": 114, "tensor_clock_mhz": 1620}),
        ("H100 SXM", {"sm_count": 132, "tensor_clock_mhz": 1830}),
        ("H100 NVL", {"sm_count": 132, "memory_gb": 94}),
    ],
)
def test_figures_that_are_often_given_wrong(name: str, figures: dict[str, float | None]) -> None:
    gpu = find_gpu(name)
    assert {field: getattr(gpu, field) for field in figures} == figures


@pytest.mark.parametrize(
    ("name", "rates"),
    [
        ("RTX 3080", {"fp32": 128, "int32": 64}),  # half of the lanes do integers
        ("RTX 4090", {"fp32": 128, "int32": 64}),
        ("RTX 5090", {"fp32": 128, "int32": 128}),  # all of them
        ("RX 7900 XTX", {"fp32": 128, "int32": 64}),  # dual issue is for FP32
        ("RX 6900 XT", {"fp32": 64, "int32": 64}),
        ("GTX 780 Ti", {"fp32": 192, "fp64": 8}),
        ("GTX TITAN", {"fp32": 192, "fp64": 64}),
        ("Radeon VII", {"fp64": 16}),
        ("Radeon Pro VII", {"fp64": 32}),
        ("Arc A770", {"fp64": None}),
        ("Jetson AGX Xavier", {"fp64": None}),
        ("B300", {"fp64": 2}),
    ],
)
def test_rates_that_differ_within_a_family(name: str, rates: dict[str, float | None]) -> None:
    own = find_gpu(name).rates
    assert {kind: getattr(own, kind) for kind in rates} == rates


@pytest.mark.parametrize(
    ("consumer", "professional"),
    [("RTX 3090", "RTX A6000"), ("RTX 4090", "RTX 6000 Ada"), ("RTX 2080 Ti", "Quadro RTX 6000")],
)
def test_geforce_accumulates_in_32_bits_at_half_the_rate(consumer: str, professional: str) -> None:
    half, full = (find_gpu(name).tensor_flops_per_clock_sm for name in (consumer, professional))
    assert (half.fp16, full.fp16) == (512, 1024)
    assert half.fp16_acc16 == 1024


def test_tensor_peaks_by_type_are_dense() -> None:
    peaks = find_gpu("H100 SXM").tensor_peaks_tflops(ClockKind.BOOST)
    assert peaks["fp16"] == pytest.approx(989.4, abs=0.1)
    assert peaks["fp8"] == pytest.approx(1978.9, abs=0.1)
    assert peaks["tf32"] == pytest.approx(494.7, abs=0.1)
    assert "fp16_acc16" not in peaks
