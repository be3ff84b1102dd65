"""Flags of compilers, compilation databases and Makefiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roofline_core.program.errors import RooflineError
from roofline_core.program.float_math import FAST_MATH, FloatMath
from roofline_parsers.preprocess import (
    CompileFlags,
    PreprocessOptions,
    load_compile_commands,
    makefile_hints,
    parse_flags,
)

HERE = Path("/build")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("-DA -DB=2 -D C=3 -DE=", {"defines": (("A", "1"), ("B", "2"), ("C", "3"), ("E", ""))}),
        ("-DA=1 -DA=2", {"defines": (("A", "2"),)}),
        ("-DF(x)=x+1", {"defines": (("F(x)", "x+1"),)}),
        ("-DA -UA -UB", {"undefines": ("A", "B")}),
        ("-UA -DA", {"defines": (("A", "1"),)}),
        ("-I inc -I../x -isystem /sys -I/y/../z -Iinc",
         {"include_dirs": (Path("/build/inc"), Path("/x"), Path("/sys"), Path("/z"))}),
        ("--include-path=a --define-macro=N=1 --undefine-macro M",
         {"include_dirs": (HERE / "a",), "defines": (("N", "1"),), "undefines": ("M",)}),
        ("-include config.h", {"forced_includes": (HERE / "config.h",)}),
        ("-arch=sm_86", {"cuda_arch": 860}),
        ("-arch sm_90a -O3", {"cuda_arch": 900}),
        ("-gencode arch=compute_70,code=sm_70 --generate-code=arch=compute_80,code=sm_80",
         {"cuda_arch": 800}),
        ("--offload-arch=sm_75", {"cuda_arch": 750}),
        ("-Xcompiler -fopenmp,-DX --compiler-options=-DY",
         {"defines": (("_OPENMP", "201811"), ("X", "1"), ("Y", "1"))}),
        ("-c x.cu -o x.o -O3 -std=c++17 -lm -Wall", {}),
        ("-O3 --use_fast_math",
         {"defines": (("__USE_FAST_MATH__", "1"),), "float_math": FAST_MATH}),
        ("-ffast-math -c", {"defines": (("__FAST_MATH__", "1"),), "float_math": FAST_MATH}),
        ("-use_fast_math -prec-div=true",
         {"defines": (("__USE_FAST_MATH__", "1"),),
          "float_math": FloatMath(True, rounds_divisions=True, rounds_roots=False)}),
        ("--prec-div false -O3", {"float_math": FloatMath(rounds_divisions=False)}),
        ("--prec-sqrt=false -prec-div=true -prec-sqrt=true",
         {"float_math": FloatMath(rounds_divisions=True, rounds_roots=True)}),
        ("-ffast-math -fno-fast-math", {}),
        ("-fgpu-approx-transcendentals", {"float_math": FloatMath(fast_functions=True)}),
        ("-prec-div=false -fgpu-approx-transcendentals -fno-gpu-approx-transcendentals",
         {"float_math": FloatMath(rounds_divisions=False)}),
        ("-Xptxas -v,-use_fast_math -O3", {}),
        ("-D", {}),
        ("-I", {}),
    ],
)  # fmt: skip
def test_parse_flags(arguments: str, expected: dict[str, Any]) -> None:
    assert parse_flags(arguments.split(), HERE) == CompileFlags(**expected)


def test_to_options() -> None:
    flags = CompileFlags((("A", "1"),), (HERE,), ("B",), (HERE / "c.h",), 700)
    assert flags.to_options() == PreprocessOptions(
        (("A", "1"),), (HERE,), 700, ("B",), (HERE / "c.h",)
    )
    assert CompileFlags().to_options().cuda_arch == 860
    assert CompileFlags().to_options(None).cuda_arch is None


# ---- compile_commands.json


def database(*entries: object) -> bytes:
    """The bytes of a compilation database."""
    return json.dumps(entries).encode()


def test_command_and_arguments() -> None:
    data = database(
        {"directory": "/b", "file": "x.cu", "command": "nvcc '-DS=\"a b\"' -Iinc -c x.cu"},
        {"directory": "/b", "file": "/s/y.cu", "arguments": ["nvcc", "-D", "N=1", "/s/y.cu"]},
        {"directory": "/b", "file": "../b/x.cu", "command": "nvcc -DSECOND x.cu"},
    )
    assert load_compile_commands(data) == {
        Path("/b/x.cu"): CompileFlags((("S", '"a b"'),), (Path("/b/inc"),)),
        Path("/s/y.cu"): CompileFlags((("N", "1"),)),
    }


def test_path_and_relative_directory(tmp_path: Path) -> None:
    file = tmp_path / "compile_commands.json"
    file.write_bytes(
        b"\xef\xbb\xbf" + database({"directory": "sub", "file": "x.cu", "command": "cc -Ii"})
    )
    expected = {tmp_path / "sub/x.cu": CompileFlags(include_dirs=(tmp_path / "sub/i",))}
    assert load_compile_commands(file) == expected


def test_response_files() -> None:
    files = {
        Path("/b/inc.rsp"): b"-I/one -DX='1 2' @more.rsp\n@loop.rsp",
        Path("/b/more.rsp"): b"-I/two",
        Path("/b/loop.rsp"): b"@loop.rsp -DL 'open",
    }
    entry = {
        "directory": "/b",
        "file": "x.cu",
        "command": "nvcc --options-file inc.rsp @none -DY x.cu",
    }
    with_files = load_compile_commands(database(entry), files.get)[Path("/b/x.cu")]
    assert with_files.include_dirs == (Path("/one"), Path("/two"))
    assert with_files.defines == (("X", "1 2"), ("Y", "1"))
    assert load_compile_commands(database(entry))[Path("/b/x.cu")].defines == (("Y", "1"),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "compile_commands.json: no valid JSON"),
        (b"\xff", "compile_commands.json: no valid JSON"),
        (b"[" * 100_000, "compile_commands.json: no valid JSON"),
        (b"{}", "compile_commands.json: expected a list at $"),
        (b"[1]", "$[0] is no object"),
        (b'[{"file": 1}]', '$[0] needs text as "file" and "directory"'),
        (b'[{"file": "x"}]', '$[0] has neither "command" nor "arguments"'),
        (b'[{"file": "x", "arguments": [1]}]', '$[0] has neither "command" nor "arguments"'),
        (b'[{"file": "x", "command": "cc \'"}]', '$[0] has a malformed "command"'),
    ],
)
def test_malformed_databases(data: bytes, message: str) -> None:
    with pytest.raises(RooflineError) as caught:
        load_compile_commands(data)
    assert message in str(caught.value)
    assert "CMAKE_EXPORT_COMPILE_COMMANDS" in str(caught.value)


def test_missing_database(tmp_path: Path) -> None:
    with pytest.raises(RooflineError, match=r"none\.json: No such file"):
        load_compile_commands(tmp_path / "none.json")


# ---- Makefiles


def hints(text: str, source_name: str | None = None) -> CompileFlags:
    """Flags of a Makefile in ``/p``."""
    return makefile_hints(text.encode(), Path("/p"), source_name)


PLAIN = """\
# Options
CC        = nvcc
OPTIMIZE  = yes   # -DNOT
DEBUG     = no
ARCH      = sm_60
N        ?= 8
program = main
source = main.cu util.cu
obj = $(source:.cu=.o)
CFLAGS := $(EXTRA_CFLAGS) -DFLOAT -Xcompiler -Wall -arch=$(ARCH) \\
          -I../include -DN=$(N)
