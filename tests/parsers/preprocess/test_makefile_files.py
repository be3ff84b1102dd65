"""What a Makefile says of single files."""

from __future__ import annotations

import os
from pathlib import Path

from roofline_parsers.preprocess import makefile_defines, makefile_hints

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
