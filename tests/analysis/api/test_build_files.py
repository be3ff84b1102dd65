"""Which build file says what a program is compiled with."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from roofline_analysis.api import AnalysisCache, ProgramAnalysis, analyze_paths, read_file
from roofline_analysis.api.build_files import BuildFiles, BuildFlags
from roofline_core.program.units import Severity
from roofline_core.settings import Settings

CMAKE = "add_executable(app src/a.cu)\ntarget_compile_definitions(app PRIVATE CMAKE)\n"
MAKE = "app: src/a.cu\n\tnvcc -DMAKE src/a.cu\n"
NEAR = "all:\n\tnvcc -DNEAR $(SRCS)\n"


def database(*files: str, define: str = "DATABASE") -> str:
    entries = [
        {"directory": "/p", "file": file, "command": f"nvcc -D{define} -Iinc -c {file}"}
        for file in files
    ]
    return json.dumps(entries)


def flags(
    files: dict[str, str], *sources: str, given: Path | None = None, build: BuildFiles | None = None
) -> BuildFlags:
    held = {Path("/p", name): text.encode() for name, text in files.items()}
    paths = [Path("/p", name) for name in sources or ("src/a.cu",)]
    return (build or BuildFiles()).flags(paths, given, held.get)


def defined(files: dict[str, str], *sources: str, given: Path | None = None) -> set[str]:
    return {name for name, _ in flags(files, *sources, given=given).common.defines}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, set()),
        ({"Makefile": MAKE}, {"MAKE"}),
        ({"src/Makefile": NEAR}, {"NEAR"}),
        ({"Makefile": MAKE, "src/Makefile": NEAR}, {"MAKE"}),
        ({"Makefile": NEAR, "src/Makefile": "# nothing"}, set()),
        ({"Makefile": NEAR}, {"NEAR"}),
        ({"Makefile": MAKE, "CMakeLists.txt": CMAKE}, {"CMAKE"}),
        ({"Makefile": MAKE, "CMakeLists.txt": "add_definitions(-DX)"}, {"MAKE"}),
        ({"CMakeLists.txt": "add_definitions(-DX)"}, {"X"}),
        ({"CMakeLists.txt": CMAKE, "compile_commands.json": database("src/a.cu")}, {"DATABASE"}),
        (
            {"CMakeLists.txt": CMAKE, "build/compile_commands.json": database("src/a.cu")},
            {"DATABASE"},
        ),
        ({"CMakeLists.txt": CMAKE, "compile_commands.json": database("src/b.cu")}, {"CMAKE"}),
    ],
)
def test_what_goes_before_what(files: dict[str, str], expected: set[str]) -> None:
    assert defined(files) == expected


def test_the_database_of_the_settings_goes_before_all(tmp_path: Path) -> None:
    given = tmp_path / "given.json"
    given.write_text(database("src/a.cu", define="GIVEN"))
    files = {"compile_commands.json": database("src/a.cu")}
    assert defined(files, given=given) == {"GIVEN"}


def test_the_uppermost_project_that_has_the_file_counts() -> None:
    top = "project(top)\nadd_definitions(-DTOP)\n"
    own = "project(own)\nadd_executable(app a.cu)\ntarget_compile_definitions(app PRIVATE OWN)\n"
    assert defined({"CMakeLists.txt": top, "src/CMakeLists.txt": own}) == {"OWN"}
    entering = f"{top}add_subdirectory(src)\n"
    assert defined({"CMakeLists.txt": entering, "src/CMakeLists.txt": own}) == {"TOP", "OWN"}


def test_each_file_has_its_own_flags() -> None:
    files = {
        "compile_commands.json": database("src/a.cu"),
        "CMakeLists.txt": "add_library(b src/b.cu)\nadd_definitions(-DB)\n",
        "Makefile": "all: c.o\nc.o: src/c.cu\n\tnvcc -DC -c $<\n",
    }
    found = flags(files, "src/c.cu", "src/a.cu", "src/b.cu", "src/d.cuh")
    assert dict(found.common.defines) == {"C": "1"}
    assert [(path.name, dict(each.defines)) for path, each in found.own] == [
        ("a.cu", {"DATABASE": "1"}),
        ("b.cu", {"B": "1"}),
    ]
    # The file of no build file is compiled as the others are.
    assert dict(flags(files, "src/a.cu", "src/e.cu").common.defines) == {"DATABASE": "1"}


def test_a_malformed_database_is_passed_over_with_a_note() -> None:
    found = flags({"compile_commands.json": "{", "Makefile": MAKE})
    assert dict(found.common.defines) == {"MAKE": "1"}
    (problem,) = found.problems
    assert problem.severity is Severity.NOTE
    assert problem.message.startswith("/p/compile_commands.json: no valid JSON")


def test_one_note_tells_of_all_limits() -> None:
    files = {"CMakeLists.txt": "include(CMakeLists.txt)\n", "Makefile": "#" * (10 << 20)}
    (problem,) = flags(files).problems
    assert problem.message == (
        "'/p/CMakeLists.txt' is read in part: build files are nested more than 40 deep; "
        "'/p/Makefile' is read in part: it is longer than 1 MiB"
    )


def test_what_is_kept_is_dropped_when_a_file_changes() -> None:
    build = BuildFiles()
    files = {"CMakeLists.txt": "include(o.cmake)\nadd_executable(app src/a.cu)\n"}
    for name, define in (("o.cmake", "A"), ("CMakeLists.txt", "B"), ("compile_commands.json", "C")):
        texts = {"o.cmake": f"add_definitions(-D{define})", "CMakeLists.txt": f"{CMAKE}#{define}"}
        texts["compile_commands.json"] = database("src/a.cu", define=define)
        before = flags(files, build=build)
        files[name] = texts[name]
        assert flags(files, build=build) == before
        build.invalidate(Path("/p", name))
        assert flags(files, build=build) != before


def test_no_build_file_outside_the_project_is_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    project = tmp_path / "project"
    for folder in (outside, project / ".git", project / "real"):
        folder.mkdir(parents=True)
    (outside / "flags.mk").write_text("F += -DOUT\n")
    (outside / "o.cmake").write_text("add_definitions(-DOUT)\n")
    (outside / "CMakeLists.txt").write_text("add_definitions(-DOUT)\n")
    (tmp_path / "CMakeLists.txt").write_text("add_executable(app project/a.cu project/b.cu)\n")
    (project / "link").symlink_to(outside)
    (project / "linked.mk").symlink_to(outside / "flags.mk")
    (project / "Makefile").write_text(
        "F = -DIN\ninclude ../outside/flags.mk linked.mk link/flags.mk\na: a.cu\n\tnvcc $(F) a.cu\n"
    )
    (project / "CMakeLists.txt").write_text(
        "include(link/o.cmake)\ninclude(../outside/o.cmake)\nadd_subdirectory(link)\n"
        "add_executable(b b.cu)\nadd_definitions(-DIN)\n"
    )
    asked: list[Path] = []

    def reader(path: Path) -> bytes | None:
        asked.append(Path(os.path.realpath(path)))
        return read_file(path)

    found = BuildFiles().flags([project / "a.cu", project / "b.cu"], None, reader)
    assert found.common.defines == (("IN", "1"),)
    assert found.own == ()
    assert asked
    assert [path for path in asked if project not in path.parents] == []


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "~", ".."])
def test_names_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    (tmp_path / "Makefile").write_text(f"include {name}\na: a.cu\n\tnvcc -DMAKE a.cu\n")
    lists = f'include("{name}")\nadd_subdirectory("{name}")\nif(EXISTS "{name}")\nendif()\n'
    (tmp_path / "CMakeLists.txt").write_text(lists)
    (tmp_path / "compile_commands.json").write_text(
        json.dumps([{"file": name, "directory": name, "command": f"nvcc @{name}"}])
    )
    found = BuildFiles().flags([tmp_path / "a.cu"], None, read_file)
    assert found.common.defines == (("MAKE", "1"),)


KERNELS = """
__global__ void always(float *x) { x[threadIdx.x] = SIZE(4); }
#ifdef GPU_ONLY
__global__ void sometimes(float *x) { x[threadIdx.x] = 2.0f; }
#endif
"""


def test_macros_with_parameters_and_names_of_headers(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(f"#include CONFIG\n#include VENDOR(x)\n{KERNELS}")
    (tmp_path / "gpu.h").write_text("#define GPU_ONLY 1\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/x.h").write_text("#define SIZE(n) ((n) * TWO)\n")
    (tmp_path / "CMakeLists.txt").write_text(
        "add_library(t a.cu)\ntarget_include_directories(t PRIVATE lib)\n"
        'target_compile_options(t PRIVATE "-DVENDOR(x)=<x.h>" -DTWO=2)\n'
        'target_compile_definitions(t PRIVATE CONFIG="gpu.h")\n'
    )
    analysis = ProgramAnalysis.load([tmp_path / "a.cu"], Settings())
    assert [kernel.base_name for kernel in analysis.kernels()] == ["always", "sometimes"]
    assert [each.message for unit in analysis.program.all_units() for each in unit.problems] == []


@pytest.mark.parametrize("relative", [False, True])
def test_reports_tell_of_limits_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        "include(CMakeLists.txt)\nadd_definitions(-DGPU_ONLY)\n"
    )
    names = ("a.cu", "b.cu")
    for name in names:
        (tmp_path / name).write_text(KERNELS.replace("always", name[0]).replace("some", name[0]))
    paths = [Path(name) if relative else tmp_path / name for name in names]
    reports = list(analyze_paths(paths, Settings(defines=("SIZE(n)=(n + 1)",))))
    told = [p.message for report in reports for p in report.problems if "in part" in p.message]
    assert len(told) == 1
    assert [kernel.base_name for report in reports for kernel in report.kernels] == [
        "a",
        "atimes",
        "b",
        "btimes",
    ]


def test_a_session_sees_that_a_build_file_changed(tmp_path: Path) -> None:
    lists = tmp_path / "CMakeLists.txt"
    lists.write_text("add_library(t a.cu)\n")
    source = tmp_path / "a.cu"
    source.write_text(KERNELS)
    cache = AnalysisCache(keep_trees=True)

    def kernels() -> list[str]:
        loaded = ProgramAnalysis.load([source], Settings(), cache=cache)
        return [kernel.base_name for kernel in loaded.kernels()]

    assert kernels() == ["always"]
    lists.write_text("add_library(t a.cu)\nadd_definitions(-DGPU_ONLY)\n")
    assert kernels() == ["always"]
    cache.invalidate(lists)
    assert kernels() == ["always", "sometimes"]


FAST_KERNEL = b"""
__global__ void k(float *o, const float *x) { o[threadIdx.x] = expf(x[threadIdx.x]); }
int main() { float *o, *x; cudaMalloc(&o, 128); cudaMalloc(&x, 128); k<<<1, 32>>>(o, x); }
"""


@pytest.mark.parametrize(
    ("makefile", "fast_math", "flops"),
    [
        ("CFLAGS = -O3\nall:\n\tnvcc $(CFLAGS) a.cu\n", None, 10),
        ("CFLAGS = -O3 --use_fast_math\nall:\n\tnvcc $(CFLAGS) a.cu\n", None, 1),
        ("CFLAGS = -O3 #--use_fast_math\nall:\n\tnvcc $(CFLAGS) a.cu\n", None, 10),
        ("CFLAGS = -O3 --use_fast_math\nall:\n\tnvcc $(CFLAGS) a.cu\n", False, 10),
        ("", True, 1),
        ("", None, 10),
    ],
)
def test_fast_arithmetic_of_a_build_file_or_a_setting(
    makefile: str, fast_math: bool | None, flops: int
) -> None:
    held = {Path("/p/a.cu"): FAST_KERNEL, Path("/p/Makefile"): makefile.encode()}
    analysis = ProgramAnalysis.load(
        [Path("/p/a.cu")], Settings(fast_math=fast_math), reader=held.get
    )
    (kernel,) = analysis.functions
    (launch,) = analysis.launches_of(kernel)
    assert analysis.judge_launch(kernel, launch).prediction.sp_flops == 32.0 * flops
    elsewhere = analysis.on("A100")
    assert elsewhere.judge_launch(kernel, launch).prediction.sp_flops == 32.0 * flops


def test_each_file_computes_as_its_own_command_says() -> None:
    makefile = "all: a.o b.o\na.o: a.cu\n\tnvcc -use_fast_math -c a.cu\nb.o: b.cu\n\tnvcc -c b.cu\n"
    held = {
        Path("/p/a.cu"): FAST_KERNEL,
        Path("/p/b.cu"): b"__global__ void m(float *o) { o[threadIdx.x] = expf(o[threadIdx.x]); }",
        Path("/p/Makefile"): makefile.encode(),
    }
    paths = [Path("/p/a.cu"), Path("/p/b.cu")]
    analysis = ProgramAnalysis.load(paths, Settings(), reader=held.get)
    flops = {
        kernel.name: analysis.judge_launch(
            kernel, None, grid=(1, 1, 1), block=(32, 1, 1)
        ).prediction.sp_flops
        for kernel in analysis.functions
    }
    assert flops == {"k": 32.0, "m": 320.0}


def test_exact_arithmetic_by_a_setting_defines_no_macro_of_the_build() -> None:
    source = b"""
    __global__ void k(float *o) {
    #ifdef __USE_FAST_MATH__
      o[threadIdx.x] *= 2.0f;
    #endif
    }"""
    makefile = b"all:\n\tnvcc -use_fast_math a.cu\n"
    held = {Path("/p/a.cu"): source, Path("/p/Makefile"): makefile}
    for fast_math, flops in ((None, 32.0), (False, 0.0)):
        settings = Settings(fast_math=fast_math)
        analysis = ProgramAnalysis.load([Path("/p/a.cu")], settings, reader=held.get)
        (kernel,) = analysis.functions
        judged = analysis.judge_launch(kernel, None, grid=(1, 1, 1), block=(32, 1, 1))
        assert judged.prediction.sp_flops == flops
