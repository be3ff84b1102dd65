"""Which programs a tree has, how they are run, and how their runs are made smaller."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from roofline_profiling.differential.building import (
    BuildError,
    MadeFor,
    made_for_others,
    started,
)
from roofline_profiling.differential.discovery import programs_of
from roofline_profiling.differential.plan import read_rules
from roofline_profiling.differential.recording import (
    Compilation,
    Standard,
    recorded,
    write_database,
    write_recorders,
)
from roofline_profiling.differential.scaling import scaled
from roofline_profiling.differential.scratch import scratch
from roofline_profiling.errors import ProfilerError

KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\n"
NVCC = '#!/bin/sh\necho "$*" > seen\ng++ -c main.cu\n'
MAIN = "int main(int argc, char **argv) { return 0; }\n"


def write(tree: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("compiler", ["nvcc", "hipcc"])
def test_a_folder_with_a_makefile_for_gpus_is_one_program(tmp_path: Path, compiler: str) -> None:
    write(tmp_path, {"one/main.cu": KERNEL + MAIN, "one/Makefile": f"CC = {compiler}\n"})
    (found,) = programs_of([tmp_path], ())
    assert (found.name, found.by_make, found.folder) == ("one", True, tmp_path / "one")


def test_sources_without_a_makefile_are_linked_together(tmp_path: Path) -> None:
    files = {
        "a/main.cpp": MAIN,
        "a/kernels.cu": KERNEL,
        "a/kernels.cuh": "",
        "a/CMakeLists.txt": "",
    }
    write(tmp_path, files)
    (found,) = programs_of([tmp_path], ())
    assert [path.name for path in found.sources] == ["main.cpp", "kernels.cu"]


def test_target_regions_make_a_program(tmp_path: Path) -> None:
    region = "void f() {\n  #pragma omp  target teams\n  {}\n}\n"
    write(tmp_path, {"a/main.cpp": MAIN, "a/f.c": region, "b/main.cpp": MAIN + region})
    write(tmp_path, {"none/main.cpp": MAIN + "// omp target\n#pragma omp parallel\n"})
    write(tmp_path, {"cuda/main.cpp": MAIN + region, "cuda/k.cu": KERNEL})
    found = programs_of([tmp_path], ())
    assert [(each.name, each.is_openmp) for each in found] == [
        ("a", True), ("b", True), ("cuda", False),
    ]  # fmt: skip
    assert [path.name for path in found[0].sources] == ["main.cpp", "f.c"]


def test_each_main_of_a_folder_is_a_program(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("dev/b.cu", "dev/a.cu"), KERNEL + MAIN))
    write(tmp_path, {"dev/Makefile": "all:\n\tnvcc a.cu\n"})
    assert [each.name for each in programs_of([tmp_path], ())] == ["dev/a.cu", "dev/b.cu"]


@pytest.mark.parametrize(
    "files",
    [
        {"host/main.cpp": MAIN, "host/Makefile": "CC = g++\n"},
        {"lib/kernels.cu": KERNEL},
        {".git/x/main.cu": KERNEL + MAIN},
    ],
)
def test_what_is_no_cuda_program(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, files)
    assert programs_of([tmp_path], ()) == []


def test_the_file_of_arguments(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("a/x.cu", "b/x.cu"), KERNEL + MAIN))
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '["*"]\nflags = "-DN=4"\n["a"]\nargs = "10 \'two words\'"\nskip = "a window"\n'
    )
    one, other = programs_of([tmp_path], read_rules(rules))
    assert (one.args, one.flags, one.skip) == (("10", "two words"), ("-DN=4",), "a window")
    assert (other.args, other.flags, other.skip) == (None, ("-DN=4",), "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "not valid TOML"),
        ('["a"]\nspeed = 1\n', "args, flags and skip"),
        ('["a"]\nargs = 3\n', "a text or a list of texts"),
        ('["a"]\nargs = "\'"\n', "a text or a list of texts"),
        ('["a"]\nskip = 3\n', "skip must be a text"),
    ],
)
def test_what_is_wrong_with_a_file_of_arguments(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(ProfilerError, match=said):
        read_rules(path)


@pytest.mark.parametrize(
    ("given", "factor", "expected"),
    [
        ("1024 200", 8, "128 24"),
        ("5 16 -3 0.5 name.txt", 8, "5 16 -3 0.5 name.txt"),
        ("17 20", 64, "16 16"),
        ("3000", 8, "368"),  # 375, a multiple of 8 as 3000 is
        ("1000000", 64, "15616"),  # 15625; 1000000 is a multiple of 64, so it stays one of 32
    ],
)
def test_smaller_numbers(given: str, factor: int, expected: str) -> None:
    assert scaled(given.split(), factor) == tuple(expected.split())


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("./main 100 a.txt", ("100", "a.txt")),
        ("cd . && ./main 3", ("3",)),
        ("LD_PRELOAD= ./main 5 > out.txt", ("5",)),
        ("./main 1; ./main 2", ("1",)),
    ],
)
def test_how_make_runs_a_program(tmp_path: Path, line: str, args: tuple[str, ...]) -> None:
    (tmp_path / "main").write_bytes(b"\x7fELF")
    found = started(f"echo start\n{line}\n", tmp_path)
    assert found is not None
    assert (found.executable, found.args) == ("./main", args)


def test_what_a_makefile_for_another_compiler_says() -> None:
    said = """\
