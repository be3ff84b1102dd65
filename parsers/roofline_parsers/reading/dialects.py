"""Which language a file's kernels are written in, told from its name and its bytes."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_core.program.records import record
from roofline_core.program.units import OPENCL_SUFFIXES, Dialect

Reader = Callable[[Path], bytes | None]

_BY_SUFFIX: Final = {
    **dict.fromkeys(OPENCL_SUFFIXES, Dialect.OPENCL),
    ".hip": Dialect.HIP,
}
_CUDA_SUFFIXES: Final = frozenset((".cu", ".cuh"))
_OFFLOAD: Final = re.compile(
    rb"(?:#[ \t]*pragma|_Pragma[ \t]*\([ \t]*\")[ \t]*omp\b(?:[^\n\\]|\\.|\\\r?\n)*\btarget\b"
)
# Each begins with letters, so that the search is for these letters; the word's start is checked
# behind them. Macros such as __CUDACC__ and __HIPCC__ are no signs: portable sources ask for both.
_HIP: Final = re.compile(
    rb"hip(?<!\whip)(?:/hip_\w|[A-Z]\w|blas|cub|fft|rand|solver|sparse)"
    rb"|__builtin_amdgcn_|rocblas_|rocprim[:/]"
)
_CUDA: Final = re.compile(
    rb"cuda(?<!\wcuda)(?:[A-Z]\w|_(?:runtime|fp16|fp8|bf16|device_)|\.h\b)"
    rb"|cub(?<!\wcub)(?:::|/)|cu(?<!\wcu)(?:blas|dnn|fft|rand|solver|sparse)"
)
_HIP_HEADER: Final = re.compile(rb"#[ \t]*include[ \t]*[<\"](?:hip|roc\w+)/")
_CUDA_HEADER: Final = re.compile(rb"#[ \t]*include[ \t]*[<\"]cuda(?:_runtime(?:_api)?)?\.h")
_OWN_HEADER: Final = re.compile(rb"#[ \t]*include[ \t]*[<\"]([^\">\n]+\.\w+)[>\"]")
_MAX_HEADERS: Final = 24
"""Headers of one file that are looked into."""
_SHARED: Final = re.compile(rb"__global__|__device__|__host__|<\s*<\s*<")
"""What CUDA and HIP have in common."""
_COMMENT: Final = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_CLEARLY_MORE: Final = 3


@record(frozen=True, slots=True)
class _Shown:
    """What one file shows of its dialect."""

    dialect: Dialect | None
    """None where the file alone does not tell."""
    kernels: bool = False
    """It is C++ with kernels: CUDA or HIP, whatever other files are."""


def dialect_of(path: Path, source: bytes) -> Dialect | None:
    """The dialect that a file alone shows; None for one that could belong to any.

    A file that shows no more than what CUDA and HIP have in common (``__global__``), or as much
    of one as of the other under conditions, is CUDA, unless its suffix says HIP.
    """
    shown = _shown(path, source)
    return Dialect.CUDA if shown.dialect is None and shown.kernels else shown.dialect


def has_offload(source: bytes) -> bool:
    """Whether a file has an OpenMP directive that runs code on a device, or declares such code."""
    return b"omp" in source and b"target" in source and _OFFLOAD.search(source) is not None


def dialects_of(
    sources: Mapping[Path, bytes], reader: Reader | None = None, folders: Iterable[Path] = ()
) -> dict[Path, Dialect]:
    """The dialect of each file of one program.

    A file that shows none takes that of the headers it includes, which ``reader`` gives and which
    stand beside it or in ``folders``; else the one that most files of the program show, OpenCL
    kernels left out, and CUDA where none shows any. One with kernels that are CUDA or HIP follows
    those files that are clearly either.
    """
    own = {path: _shown(path, source) for path, source in sources.items()}
    if reader is not None:
        for path, found in own.items():
            if found.dialect is None:
                dialect = _of_headers(path, sources[path], reader, tuple(folders))
                own[path] = replace(found, dialect=dialect)
    shown: Counter[Dialect | None] = Counter(
        found.dialect for found in own.values() if found.dialect not in (None, Dialect.OPENCL)
    )
    common = _most(shown, tuple(Dialect))
    kernels = _most(shown, (Dialect.CUDA, Dialect.HIP))
    return {
        path: found.dialect or (kernels if found.kernels else common) for path, found in own.items()
    }


def _of_headers(
    path: Path, source: bytes, reader: Reader, folders: tuple[Path, ...]
) -> Dialect | None:
    """The dialect that the program's own headers of a file show, the nearest first."""
    waiting = [(path, source)]
    seen = {path}
    for file, text in waiting:
        for name in dict.fromkeys(_OWN_HEADER.findall(text)):
            if len(seen) > _MAX_HEADERS:
                return None
            for folder in (file.parent, *folders):
                header = Path(os.path.normpath(folder / os.fsdecode(name)))
                found = None if header in seen else reader(header)
                if found is None:
                    continue
                seen.add(header)
                dialect = _shown(header, found).dialect
                if dialect is not None and dialect is not Dialect.OPENCL:
                    return dialect
                waiting.append((header, found))
                break
    return None


