"""Files that ``.gitignore`` and ``.rooflineignore`` name are left out of folders."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_lsp.cli.files import collect

Run = Callable[..., Any]
KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 0; }\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name in ("a.cu", "gen/b.cu", "gen/keep.cu", "src/c.cu", "src/deep/d.cu"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(KERNEL)
    return tmp_path


def found(tree: Path, *patterns: Path, ignore_files: bool = True) -> list[str]:
    got = collect(
        [str(each) for each in patterns or (tree,)],
        exclude=(),
        gate=lambda text: b"__global__" in text,
        ignore_files=ignore_files,
    )
    return [each.relative_to(tree).as_posix() for each in got.files]


ALL = ["a.cu", "gen/b.cu", "gen/keep.cu", "src/c.cu", "src/deep/d.cu"]


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({}, ALL),
        ({".gitignore": "gen/\n"}, ["a.cu", "src/c.cu", "src/deep/d.cu"]),
        ({".gitignore": "gen/*\n!gen/keep.cu\n"}, ["a.cu", *ALL[2:]]),
        ({".gitignore": "# comment\n\n/c.cu\n*.txt\n"}, ALL),
        ({".gitignore": "*.cu\n", "src/.gitignore": "!c.cu\n"}, ["src/c.cu"]),
        ({"src/.gitignore": "deep\n"}, ALL[:4]),
        ({".rooflineignore": "/a.cu\nsrc/**/d.cu\n"}, ALL[1:4]),
        ({".gitignore": "*\n!*.*\n!*/\n"}, ALL),
        ({".gitignore": "*\n!src/\n!*.cu\n"}, ["a.cu", "src/c.cu"]),
        ({".gitignore": "/*\n!/src\n"}, ["src/c.cu", "src/deep/d.cu"]),
        ({".gitignore": "*\n!*.cu\n"}, ["a.cu"]),
        ({".gitignore": "src/*/\n!gen/\n"}, ALL[:4]),
        ({".gitignore": "[\n!\n/\ngen\n"}, ["a.cu", "src/c.cu", "src/deep/d.cu"]),
    ],
)
def test_patterns_mean_what_git_means(tree: Path, files: dict[str, str], left: list[str]) -> None:
    for name, text in files.items():
        (tree / name).write_text(text)
    assert found(tree) == left
    assert found(tree, ignore_files=False) == ALL


def test_patterns_of_folders_above_hold_too(tree: Path) -> None:
    (tree / ".gitignore").write_text("deep/\n")
    assert found(tree, tree / "src") == ["src/c.cu"]


def test_what_is_named_is_checked(tree: Path) -> None:
    (tree / ".gitignore").write_text("src/\na.cu\n")
    assert found(tree, tree / "a.cu") == ["a.cu"]
    assert found(tree, tree / "src") == ["src/c.cu", "src/deep/d.cu"]


def test_a_link_is_no_ignore_file(tree: Path) -> None:
    (tree / "patterns").write_text("*\n")
    (tree / ".gitignore").symlink_to(tree / "patterns")
    assert found(tree) == ALL


def test_no_pattern_holds_a_walk_up(tree: Path) -> None:
    (tree / f"{'a' * 200}.cu").write_text(KERNEL)
    patterns = ["*a" * 40 + "b.cu", "*a" * 6 + "b.cu", "**/" * 60 + "x", "*a*ab.cu"]
    (tree / ".gitignore").write_text("\n".join(patterns) + "\na.cu\n")
    start = time.monotonic()
    assert len(found(tree)) == 5
    assert time.monotonic() - start < 20.0


def test_the_command_line_can_do_without(run: Run, project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("polynomial.cu\n")
    assert "polynomial" not in run("--check", "src").out
    assert "polynomial" in run("--check", "src", "--no-ignore-files").out
    assert "polynomial" in run("--check", "src/polynomial.cu").out
