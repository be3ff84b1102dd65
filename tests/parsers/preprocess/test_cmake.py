"""What a ``CMakeLists.txt`` passes to the compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_parsers.preprocess import parse_flags
from roofline_parsers.preprocess.cmake import CMakeProject, FileInProject
from roofline_parsers.preprocess.cmake.syntax import (
    CMakeArgument,
    CMakeCommand,
    CommandBlock,
    parse,
)

TOP = Path("/p")
SOURCE = TOP / "a.cu"


def held(text: str, others: dict[str, str]) -> dict[Path, bytes]:
    """Build files by path; others by their path with ``__`` for a slash and ``_`` for a dot."""
    files = {TOP / "CMakeLists.txt": text.encode()}
    for name, content in others.items():
        path = name.replace("__", "/").replace("_txt", ".txt").replace("_cmake", ".cmake")
        files[TOP / path] = content.encode()
    return files


def told(text: str, source: Path = SOURCE, **others: str) -> FileInProject | None:
    """What a project says of a file."""
    reader = held(text, others).get
    return CMakeProject(TOP, reader).file(source, reader)


def defines(text: str, source: Path = SOURCE, **others: str) -> dict[str, str]:
    """The macros that a file is compiled with."""
    found = told(text, source, **others)
    return {} if found is None else dict(parse_flags(found.arguments).defines)


def folders(text: str) -> list[str]:
    found = told(text)
    assert found is not None
    return [path.as_posix() for path in parse_flags(found.arguments).include_dirs]


ADD = "add_executable(app a.cu)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("target_compile_definitions(app PRIVATE N=4 FAST)", {"N": "4", "FAST": "1"}),
        ("target_compile_definitions(app PRIVATE -DN=4)", {"N": "4"}),
        ("target_compile_definitions(app INTERFACE N=4)", {}),
        ("target_compile_definitions(other PRIVATE N=4)", {}),
        ("target_compile_options(app PUBLIC -O3 -DN=4 -UX)", {"N": "4"}),
        ('target_compile_options(app PUBLIC "SHELL:-D N=4")', {"N": "4"}),
        ("add_definitions(-DN=4 -DFAST)", {"N": "4", "FAST": "1"}),
        ("add_definitions(-DA -DB)\nremove_definitions(-DA)", {"A": "1", "B": "1"}),
        ("add_compile_definitions(N=4)", {"N": "4"}),
        ("add_compile_options(-DN=4)", {"N": "4"}),
        ('set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -DN=4 -DM")', {"N": "4", "M": "1"}),
        ('string(APPEND CMAKE_CUDA_FLAGS " -DN=4")', {"N": "4"}),
        ("list(APPEND CUDA_NVCC_FLAGS -DN=4;-DM=2)", {"N": "4", "M": "2"}),
        ("set(CMAKE_CXX_FLAGS -DHOST)", {}),
        ("set(CMAKE_BUILD_TYPE Release)", {"NDEBUG": "1"}),
        ("set_target_properties(app PROPERTIES COMPILE_DEFINITIONS N=4)", {"N": "4"}),
        ("set_property(TARGET app APPEND PROPERTY COMPILE_FLAGS -DN=4)", {"N": "4"}),
        ("set_source_files_properties(a.cu PROPERTIES COMPILE_DEFINITIONS N=4)", {"N": "4"}),
        ("set_source_files_properties(b.cu PROPERTIES COMPILE_DEFINITIONS N=4)", {}),
    ],
)
def test_commands_that_define(text: str, expected: dict[str, str]) -> None:
    assert defines(f"{ADD}{text}\n") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set(N 4)\nadd_definitions(-DN=${N})", {"N": "4"}),
        ("set(N 4 CACHE STRING help)\nadd_definitions(-DN=${N})", {"N": "4"}),
        ("set(N 4 CACHE STRING help)\nset(N 5)\nadd_definitions(-DN=${N})", {"N": "5"}),
        ("set(X N)\nset(N 4)\nadd_definitions(-DN=${${X}})", {"N": "4"}),
        ("add_definitions(-DN=${NEVER_SET}4)", {"N": "4"}),
        ("add_definitions(-DN=$ENV{N} -DM)", {"M": "1"}),
        ("execute_process(COMMAND id OUTPUT_VARIABLE N)\nadd_definitions(-DN=${N})", {}),
        ("my_own_command(N)\nadd_definitions(-DN=${N})", {}),
        ("set(L A B)\nlist(APPEND L C)\nadd_compile_definitions(${L})", dict.fromkeys("ABC", "1")),
        ("foreach(x IN ITEMS A B)\nadd_definitions(-D${x})\nendforeach()", {"A": "1", "B": "1"}),
        ("foreach(i RANGE 1 2)\nadd_definitions(-DK${i})\nendforeach()", {"K1": "1", "K2": "1"}),
        ("string(TOUPPER fast X)\nadd_definitions(-D${X})", {"FAST": "1"}),
        ('add_definitions(-DS="a b" [[-DT=${x}]])', {"S": "a b", "T": "${x}"}),
        ("# add_definitions(-DA)\n#[[ add_definitions(-DB)\n]] add_definitions(-DC)", {"C": "1"}),
    ],
)
def test_variables(text: str, expected: dict[str, str]) -> None:
    assert defines(f"{ADD}{text}\n") == expected


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ("ON", True),
        ("off", False),
        ("USE", True),
        ("NOT USE", False),
        ("UNUSED", False),
        ("NEVER_SET", False),
        ("NOT NEVER_SET", True),
        ("USE AND UNUSED", False),
        ("USE OR UNUSED", True),
        ("NOT (USE AND UNUSED)", True),
        ("DEFINED USE", True),
        ("DEFINED NEVER_SET", False),
        ("N EQUAL 4", True),
        ("N GREATER_EQUAL 5", False),
        ('KIND STREQUAL "fast"', True),
        ("KIND MATCHES ^f.st$", True),
        ("a IN_LIST L", True),
        ("TARGET app", True),
        ("TARGET none", False),
        ("WIN32 OR MSVC OR APPLE", False),
        ("UNIX AND NOT APPLE", True),
        ('CMAKE_CUDA_COMPILER_VERSION VERSION_LESS "11.0"', False),
        ("CUDAToolkit_FOUND", True),
        ("Boost_FOUND", True),
        # What is not known is taken neither way.
        ("NOT Boost_FOUND", False),
        ("OpenCV_FOUND", None),
        ("NOT OpenCV_FOUND", None),
        ("DEFINED ENV{HOME}", None),
        ("OpenCV_FOUND AND UNUSED", False),
        ("OpenCV_FOUND OR USE", True),
        ("EXISTS ${CMAKE_SOURCE_DIR}/none", None),
    ],
)
def test_conditions(condition: str, taken: bool | None) -> None:
    text = (
        f"{ADD}option(USE help ON)\noption(UNUSED help)\nset(N 4)\nset(KIND fast)\nset(L b a)\n"
        "find_package(OpenCV)\nfind_package(Boost REQUIRED)\n"
        f"if({condition})\nadd_definitions(-DYES)\nelse()\nadd_definitions(-DNO)\nendif()\n"
    )
    assert defines(text) == ({} if taken is None else {"YES" if taken else "NO": "1"})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("$<1:A>", {"A": "1"}),
        ("$<0:A>", {}),
        ("$<$<BOOL:ON>:A>", {"A": "1"}),
        ("$<$<BOOL:${NEVER_SET}>:A>", {}),
        ("$<$<NOT:$<BOOL:OFF>>:A>", {"A": "1"}),
        ("$<$<COMPILE_LANGUAGE:CUDA>:A>", {"A": "1"}),
        ("$<$<COMPILE_LANGUAGE:CXX>:A>", {}),
        ("$<$<AND:$<BOOL:1>,$<CONFIG:Debug>>:A>", {}),
        ("$<IF:$<STREQUAL:a,a>,A,B>", {"A": "1"}),
        ("$<BUILD_INTERFACE:A>", {"A": "1"}),
        ("$<INSTALL_INTERFACE:A>", {}),
        ("$<TARGET_PROPERTY:app,DEFINED_THERE>", {}),
        ("$<$<VERSION_LESS:$<CXX_COMPILER_VERSION>,9>:A>", {}),
        ('"$<$<COMPILE_LANGUAGE:CUDA>:A;B=2>"', {"A": "1", "B": "2"}),
    ],
)
def test_generator_expressions(expression: str, expected: dict[str, str]) -> None:
    assert defines(f"{ADD}target_compile_definitions(app PRIVATE {expression})\n") == expected


def test_what_an_uncertain_branch_sets_is_unknown_behind_it() -> None:
    text = """
