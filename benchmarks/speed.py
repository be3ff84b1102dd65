"""What the program costs, as ratios: the check against a raw parse, the editor against an idle one.

    python benchmarks/speed.py [FOLDER]

Runs ``check_speed.py`` and ``gate_cost.py`` on the folder (default: the examples) and
``lsp_latency.py``. Contenders run in turns, so ratios hold when the machine's speed drifts; each
prints its stages.
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
        ("lsp_latency.py", []),
    ):
        print(f"== {script}", flush=True)
        command = [sys.executable, str(HERE / script), *arguments]
        worst = max(worst, subprocess.run(command, check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
