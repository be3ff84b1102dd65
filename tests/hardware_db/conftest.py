"""A GPU file and an architecture file that are sound, to be broken one key at a time."""

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_hardware_db.load import ARCHITECTURE_FOLDER

OWN_GPU = """\
name = "Test 9000"
vendor = "NVIDIA"
architecture = "sm_86"
sm_count = 10
base_clock_mhz = 1000
boost_clock_mhz = 2000
memory_bandwidth_gbs = 500.0

[tensor_flops_per_clock_sm]
fp16 = 512

[stated]
fp32_tflops = 5.12

[sources]
"sm_count, base_clock_mhz, boost_clock_mhz" = "White paper, table 1"
"memory_bandwidth_gbs, tensor_flops_per_clock_sm, stated" = "Data sheet"
"""

OWN_ARCHITECTURE = (ARCHITECTURE_FOLDER / "sm_86.toml").read_text(encoding="utf-8")

WriteToml = Callable[..., Path]


@pytest.fixture
def write_gpu(tmp_path: Path) -> WriteToml:
    """Writes the sound GPU file with the given replacements and returns its path."""

    def write(*replacements: tuple[str, str], name: str = "gpu.toml") -> Path:
        return _write(tmp_path / name, OWN_GPU, replacements)

    return write


@pytest.fixture
def write_architecture(tmp_path: Path) -> WriteToml:
    """As ``write_gpu``, for the architecture file."""

    def write(*replacements: tuple[str, str], name: str = "arch.toml") -> Path:
        return _write(tmp_path / name, OWN_ARCHITECTURE, replacements)

    return write


def _write(path: Path, text: str, replacements: tuple[tuple[str, str], ...]) -> Path:
    for old, new in replacements:
        assert old in text, f"the sound file has no {old!r}"
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path