find_package(NCCL)
set(KIND plain)
set(ALL A)
if(NCCL_FOUND)
  set(KIND nccl)
  list(APPEND ALL B)
  add_executable(with a.cu)
  target_compile_definitions(with PRIVATE INSIDE ${KIND})
endif()
target_compile_definitions(with PRIVATE BEHIND ${ALL} K_${KIND})
"""
    # The target is there only with the branch, so that the branch was taken where it is built.
    assert defines(text) == dict.fromkeys(("INSIDE", "nccl", "BEHIND", "A"), "1")


def test_usage_requirements_come_with_libraries() -> None:
    text = """
add_library(base INTERFACE)
target_compile_definitions(base INTERFACE BASE=1)
target_include_directories(base INTERFACE inc)
add_library(mid STATIC mid.cpp)
target_compile_definitions(mid PUBLIC MID PRIVATE HIDDEN)
target_link_libraries(mid PUBLIC base)
add_library(p::mid ALIAS mid)
add_executable(app a.cu)
target_link_libraries(app PRIVATE p::mid m)
"""
    assert defines(text) == {"MID": "1", "BASE": "1"}
    assert folders(text) == ["/p/inc"]


def test_include_folders() -> None:
    text = (
        f"include_directories(SYSTEM one ${{CMAKE_CURRENT_SOURCE_DIR}}/two)\n{ADD}"
        "target_include_directories(app BEFORE PRIVATE ../three $<BUILD_INTERFACE:${NONE}four>)"
    )
    assert folders(text) == ["/p/one", "/p/two", "/three", "/p/four"]


def test_folders_inherit_from_those_above() -> None:
    top = (
        "set(N 4)\nadd_definitions(-DBEFORE)\nadd_subdirectory(sub)\nadd_definitions(-DAFTER)\n"
        "message(${MADE})\n"
    )
    sub = "set(N 5)\nset(MADE x PARENT_SCOPE)\nadd_library(s s.cu)\nadd_definitions(-DN=${N})\n"
    found = defines(top, TOP / "sub/s.cu", sub__CMakeLists_txt=sub)
    assert found == {"BEFORE": "1", "N": "5"}


def test_functions_and_macros() -> None:
    top = """
