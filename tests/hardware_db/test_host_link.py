from __future__ import annotations

from dataclasses import replace

import pytest

from roofline_hardware_db import find_gpu, gpu_names
from roofline_hardware_db.model import Gpu
from roofline_hardware_db.validation import validate


@pytest.fixture
def gpu() -> Gpu:
    return find_gpu("A100")


@pytest.mark.parametrize(
    ("generation", "lanes", "name", "gbs"),
    [
        (1.1, 16, "PCIe 1.1 x16", 4.0),
        (2.0, 4, "PCIe 2.0 x4", 2.0),
        (3.0, 16, "PCIe 3.0 x16", 15.754),
        (4.0, 8, "PCIe 4.0 x8", 15.754),
        (5.0, 16, "PCIe 5.0 x16", 63.015),
    ],
)
def test_lanes_carry_what_the_standard_says(
    gpu: Gpu, generation: float, lanes: int, name: str, gbs: float
) -> None:
    link = replace(gpu, pcie_generation=generation, pcie_lanes=lanes).host_link
    assert link is not None
    assert link.name == name
    assert link.bandwidth_gbs == pytest.approx(gbs, rel=1e-3)


def test_a_bus_that_is_not_known_stays_unknown(gpu: Gpu) -> None:
    assert replace(gpu, pcie_generation=None, pcie_lanes=None).host_link is None
    assert replace(gpu, pcie_generation=9.0).host_link is None


def test_nvlink_takes_the_place_of_pci_express(gpu: Gpu) -> None:
    link = replace(gpu, c2c_bandwidth_gbs=450.0).host_link
    assert link is not None
    assert (link.name, link.bandwidth_gbs) == ("NVLink-C2C", 450.0)


def test_no_bus_lies_between_parts_of_one_memory() -> None:
    for name in ("Jetson AGX Orin 64GB", "GB10", "MI300A"):
        gpu = find_gpu(name)
        assert gpu.shares_host_memory
        assert gpu.host_link is None


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"pcie_lanes": None}, "pcie_lanes: give"),
        ({"pcie_generation": 9.0}, "pcie_generation: 9 is unknown"),
        ({"host_memory": "none"}, 'host_memory: "none" is unknown'),
    ],
)
def test_faults_of_a_bus_are_named(gpu: Gpu, change: dict[str, object], fault: str) -> None:
    changed = replace(gpu, **change)  # type: ignore[arg-type]
    assert any(problem.startswith(fault) for problem in validate(changed))


def test_every_card_of_a_data_centre_has_a_bus() -> None:
    for gpu in map(find_gpu, gpu_names()):
        if gpu.segment == "data-centre" and not gpu.shares_host_memory:
            assert gpu.host_link is not None, gpu.name
