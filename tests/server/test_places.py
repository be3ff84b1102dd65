"""URIs, paths, and which documents are sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_lsp.server.documents.places import (
    is_file,
    is_source,
    may_hold_kernels,
    path_of,
    uri_of,
)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/a/k.cu", "/home/a/k.cu"),
        ("file:///home/a%20b/gr%C3%B6%C3%9Fe.cu", "/home/a b/größe.cu"),
        ("file:///home/a b/größe.cu", "/home/a b/größe.cu"),
        ("file://localhost/k.cu", "/k.cu"),
        ("file:///a/b%3Bc%23d%3Fe.cu", "/a/b;c#d?e.cu"),
        ("file:///a/b;c?d.cu", "/a/b;c?d.cu"),
    ],
)
def test_the_path_of_a_file(uri: str, path: str) -> None:
    assert path_of(uri) == Path(path)
    assert is_file(uri)


@pytest.mark.parametrize(
    "uri", ["file:///C:/src/k.cu", "file:///c%3A/src/k.cu", "file://", "x", ""]
)
def test_odd_uris_have_some_path(uri: str) -> None:
    assert isinstance(path_of(uri), Path)


def test_the_uri_of_a_path_leads_back() -> None:
    path = Path("/a b/größe;#?.cu")
    uri = uri_of(path)
    assert uri is not None
    assert path_of(uri) == path
    assert uri_of(Path("untitled/k.cu")) is None


@pytest.mark.parametrize(
    ("uri", "language", "name"),
    [
        ("untitled:Untitled-1", "cuda-cpp", "Untitled-1.cu"),
        ("untitled:Untitled-1", "hip", "Untitled-1.hip"),
        ("untitled:/src/new.cu", "cuda", "new.cu"),
        ("git:/src/k.cu?%7B%22ref%22%3A%22HEAD%22%7D", "cuda-cpp", "k.cu"),
        ("untitled:", "cpp", "document.cpp"),
        ("untitled:odd", "rust", "odd"),
    ],
)
def test_documents_that_are_no_files_get_a_telling_name(uri: str, language: str, name: str) -> None:
    path = path_of(uri, language)
    assert path.name == name
    assert not path.is_absolute()
    assert not is_file(uri)


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        ("k.cu", "cpp", True),
        ("K.CU", "", True),
        ("k.cl", "", True),
        ("k.hpp", "", True),
        ("noext", "cuda", True),
        ("noext", "cuda-cpp", True),
        ("a.py", "python", True),
        ("a.rs", "rust", False),
        ("CMakeLists.txt", "cmake", False),
    ],
)
def test_sources(name: str, language: str, expected: bool) -> None:
    assert is_source(Path(name), language) is expected


@pytest.mark.parametrize(
    ("name", "language", "text", "expected"),
    [
        ("k.cu", "cpp", "", True),
        ("k", "opencl", "", True),
        ("k.cpp", "cpp", "int main() {}", False),
        ("k.cpp", "cuda-cpp", "int main() {}", True),
        ("k.h", "cpp", "__global__ void k();", True),
        ("k.h", "c", "__kernel void k();", True),
        ("host.c", "c", "clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);", True),
        ("host.py", "python", "import pyopencl as cl", True),
        ("host.py", "python", "text = '<<<'", False),
        ("sort.cpp", "cpp", "thrust::sort(a, b);", True),
        ("k.cpp", "cpp", "k<<<1, 2>>>();", True),
        ("k.cpp", "cpp", "std::cout << a << b;", False),
        ("k.cpp", "cpp", "hipLaunchKernelGGL(k, 1, 2);", True),
        ("k.cpp", "cpp", "#pragma omp parallel for", False),
        ("k.cpp", "cpp", "#pragma omp target teams", True),
        ("k.cpp", "cpp", "# pragma omp \\\n  target", True),
        ("k.cpp", "cpp", "#pragma omp parallel\nint target;", False),
    ],
)
def test_plain_sources_must_mention_a_kernel(
    name: str, language: str, text: str, expected: bool
) -> None:
    assert may_hold_kernels(Path(name), language, text) is expected
