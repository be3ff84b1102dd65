"""Programs with headers, host functions or device functions taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_study.hiding import Hidden, hide, without

CUDA = b"""#include "own.h"
template <class T>
__device__ T twice(T x) { return x + x; }
struct Op { __device__ float operator()(float x) { return x; } int host() { return 1; } };
__global__ void k(float *x) { x[threadIdx.x] = twice(x[0]); }
int main() { k<<<1, 32>>>(0); }
"""
OPENMP = b"""float twice(float x) { return x + x; }
void run(float *x) {
  #pragma omp target teams
  for (int i = 0; i < 9; i++) x[i] = twice(x[i]);
}
int main() { run(0); }
"""


@pytest.mark.parametrize(
    ("source", "hidden", "kept", "gone"),
    [
        (CUDA, Hidden.CALLEES, [b"k(float", b"int main", b"int host"], [b"T twice", b"operator"]),
        (CUDA, Hidden.HOSTS, [b"k(float", b"T twice", b"operator"], [b"int main", b"int host"]),
        (OPENMP, Hidden.CALLEES, [b"void run", b"int main"], [b"float twice"]),
        (OPENMP, Hidden.HOSTS, [b"void run", b"float twice"], [b"int main"]),
    ],
)
def test_functions_are_blanked_out_and_lines_stay(
    source: bytes, hidden: Hidden, kept: list[bytes], gone: list[bytes]
) -> None:
    found = without(source, hidden)
    assert [part for part in kept if part not in found] == []
    assert [part for part in gone if part in found] == []
    assert len(found) == len(source)
    assert found.count(b"\n") == source.count(b"\n")


def test_template_headers_go_with_their_function() -> None:
    assert b"template" not in without(CUDA, Hidden.CALLEES)


def test_the_program_itself_stays_as_it_is(tmp_path: Path) -> None:
    program = tmp_path / "p"
    (program / "inc").mkdir(parents=True)
    (program / "main.cu").write_bytes(CUDA)
    (program / "inc" / "own.h").write_bytes(b"#define N 3\n")
    (program / "data.txt").write_bytes(b"7")
    for hidden in Hidden:
        copy = tmp_path / hidden.value
        hide(program, copy, hidden)
        assert (copy / "inc" / "own.h").exists() is (hidden is not Hidden.HEADERS)
        assert (copy / "data.txt").read_bytes() == b"7"
        assert ((copy / "main.cu").read_bytes() == CUDA) is (hidden is Hidden.HEADERS)
    assert (program / "main.cu").read_bytes() == CUDA
    assert (program / "inc" / "own.h").exists()
