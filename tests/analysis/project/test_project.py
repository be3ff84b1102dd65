"""Programs are found across folders by looking at bytes alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from roofline_analysis.api import analyze_paths
from roofline_analysis.project.paths import project_root, workspace_of
from roofline_analysis.project.project import IndexLimits, ProjectIndex
from roofline_core.settings import Settings

CUDA_KERNEL = "__global__ void scale(int n, float *x) { x[threadIdx.x] *= n; }\n"
CUDA_HEADER = "void run_scale(int n);\n"
CUDA_WRAPPER = '#include "../include/scale.h"\nvoid run_scale(int n) { scale<<<n, 256>>>(n, 0); }\n'
PLAIN_MAIN = "int main(int argc, char **argv) { run_scale(atoi(argv[1])); }\n"

SPLIT = {
    "include/scale.h": CUDA_HEADER,
    "src/kernels/scale.cu": '#include "../../include/scale.h"\n' + CUDA_KERNEL,
    "src/host/launch.cu": CUDA_WRAPPER,
    "src/app/main.cpp": '#include "scale.h"\n' + PLAIN_MAIN,
    "src/app/arguments.cpp": "int parse(int argc) { return argc; }\n",
    "tools/other.cpp": "int main() { return 0; }\n",
}


class Tree:
    """A project on disk."""

    def __init__(self, root: Path, files: Mapping[str, str]) -> None:
        self.root = root
        for name, text in files.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str, index: ProjectIndex | None = None) -> list[str]:
        """The program of a file, found step by step and in a full index alike."""
        lazy = self.names((index or ProjectIndex(self.root)).program(self.root / name))
        full = ProjectIndex(self.root)
        full.build()
        assert self.names(full.program(self.root / name)) == lazy
        return lazy

    def names(self, paths: tuple[Path, ...]) -> list[str]:
        return [path.relative_to(self.root).as_posix() for path in paths]


@pytest.mark.parametrize("name", ["src/kernels/scale.cu", "src/host/launch.cu"])
def test_kernel_wrapper_and_main_in_three_folders(tmp_path: Path, name: str) -> None:
    tree = Tree(tmp_path, SPLIT)
    assert tree.program(name) == [
        "src/app/main.cpp",
        "src/app/arguments.cpp",
        "src/host/launch.cu",
        "src/kernels/scale.cu",
    ]


def test_related_leaves_the_file_itself_out(tmp_path: Path) -> None:
    tree = Tree(tmp_path, SPLIT)
    found = ProjectIndex(tmp_path).related(tmp_path / "src/kernels/scale.cu")
    assert tree.names(found) == [
        "src/app/main.cpp",
        "src/app/arguments.cpp",
        "src/host/launch.cu",
    ]


def test_paths_are_spelled_as_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Tree(tmp_path, SPLIT)
    monkeypatch.chdir(tmp_path / "src")
    found = ProjectIndex(Path("..")).program(Path("kernels/../kernels/scale.cu"))
    assert Path("app/main.cpp") in found
    assert Path("kernels/../kernels/scale.cu") in found


def test_a_header_is_read_with_the_file_that_launches_its_kernels(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "lib/scale.cuh": CUDA_KERNEL,
            "a/uses.cu": '#include "../lib/scale.cuh"\n__global__ void mine() {}\nint main() {}\n',
            "b/uses.cu": '#include "lib/scale.cuh"\nint main() { scale<<<1, 2>>>(1, 0); }\n',
            "c/uses.cu": '#include "../lib/scale.cuh"\nvoid f();\n',
        },
    )
    assert tree.program("lib/scale.cuh") == ["b/uses.cu"]


def test_a_header_that_no_file_includes_belongs_to_those_beside_it(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {"k.cuh": CUDA_KERNEL, "main.cu": "int main() {}\n"})
    assert tree.program("k.cuh") == ["main.cu"]
    tree = Tree(tmp_path / "alone", {"k.cuh": CUDA_KERNEL})
    assert tree.program("k.cuh") == []


OPENCL_HOST = """\
int main() {
  program = build("kernels/{file}.cl");
  cl_kernel k = clCreateKernel(program, "scale", &error);
  clEnqueueNDRangeKernel(queue, k, 1, 0, &n, &local, 0, 0, 0);
}
"""
OPENCL_KERNEL = "__kernel void scale(__global float *x) { x[get_global_id(0)] *= 2; }\n"


def test_opencl_files_belong_to_the_host_that_names_them(tmp_path: Path) -> None:
    files = {
        "shared/kernels/one.cl": OPENCL_KERNEL,
        "shared/kernels/two.cl": OPENCL_KERNEL,
        "x/host.c": OPENCL_HOST.replace("{file}", "one"),
        "y/host.c": OPENCL_HOST.replace("{file}", "two"),
    }
    tree = Tree(tmp_path, files)
    assert tree.program("x/host.c") == ["x/host.c", "shared/kernels/one.cl"]
    assert tree.program("y/host.c") == ["y/host.c", "shared/kernels/two.cl"]


def test_opencl_files_belong_to_the_host_beside_or_above_them(tmp_path: Path) -> None:
    host = OPENCL_HOST.replace('"kernels/{file}.cl"', "argv[1]")
    files = {
        "md/md.cl": OPENCL_KERNEL,
        "md/MD.cpp": host.replace("int main", "void run_md"),
        "spmv/kernels/spmv.cl": OPENCL_KERNEL,
        "spmv/Spmv.cpp": host.replace("int main", "void run_spmv"),
        "spmv/main.cpp": "int main() { run_spmv(); }\n",
    }
    tree = Tree(tmp_path, files)
    assert tree.program("md/md.cl") == ["md/MD.cpp", "md/md.cl"]
    assert tree.program("spmv/kernels/spmv.cl") == [
        "spmv/main.cpp",
        "spmv/Spmv.cpp",
        "spmv/kernels/spmv.cl",
    ]


BUILT = "__kernel void scale(__write_only image2d_t x) { PUT(x, GET(x, 0) * TILE(2)); }\n"


def test_opencl_kernels_belong_to_the_file_that_defines_their_macros(tmp_path: Path) -> None:
    files = {
        "core/runtime.cpp": 'auto o = "-DPUT=write_imagef -DGET=read_imagef -DREAL=float";\n',
        "core/other.cpp": 'auto o = "-DGET=read_imagei";\n',
        "core/near.h": 'auto o = "-DPUT=a -DGET=b -DTILE=c";\n',
        "ops/cl/scale.cl": BUILT,
        "plain/plain.cl": OPENCL_KERNEL,
        "ops/text.cpp": f'const char *t = "{BUILT.strip()}";\n',
    }
    tree = Tree(tmp_path, files)
    assert tree.program("ops/cl/scale.cl") == ["core/runtime.cpp", "ops/cl/scale.cl"]
    assert "core/runtime.cpp" in tree.program("ops/text.cpp")
    assert tree.program("plain/plain.cl") == ["plain/plain.cl"]


def test_opencl_texts_that_define_what_kernels_name_are_looked_for_everywhere(
    tmp_path: Path,
) -> None:
    kernel = "__kernel void k(__global float *x) { STORE(VALUE, &x[get_global_id(0)]); }\n"
    files = {
        "film/plugins/blur.cl": kernel,
        "core/types.cl": "#define STORE(v, p) put(v, p)\n",
        "core/deep/put.cl": "void put(float v, __global float *p) { *p = v; }\n",
        "core/unused.cl": "#define OTHER 3\n",
        "far/away/types.cl": "#define STORE(v, p)\n#define VALUE 2\n",
        "film/near/value.cl": "#define VALUE 1\n",
    }
    assert sorted(Tree(tmp_path, files).program("film/plugins/blur.cl")) == [
        "core/deep/put.cl",
        "core/types.cl",
        "film/near/value.cl",
        "film/plugins/blur.cl",
    ]


def test_opencl_kernels_belong_to_the_file_that_defines_what_their_conditionals_test(
    tmp_path: Path,
) -> None:
    start = "#ifdef BUILT_BY_HOST\n#include TEXT(FOLDER/types.h)\n#endif\n"
    body = "ENTRY scale (__global real *x) { x[get_global_id(0)] *= 2; }\n"
    files = {
        "src/backend.c": 'f("-D BUILT_BY_HOST "); f("-D TEXT(x)=#x "); f("-D FOLDER=%s ", p);\n',
        "src/other.c": "int other;\n",
        "cl/types.h": "#define ENTRY __kernel void\ntypedef float real;\n",
        "cl/scale.cl": start + body,
        "cl/add.cl": start + body.replace("scale", "add"),
    }
    tree = Tree(tmp_path, files)
    assert tree.program("cl/scale.cl") == ["src/backend.c", "cl/add.cl", "cl/scale.cl"]
    index = ProjectIndex(tmp_path)
    (report,) = analyze_paths([tmp_path / "cl/scale.cl"], Settings(gpu="A100"), project=index)
    assert [kernel.base_name for kernel in report.kernels] == ["scale"]


def test_of_many_kernel_files_in_a_folder_none_is_read_with_another(tmp_path: Path) -> None:
    files = {f"cl/k{number:02}.cl": OPENCL_KERNEL for number in range(20)}
    assert Tree(tmp_path, files).program("cl/k07.cl") == ["cl/k07.cl"]


def test_a_host_with_main_builds_its_kernels_itself(tmp_path: Path) -> None:
    options = '  build(program, "-DPUT=write_imagef -DGET=read_imagef");\n}\n'
    host = OPENCL_HOST.replace("{file}", "scale").replace("}\n", options)
    files = {
        "core/runtime.cpp": 'auto o = "-DPUT=write_imagef";\n',
        "kernels/scale.cl": BUILT,
        "app/host.c": host,
    }
    assert Tree(tmp_path, files).program("kernels/scale.cl") == ["app/host.c", "kernels/scale.cl"]


def test_a_hip_launch_elsewhere(tmp_path: Path) -> None:
    kernel = '#include <hip/hip_runtime.h>\n#include "k.h"\n' + CUDA_KERNEL
    host = (
        '#include "../device/k.h"\n'
        "int main() { hipLaunchKernelGGL(scale, dim3(4), dim3(64), 0, 0, 4, p); }\n"
    )
    declaration = "__global__ void scale(int n, float *x);\n"
    tree = Tree(
        tmp_path, {"device/k.cpp": kernel, "device/k.h": declaration, "host/main.cpp": host}
    )
    for name in ("device/k.cpp", "host/main.cpp"):
        assert tree.program(name) == ["host/main.cpp", "device/k.cpp"]
    assert tree.program("device/k.h") == ["host/main.cpp"]


def test_a_librarys_header_is_read_with_all_that_include_it(tmp_path: Path) -> None:
    header = "template <class F> __global__ void each(float *x, F f) { f(x); }\n"
    user = '#include "each.cuh"\nvoid run_{}(float *x) {{ launch(x, {}); }}\n'
    files = {f"src/{name}.cu": user.format(name, name) for name in "abc"}
    tree = Tree(tmp_path, {"src/each.cuh": header, **files})
    assert tree.program("src/each.cuh") == ["src/a.cu", "src/b.cu", "src/c.cu"]


def test_headers_without_kernels_share_the_program_that_tests_them(tmp_path: Path) -> None:
    names = ("lib/one.cuh", "lib/two.cuh", "lib/own.cuh")
    user = "".join(f'#include "{name}"\n' for name in names)
    files = {
        "lib/one.cuh": "template <class K> void one(K k) { k<<<1, 32>>>(); }\n",
        "lib/two.cuh": "template <class K> void two(K k) { k<<<2, 32>>>(); }\n",
        "lib/own.cuh": "template <class T> __global__ void own(T *x) { x[0] = 1; }\n",
        "lib/a.cu": user + "void a();\n",
        "lib/b.cu": '#include "lib/two.cuh"\nvoid b();\n',
        "tests/main.cu": "int main() {}\n",
        "tests/t.cu": user + "void t();\n",
    }
    tree = Tree(tmp_path, files)
    index = ProjectIndex(tmp_path)
    index.build()
    one, two, own = (tree.program(name, index) for name in names)
    assert one == two == ["tests/main.cu", "tests/t.cu"]
    assert own == ["tests/main.cu", "lib/a.cu", "tests/t.cu"]


def test_of_kernels_with_one_name_the_nearest_is_meant(tmp_path: Path) -> None:
    launch = "void scale(int, float *);\nint main() { scale<<<1, 2>>>(1, 0); }\n"
    files = {f"{name}/{part}": "" for name in "ab" for part in ("lib/k.cu", "app/main.cu")}
    files = {name: launch if "app" in name else CUDA_KERNEL for name in files}
    tree = Tree(tmp_path, files)
    assert tree.program("a/lib/k.cu") == ["a/app/main.cu", "a/lib/k.cu"]
    assert tree.program("b/lib/k.cu") == ["b/app/main.cu", "b/lib/k.cu"]
    assert tree.program("b/app/main.cu") == ["b/app/main.cu", "b/lib/k.cu"]


def test_of_kernels_with_one_name_that_with_a_common_header_is_meant(tmp_path: Path) -> None:
    launch = '#include "far.h"\nint main() { scale<<<1, 2>>>(1, 0); }\n'
    files = {
        "include/far.h": "__global__ void scale(int, float *);\n",
        "src/near/k.cu": CUDA_KERNEL,
        "src/very/far/away/k.cu": '#include "far.h"\n' + CUDA_KERNEL,
        "src/app/main.cu": launch,
    }
    tree = Tree(tmp_path, files)
    assert tree.program("src/app/main.cu") == ["src/app/main.cu", "src/very/far/away/k.cu"]


def test_a_kernel_of_another_language_is_another_kernel(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "cuda/k.cu": CUDA_KERNEL,
            "cuda/main.cu": "int main() { scale<<<1, 2>>>(1, 0); }\n",
            "opencl/k.cl": OPENCL_KERNEL,
            "opencl/host/main.c": OPENCL_HOST,
        },
    )
    assert tree.program("cuda/k.cu") == ["cuda/main.cu", "cuda/k.cu"]
    assert tree.program("opencl/k.cl") == ["opencl/host/main.c", "opencl/k.cl"]


TWO_MAINS = {
    "k.cu": '#include "k.h"\n' + CUDA_KERNEL + "void run_scale(int n) { scale<<<n, 1>>>(n, 0); }\n",
    "k.h": CUDA_HEADER,
    "alone.cu": "__global__ void other() {}\nint main() { other<<<1, 1>>>(); }\n",
    "with.cpp": '#include "k.h"\n' + PLAIN_MAIN,
}


@pytest.mark.parametrize(
    "caller",
    [
        "int hidden(int);\nint use() { return hidden(1); }\n",
        OPENCL_HOST.replace("int main", "int other") + "int use() { return pool(1); }\n",
        "void use(Vector &v) { v.size(); free(v.data()); }\n",
    ],
)
def test_what_calls_no_function_of_the_program_leads_to_no_main(
    tmp_path: Path, caller: str
) -> None:
    pool = """
    int pool(int n) { return n; }
    static int hidden(int n) { return n; }
    int Pool::size() { return 1; }
    void free(int) {}
    """
    tree = Tree(
        tmp_path,
        {
            "gpu/k.cu": CUDA_KERNEL + pool + "void run() { scale<<<1, 2>>>(1, 0); }\n",
            "tool/tool.cpp": caller,
            "tool/main.cpp": "int use();\nint main() { return use(); }\n",
        },
    )
    assert tree.program("gpu/k.cu") == ["gpu/k.cu"]


def test_of_several_mains_the_one_that_calls_is_taken(tmp_path: Path) -> None:
    tree = Tree(tmp_path, TWO_MAINS)
    assert tree.program("k.cu") == ["with.cpp", "k.cu"]
    assert tree.program("alone.cu") == ["alone.cu", "k.cu"]


def test_of_many_plain_files_those_that_are_called_are_taken(tmp_path: Path) -> None:
    files = {f"plain{at}.cpp": f"int plain{at}() {{ return {at}; }}\n" for at in range(30)}
    files["plain7.cpp"] = "int plain7() { return plain8(); }\n"
    main = CUDA_KERNEL + "int main() { scale<<<plain7(), 1>>>(1, 0); }\n"
    tree = Tree(tmp_path, {**files, "main.cu": main})
    assert tree.program("main.cu") == ["main.cu", "plain7.cpp", "plain8.cpp"]


def test_python_hosts(tmp_path: Path) -> None:
    host = 'import pyopencl as cl\nsource = open("scale.cl").read()\nprogram.scale(queue, n)\n'
    files = {"host.py": host, "plain.py": "import sys\n", "scale.cl": OPENCL_KERNEL}
    tree = Tree(tmp_path, files)
    assert tree.program("scale.cl") == ["host.py", "scale.cl"]
    assert tree.program("host.py") == ["host.py", "scale.cl"]
    assert tree.program("plain.py") == ["plain.py"]


def test_folders_that_are_no_sources_are_left_out(tmp_path: Path) -> None:
    launch = "int main() { scale<<<1, 2>>>(1, 0); }\n"
    for folder in (".git", "build", "node_modules", "third"):
        Tree(tmp_path, {f"{folder}/main.cu": launch})
    tree = Tree(tmp_path, {"lib/k.cu": CUDA_KERNEL})
    index = ProjectIndex(tmp_path, exclude=("third",))
    assert index.program(tmp_path / "lib/k.cu") == (tmp_path / "lib/k.cu",)
    assert tree.program("lib/k.cu") == ["third/main.cu", "lib/k.cu"]


def test_changes_of_files(tmp_path: Path) -> None:
    tree = Tree(tmp_path, {"lib/k.cu": CUDA_KERNEL, "app/main.cpp": "int main() {}\n"})
    index = ProjectIndex(tmp_path)
    index.build()
    kernel = tmp_path / "lib/k.cu"
    assert index.related(kernel) == ()

    launch = "int main() { scale<<<1, 2>>>(1, 0); }\n"
    main = tree.write("app/main.cpp", launch)
    assert index.related(kernel) == ()
    index.update(main)
    assert index.related(kernel) == (main,)

    index.put(main, b"int main() {}\n")
    assert index.related(kernel) == ()
    index.put(main, None)
    assert index.related(kernel) == (main,)

    main.unlink()
    index.update(main)
    assert index.related(kernel) == ()
    ignored = tree.write(".cache/new.cpp", launch)
    new = tree.write("new/folder/new.cpp", launch)
    index.update(ignored)
    assert index.related(kernel) == ()
    index.update(new)
    assert index.related(kernel) == (new,)


def test_nothing_is_read_beyond_what_completes_a_program(tmp_path: Path) -> None:
    whole = CUDA_KERNEL + "int main() { scale<<<1, 2>>>(1, 0); }\n"
    Tree(tmp_path, {"a/main.cu": whole, "b/main.cu": whole, "b/c/util.cpp": "int f() {}\n"})
    index = ProjectIndex(tmp_path)
    assert index.size == 0
    index.program(tmp_path / "a/main.cu")
    assert index.size == 1
    index.program(tmp_path / "b/main.cu")
    assert index.size == 3
    assert not index.complete


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (IndexLimits(files=3), "only 3 files"),
        (IndexLimits(total_bytes=200), "MiB"),
    ],
)
def test_a_search_that_is_cut_short_is_told(
    tmp_path: Path, limits: IndexLimits, words: str
) -> None:
    Tree(tmp_path, SPLIT)
    index = ProjectIndex(tmp_path, limits=limits)
    before = index.problems
    index.build()
    assert index.complete
    found = index.problems
    assert (len(before), len(found)) == (0, 1)
    assert words in found[0].message
    assert found[0].path == tmp_path
    # What is asked for is looked at all the same.
    path = tmp_path / "src/kernels/scale.cu"
    assert path in index.program(path)


def test_large_files_and_other_files_are_not_looked_at(tmp_path: Path) -> None:
    Tree(tmp_path, {"a.cu": "int a;" * 100, "b.cu": "int b;", "c.txt": "__global__"})
    index = ProjectIndex(tmp_path, limits=IndexLimits(file_bytes=100))
    index.build()
    assert index.size == 1


def test_the_root_of_a_project(tmp_path: Path) -> None:
    folder = tmp_path / "x" / "y"
    folder.mkdir(parents=True)
    assert project_root(folder) == folder
    (tmp_path / "x" / "roofline.toml").touch()
    assert project_root(folder) == tmp_path / "x"
    (tmp_path / "x" / "y" / ".git").mkdir()
    assert project_root(folder) == folder


def library(modules: int) -> dict[str, str]:
    """A dispatcher, modules with a kernel each that it calls, and a helper of some of them."""
    files = {
        f"lib/op{i:02}.cu": (
            f"__global__ void kernel{i}(float *x) {{ x[0] = 1; }}\n"
            f"void op{i}(float *x) {{ {'pad(x);' if i % 8 == 0 else ''} info();"
            f" kernel{i}<<<1, 32>>>(x); }}\n"
        )
        for i in range(modules)
    }
    files["lib/pad.cu"] = (
        "__global__ void fill(float *x) { x[0] = 0; }\nvoid pad(float *x) { fill<<<1, 32>>>(x); }\n"
    )
    calls = " ".join(f"op{i}(x);" for i in range(modules))
    files["lib/dispatch.cu"] = f"int info() {{ return 1; }}\nvoid run(float *x) {{ {calls} }}\n"
    return files


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("op03.cu", ["dispatch.cu", "op03.cu"]),
        ("op08.cu", ["dispatch.cu", "op08.cu", "pad.cu"]),
        ("pad.cu", ["dispatch.cu", "op00.cu", "op08.cu", "op16.cu", "pad.cu"]),
        ("dispatch.cu", ["dispatch.cu"]),
    ],
)
def test_of_a_large_library_a_program_is_what_calls_lead_to(
    tmp_path: Path, name: str, program: list[str]
) -> None:
    tree = Tree(tmp_path, library(20))
    assert tree.program("lib/" + name) == ["lib/" + each for each in program]


def test_a_small_library_and_one_with_a_main_are_whole(tmp_path: Path) -> None:
    small = Tree(tmp_path / "small", library(8))
    assert len(small.program("lib/op03.cu")) == 10
    whole = Tree(tmp_path / "main", {**library(20), "lib/main.cu": "int main() { run(0); }\n"})
    assert len(whole.program("lib/op03.cu")) == 23


def test_a_file_that_nothing_calls_is_a_program_of_its_own_among_many(tmp_path: Path) -> None:
    """So many host files that the library leaves out those without calls from or to its kernels."""
    hosts = {f"lib/host{i:02}.cpp": f"int alone{i}() {{ return {i}; }}\n" for i in range(40)}
    tree = Tree(tmp_path, {**library(20), **hosts})
    assert tree.program("lib/host07.cpp") == ["lib/host07.cpp"]


def test_the_workspace_that_data_files_are_read_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "x" / "src"
    folder.mkdir(parents=True)
    file = [folder / "a.cu"]
    assert workspace_of(file, tmp_path) == tmp_path
    assert workspace_of(file, None) == folder
    (tmp_path / "x" / ".git").mkdir()
    assert workspace_of(file, None) == tmp_path / "x"
    assert workspace_of(file, tmp_path / "elsewhere") == tmp_path / "x"
    assert workspace_of(file, Path(file[0].anchor)) == folder
    monkeypatch.setenv("HOME", str(tmp_path / "x"))
    assert workspace_of(file, None) == folder


def test_changes_that_nobody_announced_are_found(tmp_path: Path) -> None:
    launch = "extern __global__ void k(float* x);\nint main() { k<<<1, 1>>>(0); }\n"
    Tree(tmp_path, {"k.cu": CUDA_KERNEL.replace("scale", "k"), "host/main.cu": launch})
    kernel, host = tmp_path / "k.cu", tmp_path / "host" / "main.cu"
    for number, path in enumerate((kernel, host, host.parent, tmp_path)):
        os.utime(path, ns=(number, number))
    index = ProjectIndex(tmp_path)
    index.build()

    def program() -> list[str]:
        list(index.look_again())
        return [path.name for path in index.program(kernel)]

    assert program() == ["main.cu", "k.cu"]
    host.write_text("int helper;\n")
    assert program() == ["k.cu"], "another text"
    added = tmp_path / "new" / "below" / "start.cu"
    added.parent.mkdir(parents=True)
    added.write_text(launch)
    assert program() == ["start.cu", "k.cu"], "in new folders"
    added.unlink()
    assert program() == ["k.cu"], "gone"
    index.put(host, launch.encode())
    host.write_text("int other;\n")
    assert program() == ["main.cu", "k.cu"], "the text in the editor goes before"


STEP = '#include "../include/step{n}.h"\n__global__ void step(int n, float *x) {{ x[{n}] = n; }}\n'
STEP_MAIN = '#include "../include/step{n}.h"\nint main() {{ step<<<{n}, 256>>>({n}, 0); }}\n'


def test_steps_with_kernels_of_one_name_in_one_folder(tmp_path: Path) -> None:
    """Each has a ``main`` of its own: the one that includes the same header."""
    files = {}
    for n in ("1", "2", "3"):
        files[f"include/step{n}.h"] = "__global__ void step(int n, float *x);\n"
        files[f"src/step{n}.cu"] = STEP.format(n=n)
        files[f"src/main{n}.cu"] = STEP_MAIN.format(n=n)
    files["src/common.cu"] = "void report() {}\n"
    tree = Tree(tmp_path, files)
    full = ProjectIndex(tmp_path)
    full.build()
    for n in ("1", "2", "3"):
        for name in (f"src/step{n}.cu", f"src/main{n}.cu"):
            found = tree.names(full.program(tmp_path / name))
            assert sorted(found) == ["src/common.cu", f"src/main{n}.cu", f"src/step{n}.cu"]
