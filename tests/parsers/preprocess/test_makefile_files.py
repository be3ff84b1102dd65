"""What a Makefile says of single files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from roofline_parsers.preprocess import makefile_defines, makefile_hints
from roofline_parsers.preprocess.makefiles import Makefile

TWICE = b"""
CC = nvcc
all: cpu gpu
cpu: main.o haar-cpu.o
\t$(CC) $^ -o $@
gpu: main.o haar-gpu.o
\t$(CC) $^ -o $@
main.o: main.cu
\t$(CC) -O3 -DN=4 -c $< -o $@
haar-gpu.o: haar.cu
\t$(CC) -O3 -DN=4 -DGPU -c $< -o $@
haar-cpu.o: haar.cu
\t$(CC) -O3 -DN=4 -c $< -o $@
"""


def test_a_define_in_a_recipe_is_that_of_its_file() -> None:
    assert makefile_hints(TWICE).defines == (("N", "4"),)
    assert makefile_defines(TWICE, ["main.cu", "haar.cu", "none.cu"]) == {
        "main.cu": (("N", "4"),),
        "haar.cu": (("N", "4"), ("GPU", "1")),
    }


def test_patterns_are_for_files_of_their_suffix() -> None:
    text = b"""
main: a.o b.o
\thipcc $^
%.o: %.cu
\thipcc -DDEVICE -c $<
%.o: %.cpp
\tg++ -c $<
"""
    assert makefile_defines(text, ["a.cu", "b.cpp"]) == {"a.cu": (("DEVICE", "1"),), "b.cpp": ()}


def test_a_recipe_may_name_its_file_without_needing_it() -> None:
    text = b"all: x.o\nx.o:\n\tamdclang++ -DGPU -c x.hip\n"
    assert makefile_defines(text, ["x.hip"]) == {"x.hip": (("GPU", "1"),)}


def test_several_programs_from_the_same_files_leave_the_first() -> None:
    text = b"""
SRC = a.cu b.cu
all: one two
one: $(SRC)
\tnvcc $^ -o one
two: $(SRC)
\tnvcc -DFUSED $^ -o two
"""
    assert makefile_defines(text, ["a.cu", "b.cu"]) == {}
    assert makefile_hints(text).defines == ()


def test_included_makefiles_are_read() -> None:
    files = {
        Path("/p/common.mk"): b"FLAGS = -DN=4 -I$(ROOT)/include\ninclude rules.mk\n",
        Path("/p/app/rules.mk"): b"all:\n\tnvcc $(FLAGS) main.cu -o app\n",
    }
    flags = makefile_hints(
        b"ROOT = ..\n-include gone.mk\ninclude $(ROOT)/common.mk\n", Path("/p/app"), None, files.get
    )
    assert flags.defines == (("N", "4"),)
    assert [Path(os.path.normpath(folder)) for folder in flags.include_dirs] == [Path("/p/include")]


def test_a_makefile_that_includes_itself_ends() -> None:
    text = b"FLAGS += -DA\ninclude Makefile\nall:\n\tnvcc $(FLAGS) main.cu\n"
    flags = makefile_hints(text, Path("/p"), None, {Path("/p/Makefile"): text}.get)
    assert flags.defines == (("A", "1"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F = -DA\nF += -DB", {"A": "1", "B": "1"}),
        ("F = $(G)\nG = -DA", {"A": "1"}),
        ("F := $(G)\nG = -DA", {}),
        ("F ?= -DA\nF ?= -DB", {"A": "1"}),
        ("SIZE = 8\nF = -DN=$(SIZE) -D M=2 -UQ", {"N": "8", "M": "2"}),
        ("ON = yes\nifdef ON\nF = -DA\nelse\nF = -DB\nendif", {"A": "1"}),
        ("ifeq ($(ON),yes)\nF = -DA\nelse ifneq ($(ON),no)\nF = -DB\nendif", {"B": "1"}),
        ("ifeq ($(shell uname -s),Linux)\nF = -DA\nendif", {"A": "1"}),
        ("L = a b\nifneq ($(filter b,$(L)),)\nF = -DA\nendif", {"A": "1"}),
        ("ON = 1\nF = $(if $(ON),-DA,-DB) $(or $(X),-DC)", {"A": "1", "C": "1"}),
        ("N = 3\nF = -DN=$(word 2,1 $(N)) -DK=$(words a b) -D$(notdir a/b)", None),
        ("app: F += -DA", {"A": "1"}),
        ("other: F += -DA", {}),
        ("F = '-DS(x)=(x + 1)'", {"S(x)": "(x + 1)"}),
        ("F = -DA \\\n   -DB", {"A": "1", "B": "1"}),
    ],
)
def test_variables_and_conditions(text: str, expected: dict[str, str] | None) -> None:
    makefile = f"{text}\napp: a.cu\n\tnvcc $(F) a.cu -o app\n".encode()
    found = dict(makefile_hints(makefile).defines)
    assert found == ({"N": "3", "K": "2", "b": "1"} if expected is None else expected)


def test_what_make_does_without_a_rule() -> None:
    text = b"CXXFLAGS = -DA\nCPPFLAGS = -DB\napp: a.o k.o\n\tnvcc $^\n%.o: %.cu\n\tnvcc -c $<\n"
    found = makefile_defines(text, ["a.cpp", "b.cpp", "k.cu"])
    assert found == {"a.cpp": (("A", "1"), ("B", "1")), "k.cu": ()}


def test_which_makefile_names_a_file() -> None:
    text = b"app: src/a.cu\n\tnvcc src/a.cu ../b.cu\nclean:\n\trm c.cu\n"
    makefile = Makefile(text, Path("/p"), None)
    named = ["/p/src/a.cu", "/b.cu", "/p/a.cu", "/p/d.cu"]
    assert [makefile.names(Path(name)) for name in named] == [True, True, False, False]


def test_a_file_of_one_rule_has_its_flags() -> None:
    text = b"""
