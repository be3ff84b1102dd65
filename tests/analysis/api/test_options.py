"""What settings, build files and the GPU say of how a program is compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api.options import preprocess_options
from roofline_core.program.units import Dialect
from roofline_core.settings import Settings

OFFLOAD = "#pragma omp target\nvoid f() {}\n"


def options(files: dict[str, str], gpu: str = "RTX 3080") -> dict[str, dict[str, str]]:
    """Each source's defines."""
    contents = {Path("/p", name): text.encode() for name, text in files.items()}
    paths = [path for path in contents if path.suffix]
    found = preprocess_options(
        [p for p in paths if not p.name.startswith("Makefile")], Settings(gpu=gpu), contents.get
    )
    return {p.name: dict(found.for_file(p, Dialect.CUDA).defines) for p in paths}


def test_a_recipe_defines_for_its_file_alone() -> None:
    makefile = "all: a.o b.o\na.o: a.cu\n\tnvcc -DX -DGPU -c a.cu\nb.o: b.cu\n\tnvcc -DX -c b.cu\n"
    found = options({"a.cu": "", "b.cu": "", "Makefile": makefile})
    assert found == {"a.cu": {"X": "1", "GPU": "1"}, "b.cu": {"X": "1"}}


@pytest.mark.parametrize(("source", "expected"), [(OFFLOAD, "AMD"), ("void f() {}", "INTEL")])
def test_offloaded_programs_are_built_by_a_compiler_that_offloads(
    source: str, expected: str
) -> None:
    files = {
        "main.cpp": source,
        "Makefile": "main: main.cpp\n\ticpx -DINTEL -c main.cpp\n",
        "Makefile.aomp": "main: main.cpp\n\tclang++ -DAMD -c main.cpp\n",
    }
    assert expected in options(files)["main.cpp"]


@pytest.mark.parametrize(
    ("gpu", "cuda_arch", "hip_arch"),
    [("RTX 3080", 860, None), ("H100", 900, None), ("MI210", 860, "gfx90a")],
)
def test_the_gpu_decides_what_is_compiled_for(
    gpu: str, cuda_arch: int, hip_arch: str | None
) -> None:
    found = preprocess_options([Path("/p/a.cu")], Settings(gpu=gpu), lambda path: None)
    assert (found.cuda_arch, found.hip_arch) == (cuda_arch, hip_arch)


@pytest.mark.parametrize("mark", ["LICENSE", ".gitignore", "setup.py"])
def test_headers_are_looked_for_up_to_the_top_of_the_project(tmp_path: Path, mark: str) -> None:
    (tmp_path / "net" / "src" / "gpu").mkdir(parents=True)
    (tmp_path / "net" / mark).write_text("")
    path = tmp_path / "net" / "src" / "gpu" / "a.cu"
    assert preprocess_options([path], Settings(), lambda _: None).include_root == tmp_path / "net"


def test_no_folder_of_a_project_is_known_without_a_mark() -> None:
    found = preprocess_options([Path("/nowhere/src/a.cu")], Settings(), lambda _: None)
    assert found.include_root is None
