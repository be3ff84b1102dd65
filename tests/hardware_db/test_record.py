"""Records compare, hash and show themselves as generated dataclasses do."""

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from roofline_lsp.hardware_db import InstructionRates, Peaks, Source, find_gpu
from roofline_lsp.hardware_db.model import TensorRates


def test_equal_fields_make_equal_records_of_one_class() -> None:
    assert InstructionRates(fp32=128) == InstructionRates(fp32=128)
    assert InstructionRates(fp32=128) != InstructionRates(fp32=64)
    assert InstructionRates() != Peaks()
    assert InstructionRates() != TensorRates()
    assert InstructionRates() != "InstructionRates()"


def test_equal_records_have_one_hash() -> None:
    gpu = find_gpu("RTX 3080")
    assert len({gpu, pickle.loads(pickle.dumps(gpu)), replace(gpu, sm_count=1)}) == 2
    assert hash(gpu) == hash(replace(gpu, disputed={"l2_mb": "another table: 6"}))


def test_a_record_is_shown_as_it_is_made() -> None:
    assert repr(Source(("sm_count",), "a")) == "Source(fields=('sm_count',), document='a')"
    assert eval(repr(Peaks(fp32_tflops=1.0))) == Peaks(fp32_tflops=1.0)


def test_a_record_cannot_be_changed() -> None:
    gpu = find_gpu("RTX 3080")
    with pytest.raises(FrozenInstanceError):
        gpu.sm_count = 1  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        gpu.nickname = "x"  # type: ignore[attr-defined]
