"""What OpenCL itself provides to device code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_lsp.analysis.device.math_functions import Handler
from roofline_lsp.analysis.device.opencl.collectives import COLLECTIVES
from roofline_lsp.analysis.device.opencl.geometry import GEOMETRY
from roofline_lsp.analysis.device.opencl.images import IMAGES
from roofline_lsp.analysis.device.opencl.indices import INDICES
from roofline_lsp.analysis.device.opencl.integers import INTEGERS
from roofline_lsp.analysis.device.opencl.math import MATHEMATICS
from roofline_lsp.analysis.device.opencl.memory import MEMORY

OPENCL_FUNCTIONS: Final[Mapping[str, Handler]] = {
    **INDICES,
    **MATHEMATICS,
    **GEOMETRY,
    **INTEGERS,
    **MEMORY,
    **IMAGES,
    **COLLECTIVES,
}
"""Every built-in function of OpenCL by name."""
