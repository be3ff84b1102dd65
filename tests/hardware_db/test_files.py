"""Files of a person's own: what is read, and what is said of a broken one."""

import pickle
from pathlib import Path

import pytest

from roofline_core.program.precision import Precision
from roofline_hardware_db import ClockKind, GpuDataError, load_gpu_file
from roofline_hardware_db.validation import validate_file

from .conftest import OWN_ARCHITECTURE, WriteToml


def test_own_file_is_read(write_gpu: WriteToml) -> None:
    gpu = load_gpu_file(write_gpu())
    assert (gpu.name, gpu.slug, gpu.sm_count) == ("Test 9000", "test-9000", 10)
    assert gpu.memory_gb is None
    assert gpu.l2_bytes is None
    assert gpu.aliases == ()
    assert gpu.architecture.name == "sm_86"
    assert gpu.roofline(ClockKind.BOOST).peaks_gops[Precision.SP] == 5120.0


def test_sources_are_not_asked_for_on_loading(write_gpu: WriteToml) -> None:
    path = write_gpu()
    path.write_text(path.read_text().partition("[sources]")[0])
    assert load_gpu_file(str(path)).sources == ()


def test_without_a_base_clock_the_boost_clock_is_used_and_said(write_gpu: WriteToml) -> None:
    gpu = load_gpu_file(write_gpu(("base_clock_mhz = 1000\n", "")))
    roofline = gpu.roofline(ClockKind.BASE)
    assert roofline.clock is ClockKind.BOOST
    assert roofline.clock_mhz == 2000


@pytest.mark.parametrize(
    ("tensor_clock_mhz", "base_gops", "boost_gops"),
    [(500, 2560.0, 2560.0), (1500, 5120.0, 7680.0), (2000, 5120.0, 10_240.0)],
)
def test_tensor_peak_is_at_the_lower_of_both_clocks(
    write_gpu: WriteToml, tensor_clock_mhz: int, base_gops: float, boost_gops: float
) -> None:
    path = write_gpu(("sm_count = 10", f"sm_count = 10\ntensor_clock_mhz = {tensor_clock_mhz}"))
    gpu = load_gpu_file(path)
    assert gpu.roofline(ClockKind.BASE).peaks_gops[Precision.TENSOR] == base_gops
    assert gpu.roofline(ClockKind.BOOST).peaks_gops[Precision.TENSOR] == boost_gops
    assert gpu.roofline(ClockKind.BOOST).peaks_gops[Precision.SP] == 5120.0


def test_own_rates_take_the_place_of_those_of_the_architecture(write_gpu: WriteToml) -> None:
    gpu = load_gpu_file(write_gpu(("[stated]", "[instructions_per_clock_sm]\nfp64 = 64\n[stated]")))
    assert gpu.architecture.instructions_per_clock_sm.fp64 == 2
    assert (gpu.rates.fp64, gpu.rates.fp32, gpu.rates.int32) == (64, 128, 64)
    assert gpu.roofline(ClockKind.BASE).peaks_gops[Precision.DP] == 1280.0


