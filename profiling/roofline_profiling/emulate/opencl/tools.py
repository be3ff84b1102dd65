"""How the compiler of OpenCL C is told, while a program runs, which tools it takes."""

from __future__ import annotations

from typing import Final

CLANG: Final = "ROOFLINE_OPENCL_CLANG"
"""The environment variable that names the Clang; empty: there is none."""
CUDA: Final = "ROOFLINE_CUDA"
"""That of CUDA's folder, with ``bin/ptxas`` and ``nvvm/libdevice``."""
ARCHITECTURE: Final = "ROOFLINE_ARCHITECTURE"
"""That of the GPU's architecture: 86 for 8.6."""
