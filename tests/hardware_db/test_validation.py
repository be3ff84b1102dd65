"""What validation finds in files that can be read."""

from dataclasses import replace

import pytest

from roofline_lsp.hardware_db import Peaks, find_gpu, load_gpu_file
from roofline_lsp.hardware_db.validation import validate, validate_architecture, validate_file

from .conftest import WriteToml


def test_sound_file(write_gpu: WriteToml) -> None:
    assert validate_file(write_gpu()) == ()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("sm_count, base", "base", "sm_count: has no source; name a document under [sources]"),
        (
            "tensor_flops_per_clock_sm, stated",
            "stated",
            "tensor_flops_per_clock_sm.fp16: has no source; name a document under [sources]",
        ),
        (
            '"memory_bandwidth_gbs,',
            '"sm_count, memory_bandwidth_gbs,',
            "sm_count: has 2 sources; leave the one that the number was taken from",
        ),
        (
            '"memory_bandwidth_gbs,',
            '"l2_mb, memory_bandwidth_gbs,',
            "sources: l2_mb is no number of this file; remove it or mend its spelling",
        ),
        ("base_clock_mhz = 1000", "base_clock_mhz = 2001", "base_clock_mhz: 2001 exceeds"),
        (
            "[stated]\nfp32_tflops = 5.12",
            "",
            "sources: stated is no number of this file; remove it or mend its spelling",
        ),
        (
            "fp32_tflops = 5.12",
            "fp32_tflops = 5.18",
            "stated.fp32_tflops: 5.18 is stated but the rates give 5.12, more than 1% off",
        ),
    ],
)
def test_fault(write_gpu: WriteToml, old: str, new: str, problem: str) -> None:
    problems = validate_file(write_gpu((old, new)))
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_number_named_apart_from_its_table_has_one_source(write_gpu: WriteToml) -> None:
    path = write_gpu(
        ("fp16 = 512", "fp16 = 512\nbf16 = 512"),
        ("[sources]", '[sources]\n"tensor_flops_per_clock_sm.fp16" = "Errata"'),
    )
    assert validate_file(path) == ()
    gpu = load_gpu_file(path)
    assert gpu.source_of("tensor_flops_per_clock_sm.fp16") == "Errata"
    assert gpu.source_of("tensor_flops_per_clock_sm.bf16") == "Data sheet"
    assert gpu.source_of("sm_count") == "White paper, table 1"
    assert gpu.source_of("l2_mb") is None


@pytest.mark.parametrize(
    ("field", "derived", "tolerance"),
    [
        ("fp32_tflops", 29.76768, 0.01),
        ("fp64_tflops", 0.46512, 0.02),
        ("fp16_tflops", 29.76768, 0.02),
        ("int32_tops", 14.88384, 0.02),
        ("tensor_fp16_tflops", 59.53536, 0.02),
    ],
)
def test_tolerance_of_stated_peaks(field: str, derived: float, tolerance: float) -> None:
    gpu = find_gpu("RTX 3080")

    def is_accepted(ratio: float) -> bool:
        """Whether a stated peak that makes derived / stated the given ratio passes."""
        peaks = Peaks(**{field: derived / ratio})
        return not any("is stated but" in one for one in validate(replace(gpu, stated=peaks)))

    assert is_accepted(1 + 0.99 * tolerance)
    assert is_accepted(1 - 0.99 * tolerance)
    assert not is_accepted(1 + 1.01 * tolerance)
    assert not is_accepted(1 - 1.01 * tolerance)


def test_stated_peak_without_a_rate_cannot_be_checked() -> None:
    orin = find_gpu("Jetson AGX Orin")
    problems = validate(replace(orin, stated=Peaks(fp32_tflops=5.3, fp16_tflops=10.6)))
    assert "stated.fp16_tflops: there is no rate to check it against; add the rate" in problems


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"threads_per_sm": 1535}, "occupancy.threads_per_sm: must be warps_per_sm x warp_size"),
        ({"threads_per_block": 2048}, "occupancy.threads_per_block: must not exceed"),
        ({"shared_bytes_per_block": 102_400}, "occupancy.shared_bytes_per_block: must fit"),
        ({"registers_per_block": 65_537}, "occupancy.registers_per_block: must not exceed"),
        ({"subpartitions_per_sm": 5}, "occupancy.subpartitions_per_sm: must divide"),
    ],
)
def test_limits_that_disagree(change: dict[str, int], problem: str) -> None:
    gpu = find_gpu("RTX 3080")
    broken = replace(gpu.architecture, occupancy=replace(gpu.architecture.occupancy, **change))
    problems = validate_architecture(broken)
    assert len(problems) == 1
    assert problems[0].startswith(problem)
    assert validate(replace(gpu, architecture=broken)) == (f"architecture sm_86: {problems[0]}",)


@pytest.mark.parametrize(("sector_bytes", "sound"), [(32, True), (128, True), (48, False)])
def test_sectors_are_powers_of_two(sector_bytes: int, sound: bool) -> None:
    architecture = replace(find_gpu("MI210").architecture, sector_bytes=sector_bytes)
    expected = () if sound else ("sector_bytes: must be a power of two",)
    assert validate_architecture(architecture) == expected


def test_architecture_needs_an_fp32_rate_and_sources() -> None:
    architecture = find_gpu("RTX 3080").architecture
    rates = replace(architecture.instructions_per_clock_sm, fp32=None)
    assert validate_architecture(replace(architecture, instructions_per_clock_sm=rates)) == (
        "instructions_per_clock_sm.fp32: missing; add it",
    )
    unsourced = validate_architecture(replace(architecture, sources=()))
    assert len(unsourced) == 2 + 6 + 13
    assert unsourced[0] == "warp_size: has no source; name a document under [sources]"
