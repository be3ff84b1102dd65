"""Models of the libraries that host programs call: C, C++ and the GPU runtimes.

They register themselves in ``host.state.registry`` when this package is imported.
"""

from roofline_analysis.host.libraries import c, cuda, driver, getopt, io, math, openmp, random, std
from roofline_analysis.host.libraries.opencl import info

__all__ = ["c", "cuda", "driver", "getopt", "info", "io", "math", "openmp", "random", "std"]