NVCC := $(shell which nvcc 2>/dev/null)
all: one
one: a.cu both.cu
\t$(NVCC) -DONE a.cu both.cu
two: both.cu b.cu
\t$(NVCC) -DTWO $^
three: both.cu b.cu
\t$(NVCC) -DTHREE $^
four: c.cu
\t$(NVCC) -DFOUR $<
"""
    makefile = Makefile(text, Path("/p"), None)
    found = [makefile.rule_flags(Path(f"/p/{name}.cu")) for name in ("a", "both", "b", "c", "d")]
    assert [flags and flags.defines for flags in found] == [
        (("ONE", "1"),),
        (("ONE", "1"),),
        None,
        (("FOUR", "1"),),
        None,
    ]


def test_a_makefile_that_cmake_wrote_says_nothing() -> None:
    text = b"# CMAKE generated file: DO NOT EDIT!\nall: a.cu\n\tnvcc -DA a.cu\n"
    assert makefile_hints(text).defines == ()


RULE = "a: a.cu\n\tnvcc -DA a.cu\n"
HOSTILE = {
    "long": "#" * (10 << 20),
    "long line": f"X = {' ' * (1 << 17)}\n{RULE}",
    "includes itself": f"{RULE}include Makefile\n",
    "rules": RULE + "".join(f"r{at}: r{at + 1}\n\tnvcc -c x.cu\n" for at in range(20_000)),
    "commands": "a: a.cu\n" + "\tnvcc -DA a.cu\n" * 20_000,
    "doubles": f"X = -DA\n{'X := $(X)$(X)' * 1}\n"
    + "X := $(X) $(X)\n" * 40
    + "a: a.cu\n\tnvcc $(X)\n",
    "refers to itself": "X = $(Y)$(Y)\nY = $(X)$(X)\na: a.cu\n\tnvcc $(X) a.cu\n",
    "spaces": (" " * 60_000 + "\n") * 16 + RULE,
    "open references": RULE + "X := " + "$(" * 30_000 + "\n",
    "conditions": "ifndef X\n" * 50_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_makefiles_are_read_in_part(kind: str) -> None:
    text = HOSTILE[kind].encode()
    makefile = Makefile(text, Path("/p"), {Path("/p/Makefile"): text}.get)
    makefile.flags()
    makefile.own_flags("a.cu")
    assert makefile.names(Path("/p/a.cu")) in {True, False}
    harmless = {"spaces", "open references", "conditions"}
    assert len(makefile.limits) == (kind not in harmless)


def test_folders_of_headers_that_a_rule_needs_are_searched_last() -> None:
    text = b"""
main: main.o
\tclang++ $^ -o $@
%.o: %.cpp own.h ../other/shared.h
\tclang++ -I lib -c $< -o $@
"""
    found = makefile_hints(text, Path("/p/one")).include_dirs
    assert found == (Path("/p/one/lib"), Path("/p/other"))


@pytest.mark.parametrize("compiler", ["icpc", "icx", "icpx", "mpiicpc", "dpcpp", "pgc++", "pgcc"])
def test_compilers_of_vendors_compile(compiler: str) -> None:
    text = f"main.o: main.cpp\n\t{compiler} -Iinc -DN=2 -c main.cpp -o $@\n".encode()
    found = makefile_hints(text, Path("/p"))
    assert (found.include_dirs, found.defines) == ((Path("/p/inc"),), (("N", "2"),))
