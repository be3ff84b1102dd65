"""Results do not depend on the time that they take: parsers and analysis read no clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import roofline_analysis
import roofline_core
import roofline_parsers

CLOCKS = {"time", "datetime", "timeit", "signal", "resource"}
MAY_MEASURE = {"roofline_core/program/stages.py"}
"""Measures for ``--statistics`` what an analysis takes; no result depends on it."""


def clocks_of(source: str) -> set[str]:
    """The modules with a clock that a source imports."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
    return found & CLOCKS


def modules() -> Iterator[Path]:
    for package in (roofline_core, roofline_parsers, roofline_analysis):
        (folder,) = package.__path__
        yield from Path(folder).rglob("*.py")


def test_a_clock_is_found() -> None:
    assert clocks_of("def f():\n    from time import monotonic\n") == {"time"}
    assert clocks_of("import datetime as d, os\n") == {"datetime"}


def test_no_module_reads_a_clock() -> None:
    read = {}
    for path in modules():
        found = clocks_of(path.read_text())
        if found and not any(path.as_posix().endswith(each) for each in MAY_MEASURE):
            read[path.as_posix()] = found
    assert read == {}
