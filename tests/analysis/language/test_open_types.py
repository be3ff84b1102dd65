"""What a template's type parameter is taken for that nothing instantiates."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import analyze
from roofline_analysis.language.open_types import type_not_given
from roofline_core.settings import Settings


@pytest.mark.parametrize(
    ("names", "name"),
    [
        ("I Itype IndexT index_t GlobalIndexType size_type KeyT OffsetT IntT VertexId", "int"),
        ("T V ValueT Dtype scalar_t Real InputT point_t identity Ids2", "float"),
    ],
)  # fmt: skip
def test_a_name_says_whether_it_is_a_whole_number(names: str, name: str) -> None:
    assert {each: type_not_given(each).name for each in names.split()} == dict.fromkeys(
        names.split(), name
    )


def test_an_index_of_an_open_type_leads_to_its_place() -> None:
    source = b"""
    template <class T, class Itype>
    __global__ void gather(int n, const T *in, T *out, const Itype *from) {
      int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[from[i]]; }
    template <class T, class Itype> void run(int n, const T *in, T *out, const Itype *from) {
      gather<T, Itype><<<(n + 255) / 256, 256>>>(n, in, out, from); }"""
    path = Path("/src/kernel.cu")
    (kernel,) = analyze(source, path, Settings(gpu="A100"), reader=lambda _: None).kernels
    prediction = kernel.prediction
    assert prediction.sight is not None
    assert prediction.sight.missing == ()
    assert {each.name: each.why for each in prediction.unknowns if "sizeof" in each.name} == {
        "sizeof(T)": "T is not instantiated in the program; taken for float",
        "sizeof(Itype)": "Itype is not instantiated in the program; taken for int",
    }
