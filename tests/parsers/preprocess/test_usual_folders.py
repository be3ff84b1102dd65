"""Headers that no option leads to, found in the usual folders of the project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_parsers.preprocess import PreprocessedFile
from roofline_parsers.preprocess.usual_folders import usual_folders

Run = Callable[..., PreprocessedFile]
ROOT = Path("/")


def found(result: PreprocessedFile) -> list[str]:
    return [unit.path.as_posix() for unit in result.includes]


@pytest.mark.parametrize(
    "path", ["/src/include/net/a.hpp", "/include/net/a.hpp", "/net/a.hpp", "/Common/net/a.hpp"]
)
@pytest.mark.parametrize("written", ["<net/a.hpp>", '"net/a.hpp"'])
def test_in_a_folder_above(run: Run, path: str, written: str) -> None:
    result = run(f"#include {written}\n", {path: ""}, include_root=ROOT)
    assert found(result) == [path]
    assert result.unresolved_includes == ()


def test_not_above_the_projects_folder(run: Run) -> None:
    result = run('#include "a.h"\n', {"/include/a.h": ""}, include_root=Path("/src"))
    assert result.unresolved_includes == ('"a.h"',)


def test_not_without_a_folder_of_the_project(run: Run) -> None:
    assert run('#include "a.h"\n', {"/include/a.h": ""}).unresolved_includes == ('"a.h"',)


def test_the_nearest_is_meant(run: Run) -> None:
    files = {"/include/a.h": "", "/src/inc/a.h": ""}
    assert found(run("#include <a.h>\n", files, include_root=ROOT)) == ["/src/inc/a.h"]


def test_folders_that_are_named_come_first(run: Run) -> None:
    files = {"/include/a.h": "", "/other/a.h": ""}
    options = {"include_root": ROOT, "include_dirs": (Path("/other"),)}
    assert found(run("#include <a.h>\n", files, **options)) == ["/other/a.h"]


def test_headers_of_the_toolkit_are_not_the_projects(run: Run) -> None:
    result = run("#include <vector>\n", {"/include/vector": "int v;\n"}, include_root=ROOT)
    assert found(result) == []


def test_from_a_header_on(run: Run) -> None:
    files = {"/include/a.h": "#include <part/b.h>\n", "/lib/part/b.h": ""}
    result = run("#include <a.h>\n", files, include_root=ROOT)
    assert found(result.includes[0]) == ["/lib/part/b.h"]


def test_a_file_beside_a_like_named_folder_is_outside() -> None:
    assert list(usual_folders("/project2/src", "/project")) == []
    assert "/project/include" in list(usual_folders("/project/src", "/project"))
    assert "/" not in list(usual_folders("/project/src", "/project"))
