"""Whole sessions with the real analyser: other languages than CUDA, and programs over folders."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

OPENMP = """\
#include <stdlib.h>

int main() {
    int n = 1 << 22;
    double *x = (double *)malloc(n * sizeof(double));
    double *y = (double *)malloc(n * sizeof(double));
    // Größe 😀
#pragma omp target teams distribute parallel for \\
        map(to: x[0:n]) map(from: y[0:n])
    for (int i = 0; i < n; i++) {
        y[i] = 2.0 * x[i];
    }
    return 0;
}
"""
PRAGMA, CONTINUED, PRODUCT = (7, 14), (8, 14), (10, 20)

KERNEL = """\
__kernel void scale(int n, __global const double *x, __global double *y) {
    int i = get_global_id(0);
    if (i < n) y[i] = 2.0 * x[i];
}
"""
HOST = """\
#include <CL/cl.h>
int main() {
    int n = 1 << 22;
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_ONLY, n * sizeof(double), NULL, NULL);
    cl_mem y = clCreateBuffer(context, CL_MEM_WRITE_ONLY, n * sizeof(double), NULL, NULL);
    cl_program program = load("kernels/scale.cl");
    clBuildProgram(program, 0, NULL, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "scale", NULL);
    clSetKernelArg(kernel, 0, sizeof(int), &n);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &y);
    size_t global = n, local = 256;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return 0;
}
"""
ENQUEUE = (12, 10)

CUDA_KERNEL = """\
__global__ void scale(int n, const double *x, double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0 * x[i];
}
"""
CUDA_HOST = """\
#include "../kernels/scale.cuh"
int main() {
    int n = 1 << 22;
    double *x, *y;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    scale<<<n / 512, 512>>>(n, x, y);
}
"""
PLAIN = "#include <vector>\nint main() { std::vector<int> v(3); return v[0] << 1; }\n"


def written(session: Any, name: str, text: str) -> None:
    path = session.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


async def test_an_openmp_region_is_hovered_at_its_directive(
    start_session: Any, profile: str
) -> None:
    session = await start_session(profile, server="real")
    uri = session.open("main.cpp", OPENMP, "cpp")
    text = (await session.hover_text(uri, *PRAGMA)).replace("*", "").replace("`", "")
    assert text.startswith("Bandwidth-bound on RTX 3080 10GB (boost clock): ")
    assert " teams of " in text
    assert "main.cpp:8" in text
    assert await session.hover_text(uri, *CONTINUED) == await session.hover_text(uri, *PRAGMA)
    assert "DRAM traffic" in await session.hover_text(uri, *PRODUCT)
    assert await session.hover(uri, 3, 10) is None

    (lens,) = await session.lenses(uri)
    assert lens.range.start.line == PRAGMA[0]
    assert lens.command.title.startswith("Bandwidth-bound, ")


async def test_an_opencl_kernel_with_its_host_in_another_folder(start_session: Any) -> None:
    session = await start_session(server="real")
    written(session, "host/main.c", HOST)
    written(session, "kernels/scale.cl", KERNEL)
    uri = session.open("kernels/scale.cl", KERNEL, "opencl")

    async def hovered() -> bool:
        text = await session.hover_text(uri, 0, 16)
        return text is not None and "16384 work-groups of 256 work-items" in text

    # The first answer may come before the project was looked through.
    await session.until_answer(hovered, True)
    assert "Launched at [main.c:13]" in await session.hover_text(uri, 0, 16)
    assert (await session.titles(uri))[0].startswith("Bandwidth-bound, ")

    host = session.open("host/main.c", HOST, "c")
    text = await session.hover_text(host, *ENQUEUE)
    assert text == await session.hover_text(uri, 0, 16)
    assert await session.lenses(host) == []
    assert await session.hover(host, 11, 12) is None


async def test_a_kernel_in_a_header_is_read_with_the_program_that_includes_it(
    start_session: Any,
) -> None:
    session = await start_session(server="real")
    written(session, "app/main.cu", CUDA_HOST)
    written(session, "kernels/scale.cuh", CUDA_KERNEL)
    uri = session.open("kernels/scale.cuh", CUDA_KERNEL, "cuda-cpp")

    async def hovered(shape: str) -> bool:
        return shape in (await session.hover_text(uri, 0, 18) or "")

    await session.until_answer(lambda: hovered("8192 blocks of 512 threads"), True)
    assert await session.pulled(uri) == []

    # A change of the host on disk is seen when the client tells of it, one in the editor at once.
    written(session, "app/main.cu", CUDA_HOST.replace("512", "256"))
    session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(session.uri("app/main.cu"), types.FileChangeType.Changed)]
        )
    )
    await session.until_answer(lambda: hovered("16384 blocks of 256 threads"), True)
    session.open("app/main.cu", CUDA_HOST.replace("512", "128"))
    await session.until_answer(lambda: hovered("32768 blocks of 128 threads"), True)


async def test_a_new_file_with_the_launch_is_found(start_session: Any) -> None:
    session = await start_session(server="real")
    written(session, "kernels/scale.cu", CUDA_KERNEL)
    uri = session.open("kernels/scale.cu", CUDA_KERNEL)
    assert "No launch found" in await session.hover_text(uri, 0, 18)
    written(session, "app/main.cu", CUDA_HOST.replace('#include "../kernels/scale.cuh"', "\n"))

    async def launched() -> bool:
        session.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(
                [types.FileEvent(session.uri("app/main.cu"), types.FileChangeType.Created)]
            )
        )
        return "8192 blocks of 512 threads" in (await session.hover_text(uri, 0, 18) or "")

    await session.until_answer(launched, True)


async def test_a_hip_launch(start_session: Any) -> None:
    session = await start_session(server="real")
    host = CUDA_HOST.replace("cuda", "hip").replace(
        "scale<<<n / 512, 512>>>(n, x, y)",
        "hipLaunchKernelGGL(scale, dim3(n / 512), dim3(512), 0, 0, n, x, y)",
    )
    text = "#include <hip/hip_runtime.h>\n" + CUDA_KERNEL + host.split("\n", 1)[1]
    uri = session.open("scale.cpp", text, "cpp")
    hovered = await session.hover_text(uri, 1, 18)
    assert "8192 blocks of 512 threads" in hovered
    for place in ((10, 8), (10, 24)):
        assert await session.hover_text(uri, *place) == hovered


async def test_plain_code_has_nothing(start_session: Any) -> None:
    session = await start_session(server="real")
    for name, language, text in (
        ("plain.cpp", "cpp", PLAIN),
        ("plain.h", "cpp", "int twice(int);\n"),
        ("plain.py", "python", "print('<<<')\n"),
    ):
        uri = session.open(name, text, language)
        assert await session.lenses(uri) == []
        assert await session.pulled(uri) == []
        assert await session.hover(uri, 0, 5) is None


async def test_the_watched_files_are_of_every_language(start_session: Any) -> None:
    session = await start_session(server="real")
    await session.until(lambda: types.WORKSPACE_DID_CHANGE_WATCHED_FILES in session.registrations)
    assert session.result.capabilities.hover_provider
