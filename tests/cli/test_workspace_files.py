"""The files that the language server is told of are those that ``--check`` takes."""

from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_lsp.cli.workspace_files import StoppedError, files_below

KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n"
REGION = "void f(float* x) {\n#pragma omp target teams distribute parallel for\nfor (;;) {}\n}\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_every_kind_of_source_with_a_kernel_and_no_other(tmp_path: Path) -> None:
    taken = [
        write(tmp_path, "a.cu", KERNEL),
        write(tmp_path, "b.cpp", REGION),
        write(tmp_path, "c.h", KERNEL),
        write(tmp_path, "deep/d.hpp", KERNEL),
    ]
    write(tmp_path, "plain.cpp", "int main() {}\n")
    write(tmp_path, "build/e.cu", KERNEL)
    write(tmp_path, "left/out.cu", KERNEL)
    write(tmp_path, "ignored.cu", KERNEL)
    write(tmp_path, ".rooflineignore", "ignored.cu\n")
    found = files_below(tmp_path, Settings(exclude=("left",)), lambda: False)
    assert sorted(found.files) == taken
    assert found.problems == ()


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, "a.cu", "\0" + KERNEL)
    found = files_below(tmp_path, Settings(), lambda: False)
    assert found.files == ()
    assert found.problems == (f"{path}: binary data (a zero byte at offset 0), not read",)


def test_it_ends_when_nobody_waits(tmp_path: Path) -> None:
    write(tmp_path, "a.cu", KERNEL)
    with pytest.raises(StoppedError):
        files_below(tmp_path, Settings(), lambda: True)