function(gpu_program name)
  cmake_parse_arguments(G "FAST" "SIZE" "SRCS" ${ARGN})
  add_executable(${name} ${G_SRCS})
  if(G_FAST)
    target_compile_definitions(${name} PRIVATE FAST SIZE=${G_SIZE})
  endif()
  set(LOCAL 1)
endfunction()
macro(define_twice what)
  add_definitions(-D${what} -D${what}_${ARGC})
endmacro()
gpu_program(app FAST SIZE 8 SRCS b.cu a.cu)
define_twice(X)
add_definitions(-DL${LOCAL})
"""
    assert defines(top) == {"FAST": "1", "SIZE": "8", "X": "1", "X_1": "1", "L": "1"}


def test_arguments_of_the_function_around() -> None:
    top = """
function(gpu_module name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "SHARED;EXTRAS" "SIZE" "")
  add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  target_compile_definitions(${name} PRIVATE SHARED_${ARG_SHARED} SIZE=${ARG_SIZE})
endfunction()
gpu_module(app SHARED b.cu a.cu SIZE 8)
"""
    assert defines(top) == {"SHARED_TRUE": "1", "SIZE": "8"}


@pytest.mark.parametrize(
    ("option", "on"),
    [
        ("USE_CUDA", True),
        ("ENABLE_GPU", True),
        ("CUDA", True),
        ("NO_CUDA", False),
        ("BUILD_WITHOUT_GPU", False),
        ("CUDA_FAST_MATH", False),
        ("ENABLE_CUDART", False),
    ],
)
def test_options_that_build_for_gpus_are_on(option: str, on: bool) -> None:
    """Also where another variable is what conditions ask for."""
    text = f"""
