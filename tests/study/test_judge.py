from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from roofline_analysis.api.explain.records import LaunchExplanation
from roofline_analysis.report.report import Verdict
from roofline_core.settings import Settings
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Inputs, Judgement, judge_program, judge_programs
from roofline_study.programs import ProgramAnalyser, executables

Make = Callable[..., MeasuredKernel]


def judged(
    rows: list[MeasuredKernel], inputs: Inputs, analyser: ProgramAnalyser
) -> list[Judgement]:
    return judge_program(rows, inputs=inputs, analyser=analyser)


def test_headers_are_no_units_but_their_folders_are_searched(sources: Path) -> None:
    folder = sources / "saxpy-cuda"
    (made,) = executables(folder, sources)
    assert made.units == (folder / "main.cu",)
    assert made.include_dirs == (folder, folder / "util", sources / "include")


def test_units_with_a_main_come_first(sources: Path) -> None:
    folder = sources / "saxpy-cuda"
    for name in ("a.cu", "util/b.cpp", "z.cu"):
        (folder / name).touch()
    (folder / "z.cu").write_text("int main() { return 0; }\n")
    (made,) = executables(folder, sources)
    assert [path.relative_to(folder).as_posix() for path in made.units] == [
        "z.cu",
        "a.cu",
        "main.cu",
        "util/b.cpp",
    ]


def test_each_folder_with_a_main_makes_an_executable(sources: Path) -> None:
    folder = sources / "saxpy-cuda"
    (folder / "main.cu").unlink()
    for name in ("one", "two", "shared"):
        (folder / name).mkdir()
        (folder / name / "k.cu").write_text("" if name == "shared" else "int main() {}")
        (folder / name / "k.h").touch()
    one, two = executables(folder, sources)
    assert one.units == (folder / "one" / "k.cu", folder / "shared" / "k.cu")
    assert two.units == (folder / "two" / "k.cu", folder / "shared" / "k.cu")
    assert two.include_dirs[:2] == (folder / "two", folder)


def test_a_main_of_a_test_makes_no_executable(sources: Path) -> None:
    folder = sources / "saxpy-cuda"
    test = "int partition() { return 7; }\n#ifdef UNIT_TEST\nint main() {}\n#endif\n"
    (folder / "util" / "u.cpp").write_text(test)
    (folder / "main.cu").write_text("int main() {}")
    (made,) = executables(folder, sources)
    assert made.units == (folder / "main.cu", folder / "util" / "u.cpp")


def test_a_make_file_names_sources_of_other_folders(sources: Path) -> None:
    other, folder = sources / "saxpy-cuda", sources / "saxpy-omp"
    (other / "main.cpp").write_text("int main() { return 0; }")
    (other / "util" / "u.cpp").touch()
    folder.mkdir()
    (folder / "k.cpp").touch()
    rules = "main.o: ../saxpy-cuda/main.cpp ../saxpy-cuda/k.h\n%.o: ../saxpy-cuda/util/%.cpp\n"
    (folder / "Makefile").write_text(rules + "X = ../saxpy-cuda/util/u.cpp ../../elsewhere.cpp")
    (made,) = executables(folder, sources)
    assert made.units == (other / "main.cpp", other / "util" / "u.cpp", folder / "k.cpp")
    assert other in made.include_dirs
    # A program with a main of its own borrows nothing.
    (folder / "k.cpp").write_text("int main() { return 0; }")
    (made,) = executables(folder, sources)
    assert made.units == (folder / "k.cpp",)


def test_a_program_is_read_once_for_each_command_line(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser, loader: Any
) -> None:
    rows = [
        measured(),
        measured(kernel="vector_add(int)"),
        measured(kernel="saxpy(int)", args=("8",), grid=(2, 1, 1)),
    ]
    results = judged(rows, inputs, analyser)
    assert [result.row for result in results] == rows
    assert [argv for _, _, argv in loader.loaded] == [("1000",), ("8",)]
    assert loader.told == [[row.kernel for row in rows]] * 2
    files, settings, _ = loader.loaded[1]
    assert files == ("main.cu",)
    folder = inputs.sources / "saxpy-cuda"
    assert settings == Settings(
        clock="base",
        args=("8",),
        include_dirs=(folder, folder / "util", inputs.sources / "include"),
    )
    assert loader.programs[0].asked == [
        ("saxpy(int, float *)", (4, 1, 1), (256, 1, 1)),
        ("vector_add(int)", (4, 1, 1), (256, 1, 1)),
    ]
    assert loader.programs[1].asked == [("saxpy(int)", (2, 1, 1), (256, 1, 1))]


def test_source_only_withholds_arguments_and_dimensions(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser, loader: Any
) -> None:
    rows = [measured(), measured(kernel="vector_add(int)", args=("8",))]
    judged(rows, replace(inputs, source_only=True), analyser)
    ((_, settings, argv),) = loader.loaded
    assert argv is None
    assert settings.args is None
    assert [(grid, block) for _, grid, block in loader.programs[0].asked] == [(None, None)] * 2


