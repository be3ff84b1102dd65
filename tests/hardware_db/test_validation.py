"""What validation finds in files that can be read."""

from dataclasses import replace

import pytest

from roofline_hardware_db import Peaks, find_gpu, load_gpu_file
from roofline_hardware_db.validation import validate, validate_architecture, validate_file

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
            "sources: l2_mb is no number of this file; remove it or correct its spelling",
        ),
        ("base_clock_mhz = 1000", "base_clock_mhz = 2001", "base_clock_mhz: 2001 exceeds"),
        (
            "[stated]\nfp32_tflops = 5.12",
            "",
            "sources: stated is no number of this file; remove it or correct its spelling",
        ),
        (
            "fp32_tflops = 5.12",
            "fp32_tflops = 5.18",
            "stated.fp32_tflops: 5.18 is stated but the rates give 5.12, more than 1% off",
        ),
        (
            "fp32_tflops = 5.12",
            "fp32_tflops = 5.12\nmemory_bandwidth_gbs = 510",
            "stated.memory_bandwidth_gbs: 510 is not memory_bandwidth_gbs",
        ),
        (
            "[sources]",
            '[exceptions]\nfp32_tflops = "rounded"\n[sources]',
            "exceptions.fp32_tflops: the peak agrees with the stated one; remove it",
        ),
        (
            "[sources]",
            '[exceptions]\nfp64_tflops = "rounded"\n[sources]',
            "exceptions.fp64_tflops: is no stated peak of this file; remove it",
        ),
        (
            "[sources]",
            '[disputed]\nl2_mb = "a table: 6"\n[sources]',
            "disputed.l2_mb: is no number of this file and no peak; correct its spelling",
        ),
        (
            "sm_count = 10",
            'sm_count = 10\nsegment = "gaming"',
            'segment: "gaming" is unknown; choose among data-centre, workstation, consumer,',
        ),
        (
            "sm_count = 10",
            'sm_count = 10\npci_ids = ["10de:2206"]',
            "pci_ids: has no source; name a document under [sources]",
        ),
        (
            "[sources]",
            '[mig]\n"1g.1gb" = {sm_count = 1, memory_fraction = 0.5, l2_fraction = 0.5}\n[sources]',
            "mig: has no source; name a document under [sources]",
        ),
    ],
)
def test_fault(write_gpu: WriteToml, old: str, new: str, problem: str) -> None:
    problems = validate_file(write_gpu((old, new)))
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_an_exception_excuses_a_stated_peak(write_gpu: WriteToml) -> None:
    path = write_gpu(
        ("fp32_tflops = 5.12", "fp32_tflops = 5.18"),
        ("[sources]", '[exceptions]\nfp32_tflops = "the vendor counts another clock"\n[sources]'),
    )
    assert validate_file(path) == ()


def test_a_peak_can_be_disputed_though_the_vendor_states_none(write_gpu: WriteToml) -> None:
    path = write_gpu(("[sources]", '[disputed]\nfp64_tflops = "a table: 0.1"\n[sources]'))
    assert validate_file(path) == ()
    assert load_gpu_file(path).disputed == {"fp64_tflops": "a table: 0.1"}


@pytest.mark.parametrize("pci_id", ["10DE:2206", "2206", "10de:2206:a", "10de:2206:a1:00"])
def test_pci_ids_have_one_form(write_gpu: WriteToml, pci_id: str) -> None:
    path = write_gpu(
        ("sm_count = 10", f'sm_count = 10\npci_ids = ["{pci_id}"]'),
        ("[sources]", '[sources]\npci_ids = "pci.ids"'),
    )
    assert [problem.partition(" must")[0] for problem in validate_file(path)] == [
        f'pci_ids: "{pci_id}"'
    ]


@pytest.mark.parametrize(
    ("sms", "memory", "l2", "accepted"),
    [(10, 1, 1, True), (11, 1, 1, False), (1, 1.5, 1, False), (1, 1, 1.01, False)],
)
def test_a_slice_is_no_larger_than_its_gpu(
    write_gpu: WriteToml, sms: int, memory: float, l2: float, accepted: bool
) -> None:
    entry = f"{{ sm_count = {sms}, memory_fraction = {memory}, l2_fraction = {l2} }}"
    path = write_gpu(("[sources]", f'[mig]\n"1g.1gb" = {entry}\n[sources]\nmig = "Guide"'))
    assert (validate_file(path) == ()) is accepted


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("mig = 3", "mig: must be a table that maps profiles to what they have"),
        ('mig = {"1g.1gb" = 3}', 'mig: "1g.1gb" must be a table'),
        (
            'mig = {"1g.1gb" = {sm_count = 1}}',
            "mig: 1g.1gb.memory_fraction: missing; add it; 1g.1gb.l2_fraction: missing; add it",
        ),
        ("disputed = 3", "disputed: must be a table that maps fields to remarks"),
        ("disputed = {l2_mb = 3}", 'disputed: "l2_mb" must have a remark, as a string'),
    ],
)
def test_tables_of_the_wrong_form(write_gpu: WriteToml, table: str, problem: str) -> None:
    assert validate_file(write_gpu(("sm_count = 10", f"sm_count = 10\n{table}"))) == (problem,)


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
