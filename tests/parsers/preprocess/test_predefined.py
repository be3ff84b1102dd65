"""The macros that exist before the first line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_parsers.preprocess import MacroOrigin, PreprocessedFile, cuda_macros, host_macros
from roofline_parsers.preprocess.predefined import COMPILER, CUDA, CUDA_CONSTANTS, SYSTEM

Run = Callable[..., PreprocessedFile]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("__CUDA_ARCH__", "860"),
        ("__CUDACC__ __NVCC__", "1 1"),
        ("__cplusplus", "201703L"),
        ("NULL", "nullptr"),
        ("INT_MAX", "2147483647"),
        ("UINT_MAX", "4294967295U"),
        ("FLT_MAX", "3.402823466e+38f"),
        ("DBL_EPSILON", "2.2204460492503131e-16"),
        ("M_PI", "3.14159265358979323846"),
        ("CUDART_PI_F", "3.141592654f"),
        ("UINT64_C(7) INT64_C(7)", "7UL 7L"),
        ("assert(x > 0);", "((void)0);"),
        ('"%" PRIu64', '"%" "lu"'),
        ("linux unix min max", "linux unix min max"),
    ],
)
def test_values(run: Run, name: str, expected: str) -> None:
    assert run(name).text.decode() == expected


def test_architecture(run: Run) -> None:
    source = "#ifdef __CUDA_ARCH__\n__CUDA_ARCH__\n#else\nhost\n#endif\n"
    assert run(source, cuda_arch=900).text.split() == [b"900"]
    assert run(source, cuda_arch=None).text.split() == [b"host"]


def test_own_definitions_win(run: Run) -> None:
    source = "#define M_PI 3.14f\n#define NULL 0\n#undef assert\nM_PI NULL assert(x)\n"
    result = run(source)
    assert result.text.split() == [b"3.14f", b"0", b"assert(x)"]
    assert result.macros[b"M_PI"].origin is MacroOrigin.PROGRAM
    assert run("FLT_MAX", defines=(("FLT_MAX", "1e37f"),)).text == b"1e37f"


def test_base_table(run: Run) -> None:
    source = "#ifdef __CUDACC__\ncuda\n#endif\n#ifdef _OPENMP\nopenmp\n#endif\n"
    assert run(source, base=host_macros(openmp=True)).text.split() == [b"openmp"]
    assert run(source, base=host_macros()).text.split() == []
    assert run(source, base=cuda_macros(800)).text.split() == [b"cuda"]


@pytest.mark.parametrize("table", [COMPILER, CUDA, SYSTEM, CUDA_CONSTANTS])
def test_tables_name_nothing_twice(table: str) -> None:
    names = [line.split("(")[0].split(" ")[0] for line in table.splitlines()]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)


def test_tables_are_disjoint() -> None:
    tables = [COMPILER, CUDA, SYSTEM, CUDA_CONSTANTS]
    names = [line.split("(")[0].split(" ")[0] for table in tables for line in table.splitlines()]
    assert len(names) == len(set(names))
    assert len(cuda_macros()) == len(names) + 3 + 2


@pytest.mark.parametrize("word", ["__global__", "__device__", "__shared__", "__launch_bounds__(x)"])
def test_words_of_cuda_stay_what_they_are(run: Run, word: str) -> None:
    """Copies of a toolkit's headers define them as attributes, or as nothing."""
    source = f"#define {word}\n{word} f\n"
    assert run(source).text.split() == [*word.encode().split(), b"f"]
    assert run(source, base=host_macros()).text.split() == [b"f"]