def test_classes_are_by_dram_as_the_data_set_has_them(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    rows = [measured(kernel="zero_copy(int)", label=Verdict.COMPUTE_BOUND)]
    (found,) = judged(rows, inputs, analyser)
    assert found.correct
    assert found.prediction is not None
    assert (found.prediction.verdict, found.prediction.confidence) == (found.row.label, 0.7)


def test_what_goes_wrong_with_a_kernel_is_its_failure_alone(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    names = ["crashes(int)", "refuses(int)", "undecided(int)", "sakspy(int)", "saxpy(int)"]
    results = judged([measured(kernel=name) for name in names], inputs, analyser)
    crashed, refused, undecided, unknown, fine = results
    assert crashed.failure is not None
    assert crashed.failure.startswith("ZeroDivisionError: division by zero (conftest.py:")
    assert refused.failure == "a reason to show"
    assert undecided.failure == "read, but left undecided"
    assert undecided.prediction is not None
    assert unknown.failure == "'sakspy' is not among the 2 kernels found; the nearest is 'saxpy'"
    assert (fine.failure, fine.verdict, fine.correct) == (None, Verdict.BANDWIDTH_BOUND, True)
    assert [result.correct for result in results] == [False, False, False, False, True]


def test_a_kernel_found_by_name_but_not_by_signature_is_told_apart(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    (result,) = judged([measured(kernel="ns::vector_add<int>(int)")], inputs, analyser)
    assert result.failure == "'vector_add' was found, but no overload or specialisation matches"


def test_missing_and_empty_folders_are_told(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    (missing,) = judged([measured(program="gone-cuda")], inputs, analyser)
    assert missing.failure == f"there is no folder {inputs.sources / 'gone-cuda'}"
    (empty,) = judged([measured(program="empty-cuda")], inputs, analyser)
    assert empty.failure == f"no source file in {inputs.sources / 'empty-cuda'}"


def test_details_are_kept_when_asked_for(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser, details: LaunchExplanation
) -> None:
    rows = [measured(), measured(kernel="crashes(int)")]
    plain, _ = judged(rows, inputs, analyser)
    shown, failed = judged(rows, replace(inputs, details=True), analyser)
    assert plain.details is None
    assert shown.details == details
    assert shown.prediction == plain.prediction
    assert failed.details is None


def test_a_program_that_fails_dies_or_hangs_costs_its_own_kernels_alone(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    folder = inputs.sources
    rows = []
    for fate in ("raise", "die", "exit", "hang", "fine"):
        (folder / fate).mkdir()
        (folder / fate / "main.cu").touch()
        rows.append(measured(program=fate, args=(fate,)))
    rows.append(measured(program="raise", kernel="vector_add(int)", args=("raise",)))
    done = dict(judge_programs(rows, inputs, analyser=analyser, jobs=2, limit_s=2.0))
    assert {program: len(results) for program, results in done.items()} == {
        "raise": 2,
        "die": 1,
        "exit": 1,
        "hang": 1,
        "fine": 1,
    }
    for result in done["raise"]:
        assert result.failure is not None
        assert result.failure.startswith("ValueError: cannot load (conftest.py:")
    assert done["die"][0].failure == "the process ended by itself (SIGKILL)"
    assert done["exit"][0].failure == "the process ended by itself (exit status 3)"
    assert done["hang"][0].failure == "no result within 2 s"
    assert done["fine"][0].correct


def test_a_process_judges_one_program_after_the_other(
    measured: Make, inputs: Inputs, analyser: ProgramAnalyser
) -> None:
    rows = []
    for number in range(5):
        (inputs.sources / f"p{number}").mkdir()
        (inputs.sources / f"p{number}" / "main.cu").touch()
        rows.append(measured(program=f"p{number}", args=("tell",)))
    done = dict(judge_programs(rows, inputs, analyser=analyser, jobs=2, limit_s=30.0))
    assert len(done) == 5
    processes = {result.failure for results in done.values() for result in results}
    assert len(processes) == 2
    assert all(told is not None and "in process" in told for told in processes)


def test_programs_read_data_of_one_another(measured: Make, tmp_path: Path) -> None:
    source = """#include <cstdio>
    __global__ void k(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
    int main(int argc, char **argv) { int n; float *p; FILE *f = fopen(argv[1], "r");
      fscanf(f, "%d", &n); cudaMalloc(&p, n * 4); k<<<n / 256, 256>>>(p); }"""
    for name in ("one-cuda", "other-cuda"):
        (tmp_path / name).mkdir()
    (tmp_path / "one-cuda" / "main.cu").write_text(source)
    (tmp_path / "other-cuda" / "size.txt").write_text("51200\n")
    row = measured(
        program="one-cuda", kernel="k(float *)", args=("../other-cuda/size.txt",), grid=(200, 1, 1)
    )
    inputs = Inputs(tmp_path, Settings(gpu="A100"))
    (judged,) = judge_program([row], inputs=inputs, analyser=ProgramAnalyser.real())
    assert judged.prediction is not None
    assert judged.prediction.sp_flops == 51200
    assert not judged.prediction.unknowns