option({option} "a choice" OFF)
set(CHOSEN ${{{option}}})
add_library(t a.cu)
if(CHOSEN)
  target_compile_definitions(t PRIVATE ON)
endif()
"""
    assert defines(text) == ({"ON": "1"} if on else {})


def test_included_files() -> None:
    top = (
        "list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/m)\n"
        f"include(o.cmake)\ninclude(My)\ninclude(CTest)\n{ADD}"
    )
    found = defines(top, o_cmake="add_definitions(-DO)\n", m__My_cmake="add_definitions(-DMY)\n")
    assert found == {"O": "1", "MY": "1"}


@pytest.mark.parametrize(
    ("sources", "named"),
    [
        ("file(GLOB S *.cu)\nadd_library(t ${S})", True),
        ("file(GLOB S src/*.cu)\nadd_library(t ${S})", False),
        ("file(GLOB_RECURSE S ${CMAKE_SOURCE_DIR}/*.cu)\nadd_library(t ${S})", True),
        ("add_library(t b.cu)\ntarget_sources(t PRIVATE a.cu)", True),
        ("cuda_add_library(t ${CMAKE_CURRENT_LIST_DIR}/a.cu)", True),
        ("add_library(t b.cu)", False),
    ],
)
def test_which_target_has_a_file(sources: str, named: bool) -> None:
    found = told(f"{sources}\n")
    assert (found is not None and found.named) is named


def test_a_file_of_no_target_is_compiled_as_the_first_of_its_folder() -> None:
    text = "add_library(t b.cu)\ntarget_compile_definitions(t PRIVATE N=4)\n"
    assert defines(text, TOP / "common.cuh") == {"N": "4"}


def test_options_that_a_target_needs_are_on() -> None:
    text = """
option(USE_CUDA "build for GPUs" OFF)
option(USE_OTHER "something" OFF)
if(USE_CUDA)
  add_executable(gpu a.cu)
  target_compile_definitions(gpu PRIVATE USE_CUDA)
endif()
if(USE_OTHER)
  add_executable(other c.cu)
  add_definitions(-DOTHER)
endif()
"""
    reader = held(text, {}).get
    asked = CMakeProject(TOP, reader)
    for path, expected in ((SOURCE, "USE_CUDA"), (TOP / "c.cu", "OTHER"), (SOURCE, "USE_CUDA")):
        found = asked.file(path, reader)
        assert found is not None
        assert dict(parse_flags(found.arguments).defines) == {expected: "1"}


def test_an_option_that_leads_to_a_folder_is_on() -> None:
    text = """
option(USE_CUDA "build for GPUs")
option(USE_COPY "build the copy")
if(USE_CUDA)
  add_definitions(-DTOP)
  add_subdirectory(gpu)
endif()
if(USE_COPY)
  add_subdirectory(copy)
  add_library(copied gpu/k.cu)
  add_definitions(-DCOPY)
