"""What OpenCL itself provides to device code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.functions.opencl.collectives import COLLECTIVES
from roofline_analysis.device.functions.opencl.geometry import GEOMETRY
from roofline_analysis.device.functions.opencl.images import IMAGES
from roofline_analysis.device.functions.opencl.indices import INDICES
from roofline_analysis.device.functions.opencl.integers import INTEGERS
from roofline_analysis.device.functions.opencl.math import MATHEMATICS
from roofline_analysis.device.functions.opencl.memory import MEMORY

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
