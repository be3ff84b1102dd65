"""Runs CUDA source given as text, and says what its launches are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from roofline_analysis.host import HostOptions, HostResult, execute_host
from roofline_analysis.host.inputs.workspace import InputFiles
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.project.files import read_file
from roofline_core.algebra.symbolic import Expr
from roofline_parsers.reading.load import load_program

Run = Callable[..., HostResult]
Numbers = tuple[int | float | None, ...]


def run_source(
    *sources: str, argv: Sequence[str] | None = (), options: HostOptions | None = None
) -> HostResult:
    """Execute source texts as one program; each is a file of its own."""
    files = {Path(f"/src/file{i}.cu"): text.encode() for i, text in enumerate(sources)}
    program = load_program(list(files), files.get)
    result = execute_host(program, argv, options)
    assert not [p for p in result.problems if p.message.startswith("internal")]
    return result


def run_main(body: str, *argv: str, before: str = "") -> list[LaunchContext]:
    """The launches of a program whose ``main`` has this body and that has a kernel ``k``."""
    source = f"""
    __global__ void k(float *p, int n) {{}}
    {before}
    int main(int argc, char **argv) {{
      float *d;
      {body}
      return 0;
    }}
    """
    return list(run_source(source, argv=argv).launches)


def numbers(extents: tuple[Expr, ...] | None) -> Numbers | None:
    """Extents as plain numbers, None for one that is not known."""
    return None if extents is None else tuple(extent.constant for extent in extents)


@pytest.fixture(name="run")
def _run() -> Run:
    return run_source


@pytest.fixture(name="main")
def _main() -> Callable[..., list[LaunchContext]]:
    return run_main


@pytest.fixture(name="grids")
def _grids() -> Callable[..., list[Numbers | None]]:
    def grids(body: str, *argv: str, before: str = "") -> list[Numbers | None]:
        return [numbers(launch.grid) for launch in run_main(body, *argv, before=before)]

    return grids


@pytest.fixture(name="grid_x")
def _grid_x() -> Callable[..., int | float | None]:
    """The first extent of the one launch of a ``main`` that launches ``k<<<x, 1>>>``."""

    def grid_x(body: str, *argv: str, before: str = "") -> int | float | None:
        launches = run_main(body + "\nk<<<x, 1>>>(d, 0);", *argv, before=before)
        assert len(launches) == 1
        assert launches[0].grid is not None
        return launches[0].grid[0].constant

    return grid_x


Files = dict[str, str | bytes]
"""Data files by their names below the source's folder."""


@pytest.fixture(name="launch_with")
def _launch_with(tmp_path: Path) -> Callable[..., list[LaunchContext]]:
    """The launches of a ``main`` beside files on disk; ``root`` None: their folder."""

    def launch_with(
        files: Files, body: str, *argv: str, before: str = "", root: Path | None = None
    ) -> list[LaunchContext]:
        folder = tmp_path / "app"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        source = f"""
        __global__ void k(float *p, int n) {{}}
        {before}
        int main(int argc, char **argv) {{ float *d; {body} return 0; }}
        """
        path = folder / "main.cu"
        program = load_program([path], {path: source.encode()}.get)
        options = HostOptions(inputs=InputFiles(root or folder, read_file))
        result = execute_host(program, argv, options)
        assert not [p for p in result.problems if p.message.startswith("internal")]
        return list(result.launches)

    return launch_with