endif()
"""
    gpu = "add_library(k k.cu)\nif(USE_CUDA)\nadd_definitions(-DSUB)\nendif()\n"
    found = defines(text, TOP / "gpu/k.cu", gpu__CMakeLists_txt=gpu, copy__CMakeLists_txt="")
    assert found == {"TOP": "1", "SUB": "1"}


def test_a_folder_that_is_not_entered_is_read_as_if_it_were() -> None:
    top = "add_definitions(-DTOP)\nset(B gpu)\nif(NEVER)\nadd_subdirectory(${B})\nendif()\n"
    files = {
        TOP / "CMakeLists.txt": top.encode(),
        TOP / "gpu/CMakeLists.txt": b"add_library(g g.cu)\nadd_definitions(-DIN_${B})\n",
    }
    found = CMakeProject(TOP, files.get).file(TOP / "gpu/g.cu", files.get)
    assert found is not None
    assert dict(parse_flags(found.arguments).defines) == {"TOP": "1", "IN_gpu": "1"}
    files[TOP / "gpu/CMakeLists.txt"] += b"project(alone)\n"
    assert CMakeProject(TOP, files.get).file(TOP / "gpu/g.cu", files.get) is None


def test_what_a_folder_adds_to_a_target_holds_for_the_targets_other_names() -> None:
    top = "add_library(base base.cu)\nadd_library(p::base ALIAS base)\n"
    own = """
target_compile_definitions(base PUBLIC ADDED)
add_library(g g.cu)
target_link_libraries(g p::base)
"""
    files = {TOP / "CMakeLists.txt": top.encode(), TOP / "gpu/CMakeLists.txt": own.encode()}
    project = CMakeProject(TOP, files.get)
    found = project.file(TOP / "gpu/g.cu", files.get)
    assert found is not None
    assert dict(parse_flags(found.arguments).defines) == {"ADDED": "1"}
    base = project.file(TOP / "base.cu", files.get)
    assert base is not None
    assert not base.arguments


def test_folders_that_are_not_entered_know_nothing_of_one_another() -> None:
    """Each is read behind the project's own files, which are read once for all of them."""
    top = """
set(SEEN none CACHE STRING "")
set(LIST a)
add_library(shared shared.cu)
macro(say)
add_definitions(-DFROM_${SEEN}_${LIST})
endmacro()
"""
    own = """
say()
set(SEEN {0} CACHE STRING "" FORCE)
set(LIST {0} PARENT_SCOPE)
target_compile_definitions(shared PUBLIC BY_{0})
target_sources(shared PRIVATE extra.cu)
add_library({0} {0}.cu)
target_link_libraries({0} shared)
macro(say)
add_definitions(-DREPLACED)
endmacro()
"""
    files = {TOP / "CMakeLists.txt": top.encode()}
    for name in ("x", "y"):
        files[TOP / name / "CMakeLists.txt"] = own.format(name).encode()
    reads: list[Path] = []

    def reader(path: Path) -> bytes | None:
        reads.append(path)
        return files.get(path)

    project = CMakeProject(TOP, reader)
    for name in ("x", "y", "x"):
        found = project.file(TOP / name / f"{name}.cu", reader)
        assert found is not None
        assert dict(parse_flags(found.arguments).defines) == {"FROM_none_a": "1", f"BY_{name}": "1"}
    shared = project.file(TOP / "shared.cu", reader)
    assert shared is not None
    assert not shared.arguments
    assert reads.count(TOP / "CMakeLists.txt") == 1


def test_syntax() -> None:
    text = 'set(A "x\\"y" [=[z]=] (p) q\\ r -Da="b c") # end\nif(A)\nelse()\nfoo()\nendif()\nbar('
    first, block, last = parse(text)
    words = ['x\\"y', "z", "(", "p", ")", "q\\ r", '-Da="b c"']
    assert isinstance(first, CMakeCommand)
    assert [each.text for each in first.arguments][1:] == words
    assert first.arguments[2] == CMakeArgument("z", quoted=True, literal=True)
    assert isinstance(block, CommandBlock)
    assert [opener.name for opener, _ in block.clauses] == ["if", "else"]
    assert block.clauses[1][1] == [CMakeCommand("foo", ())]
    assert last == CMakeCommand("bar", ())


