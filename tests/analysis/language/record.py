"""Records what compilers say of types, class layouts and calls: the reference of the tests here.

Run by hand from the root of the repository where g++, nvcc, hipcc and clang are installed, then
look at what changed::

    python -m tests.analysis.language.record types layouts calls

``CUDA_EXTRA_INCLUDE`` names folders (separated as in PATH) with the headers of cuFFT, cuRAND,
cuBLAS and cuSPARSE where the toolkit lacks them. Nothing here is run by the test suite.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path

from . import record_calls, record_layouts, record_types

FOLDER = Path(__file__).resolve().parent
PARTS: Mapping[str, record_types.Recorder] = {
    "types": record_types.record,
    "layouts": record_layouts.record,
    "calls": record_calls.record,
}


def main() -> None:
    """Write the files of the parts that the command line names."""
    parser = argparse.ArgumentParser(description="Record what compilers say.")
    parser.add_argument("parts", nargs="+", choices=sorted(PARTS))
    for part in parser.parse_args().parts:
        with tempfile.TemporaryDirectory() as scratch:
            print(f"{part}: {PARTS[part](FOLDER, Path(scratch))}")


if __name__ == "__main__":
    main()
