"""Double-precision variables in a kernel whose data is single precision.

A kernel that loads and stores floats gains digits from a `double` variable only while it
computes. On GPUs with few double-precision units that arithmetic has a roof up to 64 times lower
than that of single precision. Where the extra digits are not needed, declare the variables
`float`; where a sum needs them, compensated summation in single precision is cheaper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from roofline_analysis.regions.kernel_summary import MemorySpace, Work
from roofline_analysis.rules.effects import matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import Located
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void norms(int n, int m, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0.0;
    for (int k = 0; k < m; k++) sum += x[k * n + i] * x[k * n + i];
    y[i] = sum;
}

int main() {
    int n = 1 << 16, m = 64;
    float *x, *y;
    cudaMalloc(&x, n * m * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    norms<<<n / 256, 256>>>(n, m, x, y);
}
"""

GOOD = BAD.replace("double sum = 0.0;", "float sum = 0.0f;")

_LEAST_GAIN = 0.1
"""The least share of the launch's time that a finding saves. Chosen, not measured."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Double variables of kernels that neither load nor store doubles."""
    if not kernel.prediction.dp_flops or _has_double_data(kernel):
        return
    variables = [
        located
        for located in kernel.nodes(st.Variable)
        if isinstance(located.node, st.Variable) and _is_double(located.node)
    ]
    if not variables:
        return
    sites = [(each.function.path, each.node.line) for each in variables]
    effect = kernel.effect_of_rewriting(
        _single, {f.function for f in kernel.functions if _computes_doubles(kernel, f.function)}
    )
    if not matters(effect, _LEAST_GAIN):
        return
    names = ", ".join(f"'{name}'" for name in list(dict.fromkeys(map(_name, variables)))[:5])
    yield kernel.found(
        f"{names} in double precision, while all data of the kernel is in single precision or"
        " integer; use float where the extra digits are not needed",
        sites,
        effect,
    )


def _has_double_data(kernel: KernelSubject) -> bool:
    arrays = {
        access.array
        for region in kernel.judged.demanding
        for access in region.accesses
        if access.array.space is not MemorySpace.LOCAL
    }
    if any("double" in array.element.name for array in arrays):
        return True
    given = [parameter.type for parameter in kernel.kernel.params]
    types = kernel.type_system
    return any(
        each.name == "double" or types.is_class(types.resolve(replace(each, pointers=0, dims=())))
        for each in (*given, *(array.element for array in arrays))
    )


def _computes_doubles(kernel: KernelSubject, function: object) -> bool:
    return any(
        site[0] == getattr(function, "path", None)
        and any(row[Work.DP] for region in regions for row in (region.work.get(site),) if row)
        for site, regions in kernel.by_site.items()
    )


def _is_double(variable: st.Variable) -> bool:
    return variable.type.name == "double" and not variable.type.pointers and bool(variable.name)


def _name(located: Located) -> str:
    assert isinstance(located.node, st.Variable)
    return located.node.name


def _single(before: Any, node: Any) -> Any:
    """The node with float in the place of double."""
    if isinstance(node, st.Variable) and node.type.name == "double":
        return replace(node, type=replace(node.type, name="float"))
    if isinstance(node, ex.Cast) and node.type.name == "double":
        return replace(node, type=replace(node.type, name="float"))
    if isinstance(node, ex.Literal) and node.type_name == "double":
        return ex.Literal(node.line, node.value, "float")
    return node


RULE = Rule("RL202", "double-arithmetic", Level.HINT, __doc__, BAD, GOOD, check=check)
