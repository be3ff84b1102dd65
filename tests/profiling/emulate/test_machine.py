"""The executor's configuration, by the hardware database."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_hardware_db import find_gpu
from roofline_profiling.emulate.configuration import EmulationLimits, configuration_text
from roofline_profiling.emulate.machine import machine_of
from roofline_profiling.emulate.native_build import SOURCES
from roofline_profiling.errors import ProfilerError


def test_a_gpu() -> None:
    machine = machine_of(find_gpu("RTX 3080"))
    assert machine.device_name == "NVIDIA GeForce RTX 3080"
    assert (machine.major, machine.minor, machine.multiprocessors) == (8, 6, 68)
    assert (machine.l1_bytes, machine.l2_bytes) == (128 * 1024, 5 * 1024**2)
    assert (machine.threads_per_multiprocessor, machine.shared_per_block) == (1536, 99 * 1024)
    assert machine.memory_bytes == 10 * 1024**3
    assert (machine.memory_bus_bits, machine.clock_khz) == (320, 1_710_000)
    bandwidth_gbs = 2 * machine.memory_clock_khz * machine.memory_bus_bits / 8e6
    assert bandwidth_gbs == pytest.approx(760.3, rel=1e-4)


@pytest.mark.parametrize("name", ["MI300X", "GTX 1080", "Arc A770 16GB"])
def test_other_gpus_are_not_emulated(name: str) -> None:
    with pytest.raises(ProfilerError, match=r"only NVIDIA GPUs of compute capability 7\.0"):
        machine_of(find_gpu(name))


def test_the_file_has_a_value_a_line() -> None:
    text = configuration_text(
        machine_of(find_gpu("A100")),
        EmulationLimits(caches=False, launches_per_kernel=3),
        output=Path("/t/out"),
        translator="python -m x",
        cache=Path("/c"),
    )
    values = dict(line.split("=", 1) for line in text.splitlines())
    assert values["output"] == "/t/out"
    assert values["translator"] == "python -m x"
    assert (values["caches"], values["launches_per_kernel"], values["limit_s"]) == ("0", "3", "0.0")
    assert values["multiprocessors"] == "108"


def test_the_executor_knows_each_key() -> None:
    text = configuration_text(
        machine_of(find_gpu("A100")),
        EmulationLimits(),
        output=Path("o"),
        translator="t",
        cache=Path("c"),
    )
    known = (SOURCES / "configuration.cpp").read_text()
    assert [
        key for line in text.splitlines() if f'{{"{(key := line.partition("=")[0])}"' not in known
    ] == []


def test_a_line_break_cannot_be_in_a_setting() -> None:
    with pytest.raises(ProfilerError, match="line break"):
        configuration_text(
            machine_of(find_gpu("A100")),
            EmulationLimits(),
            output=Path("a\nb"),
            translator="",
            cache=Path(),
        )
