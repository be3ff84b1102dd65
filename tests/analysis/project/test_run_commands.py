"""Command lines that Makefiles, CMake's tests and READMEs tell of a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.project.run_commands import offered_command

MAIN = Path("/p/saxpy/saxpy.cu")


def offered(files: dict[str, str]) -> tuple[tuple[str, ...], str] | None:
    texts = {Path("/p") / name: text.encode() for name, text in files.items()}
    found = offered_command(MAIN, texts.get)
    return None if found is None else (found.args, found.where)


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("./saxpy 4096 100", ("4096", "100")),
        ("@OMP_NUM_THREADS=4 ./$(program) -n $(N) 2>&1 | tee log", ("-n", "1024")),
        ("./program_of_any_name 7", ("7",)),
        ("./$< data/in.txt > out.txt", ("data/in.txt",)),
        ("nvprof ./saxpy 4096", None),
        ("./saxpy <n>", None),
        ("./saxpy `nproc`", None),
        ("./saxpy", None),
    ],
)
def test_the_target_that_runs_the_program(line: str, args: tuple[str, ...] | None) -> None:
    makefile = f"program = saxpy\nN = 1024\nall: saxpy\nrun: saxpy\n\t{line}\n"
    assert offered({"saxpy/Makefile": makefile}) == (args and (args, "Makefile's run"))


def test_a_build_command_is_no_run() -> None:
    assert offered({"saxpy/Makefile": "saxpy: saxpy.cu\n\t./nvcc -o saxpy saxpy.cu\n"}) is None


def test_of_several_programs_the_one_called_as_the_file() -> None:
    makefile = "run:\n\t./other 1\n\t./saxpy 2\n"
    assert offered({"saxpy/Makefile": makefile}) == (("2",), "Makefile's run")
    assert offered({"saxpy/Makefile": "run:\n\t./one 1\n\t./two 2\n"}) is None


def test_a_test_of_cmake() -> None:
    lists = (
        "add_executable(app saxpy.cu)\n# add_test(NAME old COMMAND app 1)\n"
        "add_test(NAME other COMMAND tool 5)\n"
        "add_test(NAME small COMMAND $<TARGET_FILE:app> 64 3)\n"
    )
    found = offered({"saxpy/CMakeLists.txt": lists})
    assert found == (("64", "3"), "CMakeLists.txt's test small")


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("Run it:\n\n    ./saxpy 4096 10\n", ("4096", "10")),
        ("Try `./build/saxpy 256` first.\n", ("256",)),
        ("$ ./saxpy 16\n", ("16",)),
        ("    ./main 32\n", ("32",)),
        ("    ./run-all --fast\n", None),
        ("usage: ./saxpy N ...\n", None),
        ("    ./saxpy [n]\n", None),
    ],
)
def test_a_readme(text: str, args: tuple[str, ...] | None) -> None:
    assert offered({"saxpy/README.md": text}) == (args and (args, "README.md"))


def test_above_the_folder_the_program_must_be_named() -> None:
    assert offered({"README.md": "    ./other 1\n"}) is None
    assert offered({"README.md": "    ./saxpy 8\n"}) == (("8",), "README.md")


def test_the_nearest_goes_first() -> None:
    files = {"saxpy/README.md": "    ./saxpy 2\n", "Makefile": "run:\n\t./saxpy 3\n"}
    assert offered(files) == (("2",), "README.md")
