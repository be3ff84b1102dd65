"""The blocks and the threads of a launch are the wrong way round.

The first argument in `<<<grid, block>>>` is the number of blocks. `k<<<threads, blocks>>>` launches
blocks of as many threads as there were to be blocks: of few threads each where the data are small,
and of more than a block may have where they are large, so that the launch fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match
from roofline_analysis.rules.node_index import Located
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

BAD = """\
__global__ void scale(int n, float a, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = a * x[i];
}

int main() {
    int n = 60000, threads = 256, blocks = (n + threads - 1) / threads;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<threads, blocks>>>(n, 2.0f, x);
}
"""

GOOD = BAD.replace("<<<threads, blocks>>>", "<<<blocks, threads>>>")

_WARP: Final = 32
_MOST_THREADS: Final = 1024
"""Threads of a block, at most."""
_THREADS: Final = re.compile(
    r"(?:n|num|n_|num_)?(?:threads?|tpb)(?:_?per_?block|_?num|_?count|s?perblock)?|block_?(?:dim|size)"
    r"|dim_?block",
    re.IGNORECASE,
)
"""Names of the threads of a block."""
_BLOCKS: Final = re.compile(
    r"(?:n|num|n_|num_)?blocks(?:_?per_?grid|_?num|_?count)?|n(?:um)?_?block|grid(?:_?(?:dim|size))?"
    r"|dim_?grid",
    re.IGNORECASE,
)
"""Names of the blocks of a grid."""


def check(program: HostProgram) -> Iterator[Match]:
    """Launches whose first dimension is called threads and whose second is called blocks."""
    for located in program.nodes(ex.Launch):
        launch = located.node
        if not isinstance(launch, ex.Launch):
            continue
        grid, block = launch.grid, launch.block
        if not isinstance(grid, ex.Name) or not isinstance(block, ex.Name):
            continue
        given = {parameter.name for parameter in located.function.params}
        if given & {grid.name, block.name}:
            continue  # perhaps every caller passes them in this order
        if _is_block(program, located, block.name):
            continue
        if _THREADS.fullmatch(grid.name) and _BLOCKS.fullmatch(block.name):
            if _BLOCKS.fullmatch(grid.name) is None and _THREADS.fullmatch(block.name) is None:
                yield program.found(
                    f"'{grid.name}' stands where the number of blocks belongs, and '{block.name}'"
                    " where the threads of a block do; the grid comes first",
                    launch.line,
                )


def _is_block(program: HostProgram, launch: Located, name: str) -> bool:
    """Whether a variable begins with whole warps of a block: it is called so, and is none."""
    return any(
        isinstance(each.node, st.Variable)
        and each.node.name == name
        and isinstance(each.node.init, ex.Literal)
        and isinstance(each.node.init.value, int)
        and each.node.init.value % _WARP == 0
        and 0 < each.node.init.value <= _MOST_THREADS
        for each in program.nodes_of(launch.function).by_type.get(st.Variable, ())
    )


RULE = Rule("RL314", "swapped-launch", Level.INFORMATION, __doc__, BAD, GOOD, check_host=check)
