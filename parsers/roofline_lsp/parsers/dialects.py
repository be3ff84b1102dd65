"""Which language a file's kernels are written in, told from its name and its bytes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from roofline_lsp.kernel.program import Dialect

_BY_SUFFIX: Final = {
    ".cl": Dialect.OPENCL,
    ".clh": Dialect.OPENCL,
    ".hip": Dialect.HIP,
}
_OFFLOAD: Final = re.compile(
    rb"(?:#[ \t]*pragma|_Pragma[ \t]*\([ \t]*\")[ \t]*omp\b(?:[^\n\\]|\\.|\\\r?\n)*\btarget\b"
)
_HIP: Final = re.compile(rb"\bhip/hip_\w+\.h|\bhipLaunchKernelGGL\b|\bhip(?:Malloc|Memcpy)\b")
_CUDA: Final = re.compile(rb"__global__|__device__|\bcuda(?:Malloc|Memcpy|Launch\w*)\b|<<<")


def dialect_of(path: Path, source: bytes) -> Dialect | None:
    """The dialect that a file alone shows; None for one that could belong to any.

    HIP's own names win over CUDA's in one file: HIP sources use ``__global__`` too.
    """
    by_suffix = _BY_SUFFIX.get(path.suffix.lower())
    if by_suffix is not None:
        return by_suffix
    if _HIP.search(source):
        return Dialect.HIP
    if _CUDA.search(source) or path.suffix.lower() in (".cu", ".cuh"):
        return Dialect.CUDA
    if _OFFLOAD.search(source):
        return Dialect.OPENMP
    return None


def dialects_of(sources: Mapping[Path, bytes]) -> dict[Path, Dialect]:
    """The dialect of each file of one program.

    A file that shows none takes the one that most files of the program show, OpenCL kernels left
    out, and CUDA where none shows any.
    """
    own = {path: dialect_of(path, source) for path, source in sources.items()}
    shown = Counter(found for found in own.values() if found not in (None, Dialect.OPENCL))
    common = shown.most_common(1)
    default = common[0][0] if common else None
    return {path: found or default or Dialect.CUDA for path, found in own.items()}
