"""Gathers of which something says how far they go: a divisor, a mask, the extent of an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.traffic.caches import Caches
from roofline_analysis.traffic.dram import dram_traffic

Count = Callable[..., Any]

THREADS = 1 << 20


def read_bytes(count: Count, parameters: str, index: str, structs: str = "") -> float:
    """What a million threads read from ``table`` with an index that rests on loaded ``ix``."""
    counted = count(
        f"""{structs}
            __global__ void f({parameters}, float *out) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x;
                out[i] = {index};
            }}""",
        THREADS // 256,
        256,
    )
    traffic = dram_traffic(counted.summary, counted.execution, 272, Caches(5 * 2**20), {})
    (table,) = (item for item in traffic.arrays if item.array.name == "table")
    return table.read_bytes


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("table[ix[i] % 1000]", 4000),
        ("table[ix[i] & 1023]", 4096),
        ("table[min(ix[i], 999)]", 4000),
        ("table[(ix[i] & 1023) / 2]", 4 * 512),
        ("table[8 * (ix[i] % 100) + threadIdx.x % 8]", 3200),
        # Two members of one element, picked by one number, lie in one table.
        ("table[2 * (ix[i] % 500)] + table[2 * (ix[i] % 500) + 1]", 4000),
    ],
)
def test_a_loaded_index_with_a_bound(count: Count, index: str, expected: int) -> None:
    found = read_bytes(count, "const float *table, const int *ix", index)
    assert found == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    "index", ["table[ix[i]]", "table[ix[i] % ix[i + 1]]", "table[ix[i] / 3]", "table[ix[i] & ~3]"]
)
def test_a_loaded_index_without_one(count: Count, index: str) -> None:
    assert read_bytes(count, "const float *table, const int *ix", index) >= 4 * THREADS / 3


@pytest.mark.parametrize("index", ["table[(ix[i] & 1023) >> 5000]", "table[(ix[i] % 9) >> 63]"])
def test_a_number_shifted_away_is_no_fault(count: Count, index: str) -> None:
    assert read_bytes(count, "const float *table, const int *ix", index) <= 4 * THREADS


@pytest.mark.parametrize(("type_", "values"), [("unsigned char", 256), ("unsigned short", 65536)])
def test_a_narrow_number_has_few_values(count: Count, type_: str, values: int) -> None:
    found = read_bytes(count, f"const float *table, const {type_} *ix", "table[ix[i]]")
    assert found == pytest.approx(4 * values, rel=0.01)


def test_an_index_into_a_declared_array_is_one_of_its_indices(count: Count) -> None:
    structs = "struct Table { float c[60][50][8]; float v[10]; };"
    parameters = "const Table *table, const int *ix"
    assert read_bytes(count, parameters, "table->v[ix[i]]", structs) == pytest.approx(40, abs=24)
    assert read_bytes(count, parameters, "table->v[2 * ix[i]]", structs) == pytest.approx(
        40, abs=24
    )
    whole = read_bytes(count, parameters, "table->c[ix[i]][3][1]", structs)
    assert whole == pytest.approx(60 * 50 * 8 * 4, rel=0.02)


def test_an_array_of_one_element_at_the_end_says_nothing(count: Count) -> None:
    structs = "struct Rows { int n; float data[1]; };"
    found = read_bytes(count, "const Rows *table, const int *ix", "table->data[ix[i]]", structs)
    assert found >= 4 * THREADS


def test_a_bound_holds_for_the_array_that_has_it_alone(count: Count) -> None:
    structs = "struct Small { float c[16]; };"
    found = read_bytes(
        count,
        "const float *table, const Small *small, const int *ix",
        "ix[i] < 16 ? small->c[ix[i]] : table[ix[i]]",
        structs,
    )
    assert found >= THREADS
