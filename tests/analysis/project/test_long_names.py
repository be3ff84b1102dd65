"""Names that no file can have are names of files that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProjectIndex
from roofline_core.settings import Settings
from roofline_lsp import analyze

KERNEL = (
    "__global__ void k(float *x) { x[threadIdx.x] = 1; }\n"
    "int main() { float *x; cudaMalloc(&x, 4096); %s k<<<4, 64>>>(x); }\n"
)


@pytest.mark.parametrize("name", ["a" * 5_000, "a/" * 3_000 + "a", "\\0a", "a\ta = b(c)" * 100])
@pytest.mark.parametrize("ending", ["", ".h", ".cuh"])
def test_a_name_that_no_file_can_have_costs_no_kernel(
    name: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / "main.cu"
    opens = f'FILE *f = fopen("{name}{ending}", "r"); std::ifstream s("{name}{ending}");'
    text = f'#include "{name}{ending}"\n#include <{name}{ending}>\n{KERNEL % opens}'
    path.write_text(text)
    (tmp_path / "Makefile").write_text(f"include {name}{ending}\nall: {name}{ending}\n")
    (tmp_path / "CMakeLists.txt").write_text(f"include({name})\nadd_subdirectory({name})\n")
    project = ProjectIndex(tmp_path)
    project.build()
    report = analyze(text.encode(), path, Settings(gpu="RTX 3080"), project=project)
    assert [each.base_name for each in report.kernels] == ["k"]
    assert not [each for each in report.problems if "internal error" in each.message]