def test_own_architecture_file_beside_the_gpu(
    write_gpu: WriteToml, write_architecture: WriteToml
) -> None:
    write_architecture(('name = "sm_86"', 'name = "mine"'), ("fp64 = 2", "fp64 = 0.5"))
    gpu = load_gpu_file(write_gpu(('"sm_86"', '"arch.toml"')))
    assert gpu.architecture.name == "mine"
    assert gpu.rates.fp64 == 0.5


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("sm_count = 10\n", "", "sm_count: missing; add it"),
        ("sm_count = 10", 'sm_count = "10"', "sm_count: must be a number, not '10' (str)"),
        ("sm_count = 10", "sm_count = true", "sm_count: must be a number, not True (bool)"),
        ("sm_count = 10", "sm_count = 10.5", "sm_count: must be a whole number, not 10.5 (float)"),
        ("sm_count = 10", "sm_count = 0", "sm_count: must be above 0, not 0; leave the key out"),
        ("= 500.0", "= -1.0", "memory_bandwidth_gbs: must be above 0, not -1.0"),
        ("= 500.0", "= nan", "memory_bandwidth_gbs: must be a number, not nan (float)"),
        ("= 500.0", "= inf", "memory_bandwidth_gbs: must be a number, not inf (float)"),
        *(
            (
                "= 500.0",
                f"= {number}",
                f"memory_bandwidth_gbs: must be a number from 1e-09 to 1e+12, not {shown}",
            )
            for number, shown in (
                *(("1e-10", "1e-10 (float)"), ("1e13", "10000000000000.0 (float)")),
                *(("1" + "0" * 309, "an integer of 1027 bits"),),
                *(("0x" + "f" * 5_000, "an integer of 20000 bits"),),
            )
        ),
        ("base_clock_mhz", "bass_clock_mhz", 'unknown key; did you mean "base_clock_mhz"?'),
        ("base_clock_mhz = 1000", "colour = 1", "colour: unknown key; remove it"),
        ("fp16 = 512", "fp17 = 512", "tensor_flops_per_clock_sm.fp17: unknown key; did you mean"),
        (
            "fp16 = 512",
            "fp16 = []",
            "tensor_flops_per_clock_sm.fp16: must be a number, not [] (list)",
        ),
        ('vendor = "NVIDIA"', "vendor = 1", "vendor: must be a string that is not empty, not 1"),
        ('vendor = "NVIDIA"', 'vendor = " "', "vendor: must be a string that is not empty"),
        ('name = "Test 9000"', 'name = "NVIDIA"', "name: holds no more than a brand"),
        ("sm_count = 10", 'sm_count = 10\naliases = "A"', "aliases: must be a list of strings"),
        ("sm_count = 10", "sm_count = 10\naliases = [1]", "aliases: must be a string that is not"),
        (
            '"sm_86"',
            '"sm_999"',
            'architecture: "sm_999" is unknown; choose among bmg, dg2',
        ),
        ('"sm_86"', "86", "architecture: must be a string such as sm_86"),
        ('"sm_86"', '"absent.toml"', "absent.toml: cannot be read (No such file or directory)"),
        ('"Data sheet"', "7", "must name a document, as a string"),
    ],
)
def test_broken_file_names_the_key_and_the_remedy(
    write_gpu: WriteToml, old: str, new: str, problem: str
) -> None:
    path = write_gpu((old, new))
    with pytest.raises(GpuDataError) as caught:
        load_gpu_file(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert problem in str(caught.value)
    assert caught.value.problems == validate_file(path)


def test_table_in_place_of_a_number_and_number_in_place_of_a_table(write_gpu: WriteToml) -> None:
    path = write_gpu(("[tensor_flops_per_clock_sm]\nfp16 = 512", "[sm_count2]\nx = 1"))
    path.write_text("stated = 3\nsources = 4\n" + path.read_text().partition("[")[0])
    assert validate_file(path) == (
        "stated: must be a table, not 3 (int)",
        "sources: must be a table that maps fields to a document",
    )


def test_all_faults_are_reported_together(write_gpu: WriteToml) -> None:
    path = write_gpu(("sm_count = 10\n", ""), ("= 2000", '= "fast"'), ("= 500.0", "= 0"))
    with pytest.raises(GpuDataError) as caught:
        load_gpu_file(path)
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "sm_count",
        "boost_clock_mhz",
        "memory_bandwidth_gbs",
    ]
    assert str(caught.value).splitlines()[0] == f"{path}: 3 problems:"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"sm_count = ", "is not valid TOML: Invalid value"),
        (b"sm_count = 1\nsm_count = 2\n", "Cannot overwrite a value (at line 2"),
        (b'name = "\xff"', "is not valid TOML: 'utf-8' codec"),
    ],
)
def test_malformed_toml(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "gpu.toml"
    path.write_bytes(content)
    with pytest.raises(GpuDataError) as caught:
        load_gpu_file(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(GpuDataError, match=r"gpu\.toml: cannot be read .*; check the path"):
        load_gpu_file(tmp_path / "gpu.toml")


def test_faults_of_an_architecture_name_its_file(
    write_gpu: WriteToml, write_architecture: WriteToml
) -> None:
    write_architecture(("warps_per_sm = 48\n", ""))
    with pytest.raises(GpuDataError) as caught:
        load_gpu_file(write_gpu(('"sm_86"', '"arch.toml"')))
    assert "arch.toml: occupancy.warps_per_sm: missing; add it" in str(caught.value)


def test_reserved_shared_memory_may_be_zero_but_not_negative(
    write_gpu: WriteToml, write_architecture: WriteToml
) -> None:
    key = "shared_reserved_bytes_per_block"
    assert f"{key} = 1024" in OWN_ARCHITECTURE
    write_architecture((f"{key} = 1024", f"{key} = 0"), name="zero.toml")
    write_architecture((f"{key} = 1024", f"{key} = -1"), name="negative.toml")
    gpu = load_gpu_file(write_gpu(('"sm_86"', '"zero.toml"')))
    assert gpu.architecture.occupancy.shared_reserved_bytes_per_block == 0
    with pytest.raises(GpuDataError, match=f"{key}: must be 0 or more, not -1"):
        load_gpu_file(write_gpu(('"sm_86"', '"negative.toml"')))


def test_error_travels_between_processes() -> None:
    error = GpuDataError("gpu.toml", ["a: missing", "b: missing"])
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "gpu.toml: 2 problems:\n  a: missing\n  b: missing"
