"""The GPUs of this machine: what the system says of its devices, or else the drivers' tools.

PCI ids come first, for they tell products apart that share a name; then the names that NVIDIA's
driver gives, then the model of a Jetson, whose GPU is no PCI device. Only where none of these files
tells anything are programs started (``driver_tools``).
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from roofline_hardware_db.driver_tools import reported_names
from roofline_hardware_db.errors import UnknownGpuError
from roofline_hardware_db.lookup import find_gpu
from roofline_hardware_db.model import Gpu

AUTO = "auto"
"""The name that means the GPU of this machine."""

_VENDORS = frozenset({"0x10de", "0x1002", "0x8086"})
_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")
"""PCI classes of displays, of 3D controllers and of accelerators."""
_BOARD_WORDS = ("developer kit", "engineering reference", "nvidia")


@cache
def present_gpus(
    root: Path = Path("/"), tools: Callable[[], Iterator[str]] = reported_names
) -> tuple[Gpu, ...]:
    """The GPUs of this machine that the database knows, in the order of their buses.

    ``root`` is where ``sys`` and ``proc`` lie, ``tools`` what gives names if they tell none.
    Integrated GPUs and others that the database does not know are passed over; empty if there is
    none.
    """
    found = _known(_pci_devices(root)) or _known(_driver_models(root))
    return found or _known(_board_models(root))[:1] or _known(tools())


def _known(names: Iterator[str]) -> tuple[Gpu, ...]:
    """The GPUs that are known; a name may be several with ``|`` between, the surest one first."""
    found: list[Gpu] = []
    for spellings in names:
        for name in spellings.split("|"):
            try:
                found.append(find_gpu(name))
            except UnknownGpuError:
                continue
            break
    return tuple(found)


def _pci_devices(root: Path) -> Iterator[str]:
    """``vendor:device:revision`` of each graphics device."""
    for device in _children(root / "sys/bus/pci/devices"):
        vendor = _first_line(device / "vendor")
        if vendor in _VENDORS and _first_line(device / "class").startswith(_CLASSES):
            parts = (vendor, _first_line(device / "device"), _first_line(device / "revision"))
            yield ":".join(part.removeprefix("0x") for part in parts if part)


def _driver_models(root: Path) -> Iterator[str]:
    """What NVIDIA's driver for Linux calls its GPUs."""
    for device in _children(root / "proc/driver/nvidia/gpus"):
        for line in _text(device / "information").splitlines():
            label, _, value = line.partition(":")
            if label.strip() == "Model":
                yield value.strip()


def _board_models(root: Path) -> Iterator[str]:
    """The model of a Jetson without what names its carrier board; a shorter name follows."""
    model = _text(root / "proc/device-tree/model").strip("\0\n ").casefold()
    if "jetson" not in model:
        return
    for words in _BOARD_WORDS:
        model = model.replace(words, " ")
    parts = model.split()
    for length in range(len(parts), 1, -1):
        yield " ".join(parts[:length])


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _first_line(path: Path) -> str:
    return _text(path).partition("\n")[0].strip().lower()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