ifeq ($(DEBUG),yes)
  CFLAGS += -g -DDEBUG
  LDFLAGS  += -g
else ifeq ($(OPTIMIZE),yes)
  CFLAGS += -DFAST
else
  CFLAGS += -DSLOW
endif
ifeq "$(OPTIMIZE)" "yes"
  CFLAGS += -O3
endif
ifdef VERIFY
CFLAGS += -DVERIFY
endif
ifndef VERIFY
CFLAGS += -DSKIP
endif

$(program): $(obj) Makefile
\t$(CC) $(CFLAGS) $(obj) -o $@ $(LDFLAGS) -DLINK

%.o: %.cu kernel.h
\t$(CC) $(CFLAGS) -c $< -o $@

debug: main.cu
\t$(CC) $(CFLAGS) -DOTHER -c $<
"""


def test_plain_makefile() -> None:
    assert hints(PLAIN) == CompileFlags(
        (("FLOAT", "1"), ("N", "8"), ("FAST", "1"), ("SKIP", "1")),
        (Path("/include"),),
        cuda_arch=600,
    )


def test_immediate_and_recursive_variables() -> None:
    text = "A = $(B) -DA\nB = -DB1\nC := $(B)\nB = -DB2\nCFLAGS = $(A) ${C} -DD$$\n"
    assert hints(text).defines == (("B2", "1"), ("A", "1"), ("B1", "1"), ("D$", "1"))


def test_functions() -> None:
    text = (
        "ARCH = sm_70\nDIRS = a b\n"
        "CFLAGS = -DSM=$(subst sm_,,$(ARCH)) $(addprefix -I,$(DIRS)) $(shell pkg -DX) "
        "$(patsubst %,-D%,K L) $(addsuffix =1, -DM) $(strip  -DS )\n"
    )
    assert hints(text).defines == (("SM", "70"), ("K", "1"), ("L", "1"), ("M", "1"), ("S", "1"))
    assert hints(text).include_dirs == (Path("/p/a"), Path("/p/b"))


def test_rule_of_a_source() -> None:
    text = """\
all: one two
one: a.cu
\tnvcc -DONE -DSAME -o one a.cu
two: b.cu
\tnvcc -DTWO -DSAME -o two b.cu
three: c.cu
\tnvcc -DTHREE -o three c.cu
"""
    assert hints(text, "a.cu").defines == (("ONE", "1"), ("SAME", "1"))
    assert hints(text, "sub/b.cu").defines == (("TWO", "1"), ("SAME", "1"))
    assert hints(text).defines == (("SAME", "1"),)


def test_rules_by_suffix() -> None:
    text = "m: m.o c.o\n%.o: %.cu\n\tnvcc -DCU -c $<\n%.o: %.cpp\n\tg++ -DCPP -c $<\n"
    assert hints(text).defines == (("CU", "1"),)
    assert hints(text, "x.cpp").defines == (("CPP", "1"),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "all:\n\techo -DX\n",
        "A = $(A)\nCFLAGS = $(A)\n",
        "A = $(B)\nB = $(A)$(A)\nCFLAGS = $(A)\n",
        "ifeq (a\nendif\nelse\nendif\nendif\n",
        "define X\n-DX\nendef\n",
        "ifeq ($(A),b)\nCFLAGS = -DX\n",
        "CFLAGS = $(\n\t\x00: =\n",
        "LDFLAGS = -DX\n",
    ],
)
def test_nothing_to_learn(text: str) -> None:
    assert hints(text) == CompileFlags()
