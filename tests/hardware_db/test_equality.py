"""GPUs and parts of them compare by what they are, and can be kept in sets and pickled."""

import pickle
from dataclasses import replace

from roofline_hardware_db import InstructionRates, Peaks, Source, find_gpu
from roofline_hardware_db.model import TensorRates


def test_equal_fields_make_equal_records_of_one_class() -> None:
    assert InstructionRates(fp32=128) == InstructionRates(fp32=128)
    assert InstructionRates(fp32=128) != InstructionRates(fp32=64)
    others: list[object] = [Peaks(), TensorRates()]
    assert InstructionRates() not in others


def test_equal_gpus_have_one_hash() -> None:
    gpu = find_gpu("RTX 3080")
    assert len({gpu, pickle.loads(pickle.dumps(gpu)), replace(gpu, sm_count=1)}) == 2
    assert hash(gpu) == hash(replace(gpu, disputed={"l2_mb": "another table: 6"}))


def test_a_record_is_shown_as_it_is_made() -> None:
    assert repr(Source(("sm_count",), "a")) == "Source(fields=('sm_count',), document='a')"
