"""The batch and the editor say the same of a file, wherever its launch stands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from roofline_analysis.api import analyze, analyze_paths
from roofline_analysis.project.project import ProjectIndex
from roofline_core.program.units import Dialect
from roofline_core.settings import Settings

SETTINGS = Settings(gpu="RTX 3080", args=("4096",))
BODY = "{ int i = INDEX; if (i < n) x[i] = 2 * x[i]; }\n"
CUDA_INDEX = "blockIdx.x * blockDim.x + threadIdx.x"
CUDA_KERNEL = "__global__ void scale(int n, float *x) " + BODY.replace("INDEX", CUDA_INDEX)
MAIN = """
#include "scale.h"
int main(int argc, char **argv) { run_scale(atoi(argv[1])); }
"""
WRAPPER = """
#include "../scale.h"
__global__ void scale(int n, float *x);
void run_scale(int n) {
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    LAUNCH;
}
"""
CUDA = {
    "include/scale.h": "void run_scale(int n);\n",
    "src/kernels/scale.cu": CUDA_KERNEL,
    "src/host/launch.cu": WRAPPER.replace("LAUNCH", "scale<<<n / 256, 256>>>(n, x)"),
    "src/app/main.cpp": MAIN,
}
HIP = {
    "include/scale.h": "void run_scale(int n);\n",
    "src/kernels/scale.cpp": "#include <hip/hip_runtime.h>\n" + CUDA_KERNEL,
    "src/host/launch.cpp": WRAPPER.replace("cuda", "hip").replace(
        "LAUNCH", "hipLaunchKernelGGL(scale, dim3(n / 256), dim3(256), 0, 0, n, x)"
    ),
    "src/app/main.cpp": MAIN,
}
OPENCL = {
    "kernels/scale.cl": "__kernel void scale(int n, __global float *x) "
    + BODY.replace("INDEX", "get_global_id(0)"),
    "host/main.c": """
#include <CL/cl.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    cl_program program = load("kernels/scale.cl");
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof(int), &n);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x);
    size_t global = n, local = 256;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}
""",
}
OPENMP = {
    "include/scale.h": "void run_scale(int n);\n",
    "src/app/main.cpp": MAIN,
    "src/kernels/scale.cpp": """
#include <cstdlib>
void run_scale(int n) {
    float *x = (float *)malloc(n * sizeof(float));
#pragma omp target teams distribute parallel for num_teams(16) thread_limit(256) map(x[0:n])
    for (int i = 0; i < n; i++) x[i] = 2 * x[i];
}
""",
}


@pytest.mark.parametrize(
    ("files", "kernel", "launch", "dialect"),
    [
        (CUDA, "src/kernels/scale.cu", "src/host/launch.cu", Dialect.CUDA),
        (HIP, "src/kernels/scale.cpp", "src/host/launch.cpp", Dialect.HIP),
        (OPENCL, "kernels/scale.cl", "host/main.c", Dialect.OPENCL),
        (OPENMP, "src/kernels/scale.cpp", "src/kernels/scale.cpp", Dialect.OPENMP),
    ],
    ids=["cuda", "hip", "opencl", "openmp"],
)
def test_a_launch_in_another_folder(
    tmp_path: Path, files: Mapping[str, str], kernel: str, launch: str, dialect: Dialect
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    path = tmp_path / kernel
    paths = sorted(tmp_path / name for name in files)

    editor = ProjectIndex(tmp_path)
    editor.build()
    report = analyze(path.read_bytes(), path, SETTINGS, project=editor)
    (found,) = report.kernels
    assert found.dialect is dialect
    assert [site.path for site in found.launches] == [tmp_path / launch]
    assert (found.launches[0].grid, found.launches[0].block) == ((16, 1, 1), (256, 1, 1))

    (alone,) = analyze_paths([path], SETTINGS, project=ProjectIndex(tmp_path))
    assert alone == report
    every = {each.path: each for each in analyze_paths(paths, SETTINGS)}
    assert every[path] == report
    assert all(each.kernels == () for each in every.values() if each.path != path)


def test_without_a_project_the_folder_alone_is_looked_at(tmp_path: Path) -> None:
    for name, text in CUDA.items():
        (tmp_path / Path(name).name).write_text(text.replace("../", ""))
    path = tmp_path / "scale.cu"
    (found,) = analyze(path.read_bytes(), path, SETTINGS).kernels
    assert [site.path.name for site in found.launches] == ["launch.cu"]
    assert found.launches[0].grid == (16, 1, 1)


def test_files_without_a_sign_are_not_read_further(tmp_path: Path) -> None:
    path = tmp_path / "plain.cpp"
    text = b"#if 1\nint f( {{{ \n"
    path.write_bytes(text)
    read: list[Path] = []

    def reader(wanted: Path) -> bytes | None:
        read.append(wanted)
        return None

    assert analyze(text, path, SETTINGS, reader=reader).problems == ()
    assert read == []
    (report,) = analyze_paths([path], SETTINGS)
    assert report.problems == ()
