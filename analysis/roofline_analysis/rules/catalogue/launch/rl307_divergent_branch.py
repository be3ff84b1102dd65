"""Lanes of a warp take different branches.

A warp executes a branch if any of its lanes takes it, with the other lanes switched off. A
condition such as `threadIdx.x % 2 == 0` keeps half the lanes idle in every warp, where
`threadIdx.x < blockDim.x / 2` lets half the warps skip the branch. Make the condition the same for
all lanes of a warp.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline_analysis.regions.kernel_summary import Region, RegionForm, Role
from roofline_analysis.rules.divergence import divergence
from roofline_analysis.rules.effects import Change, matters
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.rule import Rule
from roofline_analysis.rules.subject import KernelSubject
from roofline_core.algebra.symbolic import Apply, Expr
from roofline_core.program import statements as st

BAD = """\
__global__ void refine(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    if (threadIdx.x % 2 == 0) {
        for (int k = 0; k < 1000; k++) value = value * value + 0.5f;
    }
    x[i] = value;
}

int main() {
    int n = 1 << 20;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    refine<<<n / 256, 256>>>(n, x);
}
"""

GOOD = BAD.replace("threadIdx.x % 2 == 0", "threadIdx.x < 128")

_LEAST_RATIO = 1.6
"""The least ratio of the warps that run the branch to those that its lanes would fill."""
_DIGITS = ("mod", "and", "xor", "div", "shr")
_LEAST_GAIN = 0.15
"""The least share of the launch's time that a finding saves. Chosen, not measured."""
_LEAST_LANES = 32.0
"""The least threads of a block; fewer cannot fill a warp."""


def check(kernel: KernelSubject) -> Iterator[Match]:
    """Guards on the thread's index that more warps pass than their lanes would fill."""
    execution = kernel.judged.execution
    warp = float(kernel.target.gpu.architecture.warp_size)
    blocks = float(kernel.judged.demand.blocks)
    # A choice within an expression becomes a selection, not a branch.
    sites = {(each.function.path, each.node.line) for each in kernel.nodes(st.If)}
    for region in kernel.judged.demanding:
        runs = execution.regions[region]
        if region.form is not RegionForm.GUARD or runs.assumed or not _is_by_thread(region):
            continue
        if region.site not in sites:
            continue
        parent = execution.regions.get(region.parent) if region.parent is not None else None
        if parent is None or not parent.runs:
            continue
        visits = parent.runs / execution.threads
        if runs.runs / max(1.0, blocks * visits) < _LEAST_LANES:
            continue
        before = parent.warp_runs * warp / parent.runs
        counted = runs.warp_runs * warp / runs.runs / max(1.0, before)
        ratio = min(counted, divergence(execution, region) or 1.0)
        if ratio < _LEAST_RATIO:
            continue
        inside = [each for each in region.walk() if each in execution.regions]
        effect = kernel.effect(Change(warp_runs=dict.fromkeys(inside, 1.0 / ratio)))
        if matters(effect, _LEAST_GAIN):
            yield kernel.found(
                f"{runs.share:.0%} of the threads take this branch, spread over all warps: a warp"
                f" that runs it has {warp / ratio:.0f} of {warp:.0f} lanes at work",
                [region.site],
                effect,
            )


def _is_by_thread(region: Region) -> bool:
    """Whether a guard tests a digit of the thread's index, not a range of indices."""
    if region.role is not Role.TAKEN or not region.conditions or None in region.conditions:
        return False
    return any(_has_digit(c) for c in region.conditions if c is not None)


def _has_digit(expr: Expr) -> bool:
    for atom in expr.atoms():
        if not isinstance(atom, Apply):
            continue
        by_thread = any(s.name.startswith("threadIdx") for s in atom.symbols)
        if by_thread and (atom.op in _DIGITS or any(map(_has_digit, atom.args))):
            return True
    return False


RULE = Rule("RL307", "divergent-branch", Level.INFORMATION, __doc__, BAD, GOOD, check=check)
