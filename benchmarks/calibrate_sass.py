"""Measure what CUDA operations become in machine code and write the analysis's table of them.

Run ``python benchmarks/calibrate_sass.py``. It needs nvcc (CUDA toolkit), cuobjdump and, on the
path, nvdisasm (CUDA toolkit, or the Python packages nvidia-cuda-cuobjdump and
nvidia-cuda-nvdisasm), no GPU, and takes about 15 seconds.
"""

import argparse
import sys
from pathlib import Path

from sass_calibration.integer_probes import other_probes
from sass_calibration.loops import measure_snippets
from sass_calibration.measure import differing, measure
from sass_calibration.probes import float_probes
from sass_calibration.rare_functions import rare_probes
from sass_calibration.simd_probes import simd_probes
from sass_calibration.table import format_cost, write_table
from sass_calibration.toolchain import FAST_MATH, MissingToolError, find_tool, version

_TABLE = (
    Path(__file__).resolve().parents[1]
    / "analysis/roofline_analysis/device/costs/data/expansions.toml"
)

_FAST_TOLERANCE = 2e-4
"""The relative error that a fast function may have."""


def main() -> int:
    """Measure, write the table, and print the problems found; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvcc", help="path of nvcc")
    parser.add_argument("--cuobjdump", help="path of cuobjdump")
    parser.add_argument("--output", type=Path, default=_TABLE, help="where the table goes")
    parser.add_argument("--show", action="store_true", help="print the table's entries too")
    options = parser.parse_args()
    try:
        nvcc = find_tool("nvcc", options.nvcc)
        cuobjdump = find_tool("cuobjdump", options.cuobjdump)
    except MissingToolError as missing:
        print(missing, file=sys.stderr)
        return 2
    probes = [*float_probes(), *rare_probes(), *other_probes(), *simd_probes()]
    outcome = measure(probes, nvcc, cuobjdump)
    fast = measure(probes, nvcc, cuobjdump, (FAST_MATH,), _FAST_TOLERANCE)
    snippets = measure_snippets(nvcc, cuobjdump)
    for problem in (*outcome.problems, *fast.problems):
        print(f"not as expected: {problem}", file=sys.stderr)
    if outcome.problems or fast.problems:
        return 1
    measured = [*outcome.measured, *differing(outcome.measured, fast.measured)]
    write_table(options.output, (version(nvcc), version(cuobjdump)), measured, snippets)
    if options.show:
        for one in measured:
            print(f"{one.probe.key:45} {format_cost(one.cost)}")
        for snippet, cost in snippets:
            print(f"{snippet.key:45} {format_cost(cost)}")
    print(f"{len(measured) + len(snippets)} entries in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
