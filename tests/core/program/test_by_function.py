"""Answers that functions keep: one for each function, which goes with it."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from roofline_core.program.by_function import by_function
from roofline_core.program.units import Function
from roofline_parsers.reading.load import LoadCache, load_program

SOURCE = b"__global__ void k(float* x) { x[0] = 1; }\nint main() { k<<<1, 1>>>(0); }\n"


def functions(cache: LoadCache) -> tuple[Function, ...]:
    texts = {Path("a.cu"): SOURCE}
    return load_program(tuple(texts), texts.get, cache=cache).units[0].functions


def test_each_function_is_asked_once_by_each_question() -> None:
    asked: list[tuple[str, str]] = []

    @by_function
    def length(function: Function) -> int:
        asked.append(("length", function.name))
        return len(function.name)

    @by_function
    def nothing(function: Function) -> None:
        asked.append(("nothing", function.name))

    cache = LoadCache()
    for _ in range(2):  # a second program that shares the file
        kernel, main = functions(cache)
        assert (length(kernel), length(main)) == (1, 4)
        assert nothing(main) is None
    assert asked == [("length", "k"), ("length", "main"), ("nothing", "main")]


@pytest.mark.sources
def test_answers_go_with_their_function() -> None:
    @by_function
    def itself(function: Function) -> list[Function]:
        return [function]

    cache = LoadCache()
    first = weakref.ref(functions(cache)[0])
    kernel = first()
    assert kernel is not None
    assert itself(kernel) == [kernel]
    del kernel
    cache.units.clear()
    gc.collect()
    assert first() is None