icpx -Wall -DN=32 -I../include -O3 -fiopenmp -c a.cpp -o a.o
icpx -DN=32 -DM a.o -o main
./main 256 'two words' > out.txt
"""
    found = made_for_others(said)
    assert found.flags == ("-DN=32", "-I../include", "-DM")
    assert found.args == ("256", "two words")
    assert made_for_others("make: *** No rule to make target 'run'.  Stop.") == MadeFor()


def test_programs_that_read_their_standard_input_are_told(tmp_path: Path) -> None:
    (tmp_path / "main").write_bytes(b"\x7fELF")
    with pytest.raises(BuildError, match="standard input"):
        started("./main 7 < input.txt\n", tmp_path)


def test_a_copy_stands_where_the_original_does(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    write(tree, {"src/a/main.cu": KERNEL + MAIN, "src/b/shared.h": "1", "include/x.h": "2"})
    (program,) = programs_of([tree], ())
    with scratch(program) as copy:
        folder = copy.folder
        assert (folder / "../b/shared.h").read_text() == "1"
        assert (folder / "../../include/x.h").read_text() == "2"
        (folder / "main.cu").write_text("changed")
        (folder / "main.o").write_text("made")
    assert (tree / "src/a/main.cu").read_text() == KERNEL + MAIN
    assert not (tree / "src/a/main.o").exists()
    assert not folder.exists()


def test_the_command_lines_of_a_build_are_recorded(tmp_path: Path) -> None:
    tree, held = tmp_path / "tree", tmp_path / "held"
    write(
        tree,
        {
            "one/main.cu": MAIN,
            "one/other.cpp": "",
            "one/more.cu": "",
            "bin/nvcc": NVCC,
            "bin/g++": "#!/bin/sh\n",
            "bin/hipcc": "#!/bin/sh\n",
        },
    )
    for name in ("nvcc", "g++", "hipcc"):
        (tree / "bin" / name).chmod(0o755)
    held.mkdir()
    real = {"PATH": f"{tree}/bin:/usr/bin:/bin", "CUDACXX": str(tree / "bin/nvcc")}
    environment = write_recorders(held, real, Standard.NEWER)
    folder = tree / "one"
    for words in (["nvcc", "-std=c++14", "-DN=2 3", "-c", "main.cu"], ["g++", "-c", "other.cpp"]):
        subprocess.run(words, cwd=folder, env=environment, check=True)
    subprocess.run(["hipcc", "-c", "more.cu"], cwd=folder, env=environment, check=True)
    first, second, third = recorded(held, tree, tree)
    assert first == Compilation(str(folder), ("-std=c++14", "-DN=2 3", "-c", "main.cu"))
    assert (folder / "seen").read_text() == "-std=c++17 -DN=2 3 -c main.cu\n"
    # The compiler of host code that nvcc itself starts is not recorded.
    assert second.sources == (folder / "other.cpp",)
    assert third.sources == (folder / "more.cu",)
    write_database([first], tmp_path / "commands.json")
    (entry,) = json.loads((tmp_path / "commands.json").read_text())
    assert entry["file"] == str(folder / "main.cu")
    assert entry["arguments"] == ["nvcc", *first.arguments]


def test_paths_in_a_copy_become_those_of_the_tree(tmp_path: Path) -> None:
    held, copy, tree = tmp_path / "held", tmp_path / "copy", tmp_path / "tree"
    write(tree, {"one/main.cu": MAIN})
    held.mkdir()
    (held / "commands").write_bytes(f"{copy}/one\0-I{copy}/include\0main.cu\0\0".encode())
    (found,) = recorded(held, copy, tree)
    assert found == Compilation(str(tree / "one"), (f"-I{tree}/include", "main.cu"))
    assert found.sources == (tree / "one/main.cu",)


def test_programs_that_use_opencl(tmp_path: Path) -> None:
    host = "#include <CL/cl.h>\n" + MAIN
    write(
        tmp_path,
        {
            "made/Makefile": "all:\n\tgcc host.c -lOpenCL\n",
            "made/host.c": host,
            "below/Makefile": "all:\n\tgcc src/host.c -lOpenCL\n",
            "below/src/host.c": "int f() { return clBuildProgram(p, 1, &d, 0, 0, 0); }\n",
            "plain/host.cpp": host,
            "plain/other.cpp": "",
            "none/Makefile": "all:\n\tgcc host.c\n",
            "none/host.c": MAIN,
        },
    )
    found = {
        each.name: [path.name for path in each.sources] for each in programs_of([tmp_path], ())
    }
    assert found == {"below": [], "made": [], "plain": ["host.cpp", "other.cpp"]}
