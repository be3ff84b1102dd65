"""Kernels whose time nobody looks at: those of tests, and steps on the way to a faster one."""

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
    ``scan_fast``: they share a word, and one of them is called a step before or after.
    """
    own = _words(name)
    for other in others:
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
