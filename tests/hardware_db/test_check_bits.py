"""Which GPUs keep the check bits of error correction in the memory that they check."""

from __future__ import annotations

import pytest

from roofline_hardware_db import find_gpu


@pytest.mark.parametrize("name", ["A10", "L40S", "T4", "K40", "Tesla M60"])
def test_data_centre_gpus_with_gddr_move_a_sector_for_eight(name: str) -> None:
    assert find_gpu(name).check_bits_share == 1 / 8


@pytest.mark.parametrize("name", ["A100", "H100", "RTX 3080", "RTX A6000", "MI210", "P100"])
def test_others_move_none(name: str) -> None:
    assert find_gpu(name).check_bits_share == 0.0
