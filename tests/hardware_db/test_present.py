"""The GPUs of a machine, from what its system says."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roofline_hardware_db.detect import present_gpus

AddDevice = Callable[[str, str, str, str, str], None]


@pytest.fixture
def add_device(tmp_path: Path) -> AddDevice:
    """Adds a PCI device: bus, vendor, device, revision and class."""

    def add(bus: str, vendor: str, device: str, revision: str, kind: str) -> None:
        folder = tmp_path / "sys/bus/pci/devices" / bus
        folder.mkdir(parents=True)
        values = {"vendor": vendor, "device": device, "revision": revision, "class": kind}
        for name, value in values.items():
            (folder / name).write_text(f"0x{value}\n")

    return add


def names(root: Path) -> list[str]:
    return [gpu.name for gpu in present_gpus(root, lambda: iter(()))]


def test_pci_devices_are_found_in_the_order_of_their_buses(
    tmp_path: Path, add_device: AddDevice
) -> None:
    add_device("0000:41:00.0", "1002", "744c", "c8", "030000")
    add_device("0000:01:00.0", "10de", "220a", "a1", "030000")
    add_device("0000:c1:00.0", "8086", "0bd5", "2f", "038000")
    add_device("0000:c2:00.0", "1002", "74a1", "00", "120000")
    assert names(tmp_path) == [
        "GeForce RTX 3080 12GB",
        "Radeon RX 7900 XTX",
        "Data Center GPU Max 1550",
        "Instinct MI300X",
    ]


def test_other_devices_are_passed_over(tmp_path: Path, add_device: AddDevice) -> None:
    add_device("0000:00:02.0", "8086", "9a49", "01", "030000")  # a graphics unit in a processor
    add_device("0000:01:00.1", "10de", "1aef", "a1", "040300")  # sound
    add_device("0000:02:00.0", "15b3", "1017", "00", "020000")
    assert names(tmp_path) == []


def test_a_gpu_without_a_known_id_is_called_as_its_driver_calls_it(
    tmp_path: Path, add_device: AddDevice
) -> None:
    add_device("0000:01:00.0", "10de", "ffff", "a1", "030200")
    information = tmp_path / "proc/driver/nvidia/gpus/0000:01:00.0/information"
    information.parent.mkdir(parents=True)
    information.write_text("Model: \t\t NVIDIA A100-SXM4-80GB\nIRQ:   \t\t 183\n")
    assert names(tmp_path) == ["A100 SXM4 80GB"]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("NVIDIA Jetson AGX Orin Developer Kit", "Jetson AGX Orin 64GB"),
        ("NVIDIA Jetson Orin Nano Engineering Reference Developer Kit", "Jetson Orin Nano 8GB"),
        ("NVIDIA Jetson Orin Nano Developer Kit Super", "Jetson Orin Nano Super"),
        ("NVIDIA Jetson Nano Developer Kit", "Jetson Nano"),
    ],
)
def test_a_jetson_is_known_by_its_board(tmp_path: Path, model: str, name: str) -> None:
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_bytes(model.encode() + b"\0")
    assert names(tmp_path) == [name]


def test_a_machine_without_gpus_has_none(tmp_path: Path) -> None:
    assert names(tmp_path) == []
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 5\0")
    assert names(tmp_path / "proc") == []


def test_tools_are_asked_only_where_the_system_tells_nothing(
    tmp_path: Path, add_device: AddDevice
) -> None:
    def tools() -> Iterator[str]:
        asked.append(True)
        yield "0x220610DE|NVIDIA GeForce RTX 3080"
        yield "0xffff10de|NVIDIA A100-SXM4-80GB"
        yield "AMD Radeon Graphics"

    asked: list[bool] = []
    found = present_gpus(tmp_path / "empty", tools)
    assert [gpu.name for gpu in found] == ["GeForce RTX 3080 10GB", "A100 SXM4 80GB"]
    add_device("0000:01:00.0", "10de", "220a", "a1", "030000")
    assert len(present_gpus(tmp_path, tools)) == 1
    assert asked == [True]
