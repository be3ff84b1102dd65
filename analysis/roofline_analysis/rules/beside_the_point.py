"""Kernels whose time nobody looks at: of tests, of set-up, and steps on the way to a faster one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from roofline_analysis.language.symbols import last_component
from roofline_analysis.rules.subject import KernelSubject

_TESTS: Final = frozenset(("test", "tests", "unittest", "unittests", "unit_tests"))
"""Folders that hold tests."""
_TEST_FILE: Final = re.compile(r"test_\w+|\w+_(?:unit)?tests?|\w+[a-z]Tests?")
"""The names of files that hold tests, without their suffixes."""
_BENCHMARK: Final = re.compile(r"bench|perf|speed|profil", re.IGNORECASE)
_NEAREST: Final = 4
"""The part of a path, from its end, that is of the project: the folders around may be called so."""
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_RUN_ONCE: Final = frozenset(
    "warmup warm init initialize initialise initialization setup"
    " verify verification validate validation correctness reference".split()
)
"""Words in the names of kernels, and of their files, that run once, before the work or to check its
results: nobody looks at their time."""
_NAIVE: Final = frozenset("naive baseline unoptimized unoptimised unopt slow slower".split())
"""Words in the names of kernels of which the author knows that they are no fast ones."""
_FIRST_STEPS: Final = _NAIVE | frozenset("basic simple mid global uncoalesced bad atomic".split())
"""Words in the names of kernels that are there to be outdone."""
_LATER_STEPS: Final = frozenset(
    "shared smem shm tiled tile tiling fast faster fastest opt optimized optimised coalesced"
    " unrolled unroll vectorized vectorised vec register reg blocked improved csr ell".split()
)
"""Words in the names of kernels that outdo others."""
_REFINEMENTS: Final = _LATER_STEPS | frozenset(
    "bcf swizzle swizzled packed pad padded dbf pipelined pipeline async prefetch buffered".split()
)
"""Words that tell how a kernel outdoes one whose name has the other words."""
_COMMON: Final = frozenset(("kernel", "gpu", "device", "cuda"))
"""Words that say nothing of what a kernel does."""
_VERSION: Final = re.compile(
    r"(?P<stem>(?:\w|::)*?[A-Za-z])_?(?P<number>\d{1,2})(?P<rest>(?:_?[Kk]ernel)?|::\w+)"
)
"""A name with a number: the version of something, ``gemm_v02``, ``gemm_2_kernel``, ``v2::gemm``."""
_STEP: Final = re.compile(r"(?P<word>[A-Za-z]+)_?(?P<number>\d{1,2})(?:[._]\d{1,2})?")
"""The end of the name of a file that is one of several steps: ``reduction2``, ``gemm_v1.2``."""
_VERSIONS: Final = frozenset(("v", "ver", "version"))
"""Words before the number of a version."""
_ON_PURPOSE: Final = frozenset(
    "divergent divergence uncoalesced noncoalesced misaligned unaligned conflict conflicts".split()
)
"""Words in the names of kernels that show what is slow, or wrong."""
_PUT_ASIDE: Final = re.compile(
    r"(?:\w*_)?(?:backup|bak|old|copy|deprecated|archived?)\d*", re.IGNORECASE
)

_ASIDE: Final = frozenset(("deprecated", "archive", "archived"))
"""Folders of what is not built; ``old`` and ``copy`` may be around a whole project."""


def runs_once(name: str, path: Path) -> bool:
    """Whether a kernel, or its file, says by its name that it runs before or after the work."""
    return not _RUN_ONCE.isdisjoint(_words(name) | _words(path.stem))


def is_put_aside(path: Path) -> bool:
    """Whether a file says by its name, or its folder's, that it is kept and not built."""
    folders = (part.lower() for part in path.parts[-_NEAREST:-1])
    return _PUT_ASIDE.fullmatch(path.stem) is not None or not _ASIDE.isdisjoint(folders)


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
    ``scan_fast``: they share a word, and one of them is called a step before or after.
    ``gemm_smem`` comes before ``gemm_smem_padded``, ``gemm_v01`` before ``gemm_v02``, and what is
    called naive before all that share a word with it.
    """
    own = _words(last_component(name))
    return any(
        _is_version_before(name, other) or _comes_before(own, _words(last_component(other)))
        for other in others
    )


def is_earlier_step(subject: KernelSubject) -> bool:
    """Whether a kernel has the name of its file, and the next step is another file of the folder.

    ``reduction0`` of ``reduction0.cu`` beside ``reduction1.cu``; a file alone is an exercise. Where
    the file's name says that it is a version, ``attention_v0.cu``, that holds for all its kernels.
    """
    path = subject.kernel.path
    steps = list(_STEP.finditer(path.stem))
    if not steps or steps[-1].end() != len(path.stem):
        return False
    word, number = steps[-1]["word"], steps[-1]["number"]
    named = re.search(rf"{word}_?{number}(?!\d)", subject.kernel.name, re.IGNORECASE)
    if named is None and word.lower() not in _VERSIONS:
        return False
    following = str(int(number) + 1).rjust(len(number), "0")
    name = path.stem[: steps[-1].start("number")] + following + path.suffix
    return subject.text(path.with_name(name)) is not None


def _is_version_before(name: str, other: str) -> bool:
    version, later = _VERSION.fullmatch(name), _VERSION.fullmatch(other)
    if version is None or later is None or version["rest"] != later["rest"]:
        return False
    return version["stem"] == later["stem"] and int(version["number"]) < int(later["number"])


def _comes_before(own: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether the words of two kernels' names say that the second is the faster of them."""
    more, less = theirs - own, own - theirs
    if own & _NAIVE and not theirs & _NAIVE and any(word.isalpha() for word in own & theirs):
        return True
    if own and more and not less and more <= _REFINEMENTS:
        return True
    if own == theirs or not any(len(word) > 2 for word in (own & theirs) - _LATER_STEPS):
        return False
    follows = bool(more & _LATER_STEPS) and not own & _LATER_STEPS
    return follows and less <= _FIRST_STEPS | _COMMON


def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORDS.findall(name)) - _COMMON
