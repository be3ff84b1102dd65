"""What is read besides CUDA's C++, gathered from the rooms that read it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from roofline_parsers.opencl.functions import OPENCL
from roofline_parsers.openmp.forms import OPENMP
from roofline_parsers.openmp.units import outline

EXTENSIONS: Final = replace(OPENCL, directives=OPENMP, outline=outline)
