"""Every library function that is modelled, by name."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.libraries import (
    c,
    cuda,
    driver,
    getopt,
    io,
    math,
    openmp,
    random,
    std,
    strings,
    textures,
)
from roofline_analysis.host.libraries.gpu import transforms
from roofline_analysis.host.libraries.opencl import c as opencl_c
from roofline_analysis.host.libraries.opencl import cpp as opencl_cpp
from roofline_analysis.host.libraries.opencl import info as opencl_info
from roofline_analysis.host.objects import iterators
from roofline_analysis.host.state.arguments import Models

_LIBRARIES: Final = (
    c, strings, std, io, math, random, getopt, iterators, openmp,
    cuda, driver, textures, transforms, opencl_c, opencl_cpp, opencl_info,
)  # fmt: skip

LIBRARY: Final[Models] = {
    name: model for library in _LIBRARIES for name, model in library.MODELS.items()
}
