"""Whether a file has anything to do with GPU kernels, told from its bytes alone."""

from __future__ import annotations

import re
from typing import Final

from roofline_parsers.reading.dialects import has_offload

_SIGNS: Final = tuple(
    re.compile(sign)
    for sign in (
        # CUDA and HIP
        rb"__global__",
        rb"<<\s*<",
        rb"Launch(?:Cooperative)?Kernel",
        rb"GraphAddKernelNode",
        # what libraries call ``__global__``
        rb"RAFT_KERNEL\b",
        rb"CUTLASS_GLOBAL\b",
        # libraries whose calls are kernels: hipcub and rocthrust spell them alike
        rb"cub::",
        rb"thrust::",
        # OpenCL's kernels and the calls that run them, in C, C++ and Python
        rb"__kernel\b",
        rb"kernel\s+(?:void\b|__attribute__)",
        rb"cl(?:EnqueueNDRangeKernel|EnqueueTask|CreateKernel|CreateProgramWith\w+)\b",
        rb"enqueueNDRangeKernel\b",
        rb"cl::(?:Kernel|Program)",
        rb"pyopencl\b",
    )
)
"""Each begins with letters that the regular expression engine looks for by itself, which makes a
dozen searches several times cheaper than one for the alternation of all."""


def has_kernels(source: bytes) -> bool:
    """Whether a file may define or launch a kernel; cheap, and never wrongly False.

    Kernels that only a macro from elsewhere spells out are not seen.
    """
    return any(sign.search(source) for sign in _SIGNS) or has_offload(source)