def _most(shown: Counter[Dialect | None], among: Iterable[Dialect]) -> Dialect:
    """The dialect that most files show, CUDA where none of them does."""
    counts = {dialect: shown[dialect] for dialect in among if shown[dialect]}
    return max(counts, key=lambda dialect: counts[dialect], default=Dialect.CUDA)


_SHOWN: dict[tuple[str, bytes], _Shown] = {}
"""By suffix and a hash of the text: no text stays in memory for it."""
_MOST_SHOWN = 64


def _shown(path: Path, source: bytes) -> _Shown:
    suffix = path.suffix.lower()
    key = suffix, hashlib.blake2b(source, digest_size=16).digest()
    found = _SHOWN.pop(key, None) or _shown_by(suffix, source)
    _SHOWN[key] = found
    if len(_SHOWN) > _MOST_SHOWN:
        del _SHOWN[next(iter(_SHOWN))]
    return found


def _shown_by(suffix: str, source: bytes) -> _Shown:
    by_suffix = _BY_SUFFIX.get(suffix)
    if by_suffix is not None:
        return _Shown(by_suffix)
    signs = _Signs.of(source)
    if signs.of_several:
        # Ported programs keep the calls of the other dialect in comments.
        signs = _Signs.of(_COMMENT.sub(b"", source))
    native = suffix in _CUDA_SUFFIXES
    if signs.offload and not signs.kernels and not native:
        return _Shown(Dialect.OPENMP)
    dialect = signs.clear_dialect()
    if dialect is None and signs.hip and native:
        # Source for both: the compiler that its suffix is usual with.
        dialect = Dialect.CUDA
    return _Shown(dialect, kernels=bool(signs.kernels or signs.hip or native))


@record(frozen=True, slots=True)
class _Signs:
    """How often a source names what is only one dialect's."""

    hip: int
    cuda: int
    kernels: bool
    offload: bool
    headers: tuple[bool, bool]
    """Whether HIP's and CUDA's own headers are included."""

    @classmethod
    def of(cls, source: bytes) -> _Signs:
        """Looks for the signs; words that a source does not hold are not searched for."""
        return cls(
            hip=_count(_HIP, source),
            cuda=_count(_CUDA, source),
            kernels=_SHARED.search(source) is not None,
            offload=has_offload(source),
            headers=(
                _HIP_HEADER.search(source) is not None,
                _CUDA_HEADER.search(source) is not None,
            ),
        )

    @property
    def of_several(self) -> bool:
        """Whether the source names more than one dialect."""
        return sum((self.hip > 0, self.cuda > 0 or self.kernels, self.offload)) > 1

    def clear_dialect(self) -> Dialect | None:
        """HIP or CUDA where the headers, or else most names, are of one."""
        if self.headers[0] != self.headers[1]:
            return Dialect.HIP if self.headers[0] else Dialect.CUDA
        if self.hip > _CLEARLY_MORE * self.cuda:
            return Dialect.HIP
        if self.cuda > _CLEARLY_MORE * self.hip:
            return Dialect.CUDA
        return None


def _count(sign: re.Pattern[bytes], source: bytes) -> int:
    return sum(1 for _ in sign.finditer(source))
