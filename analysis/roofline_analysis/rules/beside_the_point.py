"""Kernels whose time nobody looks at: of tests, of set-up, and steps on the way to a faster one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from roofline_analysis.rules.subject import KernelSubject

_TESTS: Final = frozenset(("test", "tests", "unittest", "unittests", "unit_tests"))
"""Folders that hold tests."""
_TEST_FILE: Final = re.compile(r"test_\w+|\w+_(?:unit)?tests?|\w+[a-z]Tests?")
"""The names of files that hold tests, without their suffixes."""
_BENCHMARK: Final = re.compile(r"bench|perf|speed|profil", re.IGNORECASE)
_NEAREST: Final = 4
"""The part of a path, from its end, that is of the project: the folders around may be called so."""
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_RUN_ONCE: Final = frozenset("warmup warm init initialize initialise setup".split())
"""Words in the names of kernels that run once, so that nobody looks at their time."""
_FIRST_STEPS: Final = frozenset(
    "naive basic baseline simple slow slower mid unoptimized unopt global uncoalesced bad".split()
)
"""Words in the names of kernels that are there to be outdone."""
_LATER_STEPS: Final = frozenset(
    "shared smem shm tiled tile tiling fast faster fastest opt optimized optimised coalesced"
    " unrolled unroll vectorized vectorised vec register reg blocked improved csr ell".split()
)
"""Words in the names of kernels that outdo others."""


_COMMON: Final = frozenset(("kernel", "gpu", "device", "cuda"))
"""Words that say nothing of what a kernel does."""


_VERSION: Final = re.compile(r"(?P<stem>\w*?[A-Za-z])_?(?P<number>\d{1,2})")
"""A name that ends in a number: the version of something, ``gemm_v02``."""
_ON_PURPOSE: Final = frozenset(
    "divergent divergence uncoalesced noncoalesced misaligned unaligned conflict conflicts".split()
)
"""Words in the names of kernels that show what is slow, or wrong."""
_PUT_ASIDE: Final = re.compile(
    r"(?:\w*_)?(?:backup|bak|old|copy|deprecated|archived?)\d*", re.IGNORECASE
)


def runs_once(name: str) -> bool:
    """Whether a kernel says by its name that it runs before the work begins."""
    return not _words(name).isdisjoint(_RUN_ONCE)


def is_put_aside(path: Path) -> bool:
    """Whether a file says by its name that it is kept and not built: ``BACKUP.cu``."""
    return _PUT_ASIDE.fullmatch(path.stem) is not None


def is_on_purpose(name: str) -> bool:
    """Whether a kernel's name says that it is slow or wrong to show how it is."""
    return not _words(name).isdisjoint(_ON_PURPOSE)


def is_of_a_test(path: Path) -> bool:
    """Whether a file is one of tests, whose sizes are small on purpose; benchmarks are none."""
    near = path.parts[-_NEAREST:]
    if any(_BENCHMARK.search(part) for part in near):
        return False
    in_folder = not _TESTS.isdisjoint(part.lower() for part in near[:-1])
    return in_folder or _TEST_FILE.fullmatch(path.stem) is not None


def only_tests_launch(subject: KernelSubject) -> bool:
    """Whether a kernel is of a test, or no other code launches it."""
    places = [each.context.path for each in subject.launches if each.context is not None]
    return all(map(is_of_a_test, places)) if places else is_of_a_test(subject.kernel.path)


def is_outdone(name: str, others: Iterable[str]) -> bool:
    """Whether a kernel's name says that another one of the file is the faster way to the same.

    ``matmul`` beside ``matmul_shared``, ``spmv_basic`` beside ``spmv_csr``, ``scan_mid`` beside
    ``scan_fast``: they share a word, and one of them is called a step before or after. ``gemm_v01``
    is before ``gemm_v02``.
    """
    own, version = _words(name), _VERSION.fullmatch(name)
    for other in others:
        later = _VERSION.fullmatch(other)
        if version and later and version["stem"] == later["stem"]:
            if int(version["number"]) < int(later["number"]):
                return True
        theirs = _words(other)
        if own == theirs or not any(len(word) > 2 for word in (own & theirs) - _LATER_STEPS):
            continue
        more, less = theirs - own, own - theirs
        follows = bool(more & _LATER_STEPS) and not own & _LATER_STEPS
        if follows and less <= _FIRST_STEPS | _COMMON:
            return True
    return False


def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORDS.findall(name)) - _COMMON
