"""Integers that a loop hands from run to run are computed in each run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.regions.kernel_summary import Role

Count = Callable[..., Any]


def test_a_hash_is_computed_in_each_round(count: Count) -> None:
    source = """
      __global__ void k(unsigned *a, int n) {
        unsigned h = a[threadIdx.x];
        for (int i = 0; i < n; i++) {
          h ^= h >> 16; h *= 0x85ebca6bu; h ^= h >> 13; h *= 0xc2b2ae35u;
        }
        a[threadIdx.x] = h;
      }"""
    # Two shifts, two exclusive ors, two products, and the counter's two instructions for 16 copies.
    assert count(source, 1, 32, n=1001).integers - count(source, 1, 32, n=1).integers == 6125


def test_an_array_in_registers_is_computed_in_each_round(count: Count) -> None:
    source = """
      __global__ void k(unsigned *a, int n) {
        unsigned s[2] = {a[0], a[1]};
        for (int i = 0; i < n; i++) {
          s[0] ^= s[1] << 3;
          s[1] ^= s[0] >> 5;
        }
        a[0] = s[0] + s[1];
      }"""
    assert count(source, 1, 32, n=1001).integers - count(source, 1, 32, n=1).integers == 4125


@pytest.mark.parametrize(("type_", "each"), [("int", 0.5), ("long long", 1.0)])
def test_a_sum_takes_the_terms_of_two_runs_at_once(count: Count, type_: str, each: float) -> None:
    source = f"""
      __global__ void k({type_} *a, {type_} *b, int n) {{
        {type_} s = 0;
        for (int i = 0; i < n; i++) s += a[i * 1024];
        b[0] = s;
      }}"""
    without = source.replace("s += a[i * 1024]", "b[1] = a[i * 1024]")
    with_sum, plain = (count(s, 1, 1, n=1000).integers for s in (source, without))
    assert with_sum - plain == pytest.approx(1000 * each, abs=5)


def test_a_fixed_step_is_no_work_of_its_own(count: Count) -> None:
    source = """
      __global__ void k(int *a, int n) {
        int j = 7;
        for (int i = 0; i < n; i++) { a[1] = 3; j += 5; }
        a[0] = j;
      }"""
    growth = count(source, 1, 1, n=1001).integers - count(source, 1, 1, n=1).integers
    assert growth == 125  # the counter's two instructions for 16 copies


@pytest.mark.parametrize("name", ["position", "this->position"])
def test_a_member_that_a_loop_changes_is_carried_like_a_variable(name: str, count: Count) -> None:
    """What a method's loop sets in one trip it tests in the next: the branch is not decided."""
    body = f"if ({name} >= 64) {{ x[i] = 7; {name} = 0; }} b[i] ^= 3; {name}++;"
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    source = (
        "struct Stream { unsigned position = 64;"
        f" __device__ void crypt(unsigned *b, unsigned *x, int n) {{ {loop} }} }};"
        "__global__ void k(unsigned *b, unsigned *x, int n) { Stream s; s.crypt(b, x, n); }"
    )
    (guard,) = (
        each
        for each in count(source, 1, 1, n=256).summary.root.walk()
        if each.role is Role.TAKEN and each.conditions
    )
    assert [access.array.name for access in guard.accesses] == ["x"]


def test_a_member_is_known_again_by_what_is_stored_after_a_loop(count: Count) -> None:
    source = (
        "struct Sum { int total = 0; __device__ void add(const int *x, int n) {"
        " for (int i = 0; i < n; i++) total += x[i]; total = 5; } };"
        "__global__ void k(const int *x, int *o, int n) { Sum s; s.add(x, n);"
        " if (s.total == 5) o[0] = 1; if (s.total == 6) o[1] = 1; }"
    )
    assert count(source, 1, 1, n=4).accesses[("o", "write", 4)] == 1
