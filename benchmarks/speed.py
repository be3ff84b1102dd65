"""What the program costs, as ratios to a raw parse, an idle server, clangd, clang-tidy and nvcc.

    python benchmarks/speed.py [FOLDER]

Runs ``check_speed.py``, ``gate_cost.py``, ``batch_speed.py`` and ``batch_race.py`` on the folder
(default: the examples), ``lsp_latency.py`` and ``editor_race.py``. Contenders run in turns, so
ratios hold when the machine's speed drifts. What is not installed is left out, and a sentence says
so. For what a person waits for, run it by the interpreter of an environment that pip installed a
wheel in, which has the bytecode compiled; docs/speed.md has figures.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run all and return the worst exit code."""
    parser = argparse.ArgumentParser(description="What the program costs, as ratios.")
    parser.add_argument("folder", type=Path, nargs="?", default=HERE.parent / "examples")
    options = parser.parse_args()
    worst = 0
    folder = str(options.folder)
    for script, arguments in (
        ("check_speed.py", [folder]),
        ("gate_cost.py", [folder]),
        ("batch_speed.py", [folder]),
        ("batch_race.py", [folder]),
        ("lsp_latency.py", []),
        ("editor_race.py", []),
    ):
        print(f"== {script}", flush=True)
        command = [sys.executable, str(HERE / script), *arguments]
        worst = max(worst, subprocess.run(command, check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
