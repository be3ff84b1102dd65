"""RL105 is found where another pointer may name the element that a loop adds to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.report.report import FileReport

Analyse = Callable[..., FileReport]

PROGRAM = """
__global__ void count(int n, %s total, const int *steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) total[i] += %s;
}
int main() {
    int *total, *steps;
    cudaMalloc(&total, 4 << 20);
    cudaMalloc(&steps, 4 << 20);
    count<<<4096, 256>>>(500, total, steps);
}
"""


@pytest.mark.parametrize(
    ("qualifier", "step", "found"),
    [
        ("", "steps[k]", True),
        ("", "k / 3", False),
        ("__restrict__", "steps[k]", False),
        ("volatile", "steps[k]", False),
    ],
)
def test_an_element_that_nothing_else_may_be(
    qualifier: str, step: str, found: bool, analyse: Analyse
) -> None:
    pointer = "volatile int *" if qualifier == "volatile" else f"int *{qualifier}"
    codes = {finding.code for finding in analyse(PROGRAM % (pointer, step)).all_findings()}
    assert ("RL105" in codes) is found


BODIES = """
struct V { float x, y, z; };
struct Body { V pos; V vel; float mass; int id; };
__global__ void pull(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body &own = bodies[i];
    for (int k = 0; k < n; k++) {
        Body &other = bodies[k];
        own.vel.x += other.FIELD * (other.pos.x - own.pos.x);
    }
}
int main() {
    Body *bodies;
    cudaMalloc(&bodies, 10000 * sizeof(Body));
    pull<<<40, 256>>>(bodies, 10000);
}
"""


@pytest.mark.parametrize(("field", "found"), [("mass", True), ("vel.y", True), ("vel.x", False)])
def test_a_field_of_an_object_beside_other_fields_of_others(
    field: str, found: bool, analyse: Analyse
) -> None:
    report = analyse(BODIES.replace("FIELD", field))
    assert ("RL105" in {finding.code for finding in report.all_findings()}) is found
