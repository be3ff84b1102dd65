"""Headers of a project that no build file leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.api import ProjectIndex, analyze_paths
from roofline_analysis.report.report import KernelReport
from roofline_core.settings import Settings

HEADER = (
    "template <class T> struct View { T *data; __device__ T &at(int i) { return data[i]; } };\n"
)
KERNEL = """
__global__ void copy(View<float> in, View<float> out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out.at(i) = in.at(i);
}
"""


def project(root: Path, files: dict[str, str]) -> ProjectIndex:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return ProjectIndex(root)


def folders(root: Path, files: dict[str, str], unit: str = "src/a.cu") -> list[str]:
    found = project(root, files).include_dirs([root / unit])
    return [folder.relative_to(root).as_posix() for folder in found]


@pytest.mark.parametrize(
    ("header", "written", "expected"),
    [
        ("lib/include/lib/view.h", "<lib/view.h>", ["lib/include"]),
        ("include/view.cuh", '"view.cuh"', ["include"]),
        ("src/view.cuh", '"view.cuh"', []),
        ("src/view.cuh", '"../src/view.cuh"', []),
        ("other/math.h", "<math.h>", []),
        ("other/getopt.h", "<getopt.h>", []),
        ("other/vector", "<vector>", []),
        ("vendor/cuda_fp16.h", "<cuda_fp16.h>", []),
        ("vendor/thrust/device_vector.h", "<thrust/device_vector.h>", []),
        ("build/lib/view.h", "<lib/view.hpp>", []),
    ],
)
def test_a_header_is_looked_up_by_the_end_of_its_path(
    tmp_path: Path, header: str, written: str, expected: list[str]
) -> None:
    assert folders(tmp_path, {"src/a.cu": f"#include {written}\n", header: HEADER}) == expected


def test_of_several_the_nearest_is_taken(tmp_path: Path) -> None:
    files = {
        "one/src/a.cu": "#include <lib/view.h>\n",
        "one/include/lib/view.h": "#include <lib/more.h>\n",
        "two/include/lib/view.h": "",
        "two/include/lib/more.h": "",
    }
    assert folders(tmp_path, files, "one/src/a.cu") == ["one/include", "two/include"]


def test_folders_outside_of_the_root_and_links_are_not_searched(tmp_path: Path) -> None:
    (tmp_path / "outside" / "lib").mkdir(parents=True)
    (tmp_path / "outside" / "lib" / "view.h").write_text(HEADER)
    root = tmp_path / "root"
    index = project(root, {"src/a.cu": "#include <lib/view.h>\n"})
    (root / "linked").symlink_to(tmp_path / "outside")
    assert index.include_dirs([root / "src" / "a.cu"]) == ()


def test_a_new_header_is_found_and_a_deleted_one_is_not(tmp_path: Path) -> None:
    index = project(tmp_path, {"src/a.cu": "#include <lib/view.h>\n"})
    unit, header = tmp_path / "src" / "a.cu", tmp_path / "inc" / "lib" / "view.h"
    assert index.include_dirs([unit]) == ()
    header.parent.mkdir(parents=True)
    header.write_text(HEADER)
    index.update(header)
    assert index.include_dirs([unit]) == (tmp_path / "inc",)
    header.unlink()
    index.update(header)
    assert index.include_dirs([unit]) == ()


def test_an_include_that_is_typed_is_found(tmp_path: Path) -> None:
    index = project(tmp_path, {"src/a.cu": "int a;\n", "inc/lib/view.h": HEADER})
    unit = tmp_path / "src" / "a.cu"
    for text, expected in (("int a;\n", ()), ("#include <lib/view.h>\n", (tmp_path / "inc",))):
        index.put(unit, text.encode())
        assert index.include_dirs([unit]) == expected


def test_a_kernel_has_the_classes_of_such_a_header(tmp_path: Path) -> None:
    unit = "src/kernels/a.cu"
    index = project(
        tmp_path, {unit: "#include <lib/view.h>\n" + KERNEL, "lib/include/lib/view.h": HEADER}
    )
    (file,) = analyze_paths([tmp_path / unit], Settings(gpu="A100"), project=index)
    (kernel,) = file.kernels
    assert _missing(kernel) == ()
    (alone,) = next(iter(analyze_paths([tmp_path / unit], Settings(gpu="A100")))).kernels
    assert _missing(alone) != ()


def _missing(kernel: KernelReport) -> tuple[object, ...]:
    assert kernel.prediction.sight is not None
    return kernel.prediction.sight.missing


def test_kernels_of_an_included_file_without_a_suffix_of_sources_are_reported(
    tmp_path: Path,
) -> None:
    files = {
        "a.cu": '#include "parts/one.knl"\n#include "parts/two.h"\n',
        "b.cu": '#include "parts/one.knl"\n',
        "parts/one.knl": "__global__ void one(float *x) { x[threadIdx.x] = 1; }\n",
        "parts/two.h": "__global__ void two(float *x) { x[threadIdx.x] = 2; }\n",
    }
    index = project(tmp_path, files)
    paths = [tmp_path / "a.cu", tmp_path / "b.cu"]
    found = list(analyze_paths(paths, Settings(gpu="A100"), project=index))
    assert [file.path for file in found] == [*paths, tmp_path / "parts" / "one.knl"]
    assert [[kernel.name for kernel in file.kernels] for file in found][2] == ["one(float *)"]