HOSTILE = {
    "includes itself": "include(CMakeLists.txt)\n",
    "calls itself": "function(f)\nf()\nf()\nendfunction()\nf()\n",
    "macro calls itself": "macro(f)\nf(${ARGV} x)\nendmacro()\nf(a)\n",
    "doubles": "set(A aaaa)\n" + "set(A ${A}${A};${A})\n" * 60,
    "loops": "foreach(a RANGE 199)\n" * 6 + "set(x 1)\n" + "endforeach()\n" * 6,
    "enters folders": "add_subdirectory(a)\nadd_subdirectory(b)\n",
    "nests": "if(1)\n" * 5000,
    "parentheses": "if(" + "(" * 50_000 + ")\nendif()\n",
    "brackets": "set(A " + "[=[" * 100_000,
    "quotes": 'set(A "' + '\\"' * 100_000,
    "spaces": "set(A" + " " * 900_000,
    "references": "set(A " + "${" * 200_000 + ")\n",
    "generators": "add_definitions(" + "$<1:" * 100_000 + ")\n",
    "pattern": "set(A aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)\nif(A MATCHES (a+)+b)\nendif()\n",
    "wild": "file(GLOB S " + "*" * 2000 + "b)\nadd_library(t ${S})\n",
    "long": "#" * (1 << 21),
}
LIMITED = {
    "enters folders",
    "includes itself",
    "calls itself",
    "macro calls itself",
    "loops",
    "long",
    "nests",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_projects_are_read_in_part(kind: str) -> None:
    text = HOSTILE[kind].encode()

    def reader(path: Path) -> bytes | None:
        return text if path.name == "CMakeLists.txt" else None

    made = CMakeProject(TOP, reader)
    made.file(SOURCE, reader)
    assert bool(made.limits) == (kind in LIMITED)


def test_no_folder_above_the_project_is_entered() -> None:
    asked = []

    def reader(path: Path) -> bytes | None:
        asked.append(path)
        return b"add_subdirectory(../..)\nadd_subdirectory(/etc)\nadd_subdirectory(.)\n"

    CMakeProject(TOP, reader)
    assert asked == [TOP / "CMakeLists.txt"]


CONFIG = """
#pragma once
#cmakedefine USE_CUDA
  # cmakedefine  WIDTH @WIDTH@
#cmakedefine OFFED
#cmakedefine01 HAVE_IT
#cmakedefine01 HAVE_NOT
#cmakedefine NEVER_SET
#cmakedefine FOUND
#cmakedefine NAME "${PROJECT_NAME}"
@PRECISION_LEVEL@
#define INDEX_TYPE @INDEX_TYPE@
#define FIXED 7
#define OF_A_PROGRAM @FOUND@
"""


@pytest.mark.parametrize("source", ["a.cu", "other.cu"])
def test_macros_of_headers_that_the_project_writes(source: str) -> None:
    text = f"""
    project(sums)
    option(USE_CUDA "" ON)
    option(OFFED "" OFF)
    set(WIDTH 32)
    set(PRECISION_LEVEL "#define DOUBLE_PRECISION 1")
    set(INDEX_TYPE "long int")
    set(HAVE_IT yes)
    set(NAME ${{PROJECT_NAME}})
    find_program(FOUND program)
    {ADD}
    configure_file(config.in include/config.h)
    configure_file(copied.in include/copied.h COPYONLY)
    configure_file(missing.in include/missing.h)
    """
    found = defines(
        text, TOP / source, **{"config.in": CONFIG, "copied.in": "#cmakedefine USE_CUDA 7"}
    )
    assert found == {
        "USE_CUDA": "", "WIDTH": "32", "HAVE_IT": "1", "HAVE_NOT": "0", "NAME": '"sums"',
        "DOUBLE_PRECISION": "1", "INDEX_TYPE": "long int",
    }  # fmt: skip
