"""A kernel taken apart, step by step, with the numbers of each."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from roofline_analysis.api.explain.host_records import HowKnown, SourcePlace
from roofline_analysis.api.explain.kernel_records import AccessFacts
from roofline_analysis.api.explain.records import Explanation, LaunchExplanation
from roofline_analysis.api.explain_file import Question, explain_file
from roofline_analysis.api.kernel_choice import NoSuchKernelError
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.regions.kernel_summary import RegionForm
from roofline_analysis.regions.unknowns import UnknownKind
from roofline_analysis.verdict.prediction import Verdict
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings, VerdictRuleName

SOURCE = """\
#include <cstdio>
#include <cstdlib>
__global__ void smooth(int n, int iters, const int *at, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 0.0f;
    for (int k = 0; k < iters; k++) s = s * 0.5f + x[i];
    y[i] = s + x[at[i]];
  }
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int iters;
  FILE *f = fopen("sizes.txt", "r");
  fscanf(f, "%d", &iters);
  float *x, *y;
  int *at;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&at, n * sizeof(int));
  smooth<<<(n + 255) / 256, 256>>>(n, iters, at, x, y);
  for (int k = 0; k < 10; k++)
    smooth<<<1, 64>>>(64, 1, at, x, y);
}
"""
MAIN = Path("/p/main.cu")
NAME = "smooth(int, int, const int *, const float *, float *)"

TWO = """\
namespace one { __global__ void copy(int n, float *x) { x[threadIdx.x] = n; } }
namespace two { __global__ void copy(int n, double *x) { x[threadIdx.x] = n; } }
template <class T> __global__ void fill(T *x) { x[blockIdx.x * 32 + threadIdx.x] = 1; }
void run(float *x, double *y) {
  one::copy<<<1, 32>>>(1, x);
  fill<<<4, 32>>>(y);
}
"""

BRANCHES = """\
__global__ void pick(const int *at, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (at[i] > 3) {
    float s = x[i];
    for (int k = 0; k < 4096; k++) s = s * s + 0.5f;
    y[i] = s;
  }
}
void run(const int *at, const float *x, float *y) { pick<<<4096, 256>>>(at, x, y); }
"""


def program(source: str, *args: str, rule: VerdictRuleName = "compulsory") -> ProgramAnalysis:
    return ProgramAnalysis.load(
        [MAIN],
        Settings(args=args or None, rule=rule),
        argv=args or None,
        reader=lambda p: source.encode() if p == MAIN else None,
    )


def explain(source: str, *args: str, question: Question | None = None) -> Explanation:
    return explain_file(program(source, *args), MAIN, question or Question())


def smooth(*args: str, launch: int | None = None) -> LaunchExplanation:
    (kernel,) = explain(SOURCE, *args, question=Question(launch=launch)).kernels
    return kernel.explained


def accesses(explained: LaunchExplanation) -> dict[tuple[str, str, int], AccessFacts]:
    return {
        (array.name, access.mode.value, access.line): access
        for array in explained.arrays
        for access in array.accesses
    }


# -- step 1


def test_values_tell_how_they_were_found() -> None:
    n, iters = smooth("1000000").values
    assert (n.name, n.number, n.how, n.assumed) == ("n", 1e6, HowKnown.ARGV, ())
    assert n.origins == (SourcePlace("argv[1]", MAIN, 12),)
    assert n.origin == "argv[1] at main.cu:12"
    assert iters.how is HowKnown.ASSUMED
    assert [unknown.name for unknown in iters.assumed] == ["iters"]


def test_values_without_a_command_line_are_assumed_with_their_formula() -> None:
    source = SOURCE.replace("int n = atoi(argv[1])", "int n = 2 * atoi(argv[1]) + 1")
    (kernel,) = explain(source).kernels
    n = kernel.explained.values[0]
    assert (n.formula, n.how) == ("2*argv[1] + 1", HowKnown.ASSUMED)
    (unknown,) = n.assumed
    assert unknown.assumed is not None
    assert n.number == 2 * unknown.assumed + 1


def test_a_default_of_the_program_is_no_guess() -> None:
    source = SOURCE.replace("atoi(argv[1])", "argc > 1 ? atoi(argv[1]) : 4096")
    (kernel,) = explain(source).kernels
    n = kernel.explained.values[0]
    assert (n.number, n.how, n.formula) == (4096, HowKnown.DEFAULT, "argc > 1 ? argv[1] : 4096")


def test_literals_and_members_of_objects_are_values_too() -> None:
    source = (
        "struct Shape { int rows; int columns; };\n"
        "__global__ void fill(Shape s, float *y) {\n"
        "  for (int r = 0; r < s.rows; r++) y[r * s.columns] = 0; }\n"
        "void run(float *y) { Shape s; s.rows = 3; s.columns = 5; fill<<<1, 32>>>(s, y); }\n"
    )
    (kernel,) = explain(source).kernels
    found = {value.name: (value.number, value.how) for value in kernel.explained.values}
    assert found == {"s.rows": (3, HowKnown.LITERAL), "s.columns": (5, HowKnown.LITERAL)}


# -- step 2


def test_the_launch_stands_with_formulas_and_sizes() -> None:
    launch = smooth("1000000").launch
    assert (launch.path, launch.line, launch.launches, launch.certain) == (MAIN, 21, 2, True)
    assert [dim.number for dim in launch.grid] == [3907, 1, 1]
    assert launch.grid[0].formula is None
    assert launch.threads == 3907 * 256
    assert [(b.name, b.size_bytes) for b in launch.buffers] == [("at", 4e6), ("x", 4e6), ("y", 4e6)]
    assert launch.buffers[0].type == "const int *"
    assert launch.buffers[0].origins == (SourcePlace("cudaMalloc", MAIN, 20),)
    assert launch.repeat.number == 1


def test_open_sizes_are_told_in_terms_of_the_parameters() -> None:
    launch = smooth().launch
    assert launch.grid[0].formula == "(n + 255) / 256"
    assert [buffer.size_formula for buffer in launch.buffers] == ["4*n"] * 3
    assert launch.grid[0].how is HowKnown.ASSUMED
    assert launch.grid[1].how is not HowKnown.ASSUMED


def test_another_launch_can_be_explained() -> None:
    (kernel,) = explain(SOURCE, "1000000", question=Question(launch=2)).kernels
    assert (kernel.launch_number, kernel.explained.launch.line) == (2, 23)
    assert [value.number for value in kernel.explained.values] == [64, 1]
    assert kernel.explained.launch.repeat.number == 10
    assert [(each.number, each.line, each.repeat) for each in kernel.launches] == [
        (1, 21, 1),
        (2, 23, 10),
    ]
    second = kernel.launches[1]
    assert second.time_ns is not None
    assert second.total_ns == 10 * second.time_ns
    with pytest.raises(NoSuchKernelError, match="no launch 3 of 'smooth'; the launches are 1 to 2"):
        explain(SOURCE, question=Question(launch=3))


def test_a_kernel_without_a_launch_has_assumed_dimensions() -> None:
    source = SOURCE[: SOURCE.index("int main")]
    (kernel,) = explain(source).kernels
    launch = kernel.explained.launch
    assert (kernel.launch_number, kernel.launches, launch.path) == (None, (), None)
    assert {dim.how for dim in (*launch.grid, *launch.block)} == {HowKnown.ASSUMED}
    names = {each.name for each in kernel.explained.assumptions}
    assert {"grid size", "block size", "iters"} <= names


def test_template_arguments_are_told() -> None:
    fill = explain(TWO).kernels[2]
    (argument,) = fill.explained.launch.template_arguments
    assert (argument.name, argument.value) == ("T", "double")


# -- step 3


def test_regions_tell_runs_and_what_decides_them() -> None:
    kernel, guard, entry, loop = smooth("1000000").regions
    assert [region.depth for region in (kernel, guard, entry, loop)] == [0, 1, 2, 2]
    assert (kernel.form, kernel.runs) == (RegionForm.KERNEL, 3907 * 256)
    assert (guard.form, guard.line, guard.estimated) == (RegionForm.GUARD, 5, False)
    assert guard.runs == pytest.approx(1e6)
    assert guard.formula == "blockIdx.x*blockDim.x + threadIdx.x < n"
    assert (entry.role, entry.line, entry.formula) == ("enters", 7, "iters > 0")
    assert (loop.form, loop.line, loop.formula) == (RegionForm.LOOP, 7, "max(iters, 0)")
    assert loop.operations.of(Precision.SP) == 2 * loop.runs
    assert loop.runs == pytest.approx(1e6 * loop.trips)


def test_what_data_decides_is_marked_with_its_reason() -> None:
    (kernel,) = explain(BRANCHES).kernels
    _, guard, loop = kernel.explained.regions
    assert guard.estimated
    assert "data" in guard.why
    assert (loop.estimated, loop.trips) == (False, 4096)
    assert guard.runs == pytest.approx(4096 * 256 * guard.share)


# -- step 4


def test_accesses_tell_addresses_coalescing_and_bytes() -> None:
    explained = smooth("1000000")
    found = accesses(explained)
    store = found["y", "write", 8]
    assert store.offset == "4*(blockIdx.x*blockDim.x + threadIdx.x)"
    assert store.size_bytes == 4
    assert store.executions == pytest.approx(1e6)
    assert store.sectors_per_request == store.least_sectors_per_request
    assert store.footprint_bytes == pytest.approx(4e6, rel=1e-3)
    arrays = {array.name: array for array in explained.arrays}
    assert (arrays["x"].size_bytes, arrays["x"].first_read_bytes) == (4e6, 4e6)
    assert arrays["y"].write_bytes == arrays["y"].written_bytes == 4e6
    assert store.dram_write_bytes == arrays["y"].write_bytes


def test_by_the_study_s_rule_writes_that_l2_keeps_do_not_count() -> None:
    (kernel,) = explain_file(program(SOURCE, "1000000", rule="study"), MAIN, Question()).kernels
    by_study, facts = kernel.explained, smooth("1000000").verdict_facts
    arrays = {array.name: array for array in by_study.arrays}
    assert 0 < arrays["y"].write_bytes < arrays["y"].written_bytes == 4e6
    assert by_study.verdict_facts.dram_write_bytes == pytest.approx(arrays["y"].write_bytes)
    assert (by_study.verdict_facts.kept_bytes, by_study.verdict_facts.study_verdict) == (0, None)
    assert facts.dram_write_bytes == pytest.approx(4e6)
    assert facts.kept_bytes == pytest.approx(4e6 - arrays["y"].write_bytes)
    assert facts.study_verdict is by_study.verdict_facts.verdict


def test_an_access_by_data_names_the_number_it_rests_on() -> None:
    found = accesses(smooth("1000000"))
    index, gathered = found["at", "read", 8], found["x", "read", 8]
    assert index.loads is not None
    assert gathered.offset == f"4*{index.loads}"
    assert (gathered.pattern, gathered.footprint_bytes) == ("data-dependent", None)


def test_shared_memory_has_clocks_and_no_sectors() -> None:
    source = (
        "__global__ void turn(float *y) { __shared__ float t[32][32];\n"
        "  t[threadIdx.x][threadIdx.y] = y[threadIdx.x]; __syncthreads();\n"
        "  y[threadIdx.x] = t[threadIdx.y][threadIdx.x]; }\n"
        "void run(float *y) { turn<<<1, dim3(32, 32)>>>(y); }\n"
    )
    (kernel,) = explain(source).kernels
    found = accesses(kernel.explained)
    write, read = found["t", "write", 2], found["t", "read", 3]
    assert (write.clocks_per_request, read.clocks_per_request) == (32, 1)
    assert (write.sectors_per_request, write.dram_write_bytes) == (None, 0)
    assert kernel.explained.launch.static_shared_bytes == 4096


def test_bytes_of_accesses_add_up_to_those_of_the_launch() -> None:
    explained = smooth("1000000")
    facts = explained.verdict_facts
    read = sum(access.dram_read_bytes for access in accesses(explained).values())
    written = sum(access.dram_write_bytes for access in accesses(explained).values())
    assert read + facts.other_read_bytes == pytest.approx(facts.dram_read_bytes)
    assert written == pytest.approx(facts.dram_write_bytes)


# -- step 5


def test_lines_tell_their_operations_and_text() -> None:
    explained = smooth("1000000")
    lines = {line.line: line for line in explained.lines}
    loop = explained.regions[3]
    assert lines[7].operations.sp_flops == 2 * loop.runs
    assert lines[7].source == "for (int k = 0; k < iters; k++) s = s * 0.5f + x[i];"
    assert lines[8].operations.sp_flops == pytest.approx(1e6)
    total = sum(line.operations.sp_flops for line in explained.lines)
    (intensity,) = (
        each for each in explained.verdict_facts.intensities if each.precision is Precision.SP
    )
    assert intensity.operations == pytest.approx(total)


# -- steps 6 and 7


def test_the_time_is_the_norm_of_its_terms() -> None:
    time = smooth("1000000").time
    terms = {term.name: term.time_ns for term in time.terms}
    launch = terms.pop("launch")
    exponent = time.overlap_exponent
    norm = sum(term**exponent for term in terms.values()) ** (1 / exponent)
    assert time.time_ns == pytest.approx(norm + launch)
    assert (time.blocks, time.blocks_per_sm, time.occupancy) == (3907, 6, 1.0)
    assert time.waves == pytest.approx(3907 / (6 * 68))


def test_the_verdict_follows_from_intensities_and_ridges() -> None:
    facts = smooth("1000000").verdict_facts
    moved = facts.dram_read_bytes + facts.dram_write_bytes
    for each in facts.intensities:
        assert each.ops_per_byte == pytest.approx(each.operations / moved)
        assert each.ridge_ops_per_byte is not None
        above = each.ops_per_byte > each.ridge_ops_per_byte
        assert each.verdict is (Verdict.COMPUTE_BOUND if above else Verdict.BANDWIDTH_BOUND)
    assert {each.precision for each in facts.intensities if each.decides} == {
        Precision.SP,
        Precision.INT,
    }


def test_confidence_features_add_up_to_the_confidence() -> None:
    for args in ((), ("1000000",)):
        facts = smooth(*args).verdict_facts
        log_odds = sum(each.log_odds for each in facts.confidence_features)
        sure = 1 / (1 + 2.718281828459045**-log_odds)
        assert facts.confidence == pytest.approx(min(0.99, max(0.5, sure)))


# -- step 8


def test_other_numbers_of_the_host_are_tried_with_what_follows_from_them() -> None:
    source = (
        "#include <cstdlib>\n"
        "__global__ void copy(int n, const float *x, float *y) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = x[i]; }\n"
        "int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 1 << 24;\n"
        "  float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n"
        "  copy<<<(n + 255) / 256, 256>>>(n, x, y); }\n"
    )
    (kernel,) = explain(source).kernels
    (assumption,) = kernel.explained.assumptions
    assert (assumption.name, assumption.value) == ("n", 1 << 24)
    assert (assumption.kind, assumption.line) == (UnknownKind.HOST, 5)
    half, double = assumption.alternatives
    assert (half.value, double.value) == (1 << 23, 1 << 25)
    assert half.dram_bytes == pytest.approx(8 * (1 << 23), rel=1e-3)
    assert double.dram_bytes == pytest.approx(8 * (1 << 25), rel=1e-3)
    assert half.verdict is double.verdict is Verdict.BANDWIDTH_BOUND
    assert not assumption.changes_class


def test_sizes_that_other_arguments_give_stay_as_they_are() -> None:
    source = (
        "#include <cstdlib>\n"
        "__global__ void copy(int n, int m, const float *x, const int *at, float *y) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[at[i] % m]; }\n"
        "int main(int argc, char **argv) { int n = argc > 1 ? atoi(argv[1]) : 1 << 20;\n"
        "  int m = argc > 2 ? atoi(argv[2]) : 8; float *x, *y; int *at;\n"
        "  cudaMalloc(&x, n * m * 4); cudaMalloc(&at, n * 4); cudaMalloc(&y, n * 4);\n"
        "  copy<<<(n + 255) / 256, 256>>>(n, 3, x, at, y); }\n"
    )
    (kernel,) = explain(source).kernels
    facts = kernel.explained.verdict_facts
    now = facts.dram_read_bytes + facts.dram_write_bytes
    (rows,) = (each for each in kernel.explained.assumptions if each.name == "n")
    half, double = (each.dram_bytes for each in rows.alternatives)
    assert half is not None
    assert double is not None
    assert half < now < double < 2.5 * now


def test_estimated_branches_are_scaled_with_all_in_them() -> None:
    (kernel,) = explain(BRANCHES).kernels
    explained = kernel.explained
    (branch,) = (a for a in explained.assumptions if a.kind is UnknownKind.BRANCH)
    share = explained.regions[1].share
    assert (branch.name, branch.value) == ("branch at line 3", share)
    half = branch.alternatives[0]
    assert half.value == share / 2
    assert half.time_ns is not None
    assert half.time_ns < explained.time.time_ns
    assert all(each.value <= 1.0 for each in branch.alternatives)


def test_estimated_trips_can_be_what_the_class_rests_on() -> None:
    source = (
        "__global__ void walk(const int *next, float *y) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = i;\n"
        "  for (int k = 0; k < next[i]; k++) s = s * s + 0.5f;\n"
        "  y[i] = s; }\n"
        "void run(const int *n, float *y) { walk<<<65536, 256>>>(n, y); }\n"
    )
    explained = explain(source).kernels[0].explained
    (trips,) = (a for a in explained.assumptions if a.kind is UnknownKind.TRIPS)
    loop = explained.regions[1]
    half, double = trips.alternatives
    assert (trips.value, half.value, double.value) == (loop.trips, loop.trips / 2, loop.trips * 2)
    assert half.dram_bytes == pytest.approx(double.dram_bytes)
    assert half.time_ns is not None
    assert double.time_ns is not None
    assert half.time_ns < explained.time.time_ns < double.time_ns


def test_the_sides_of_a_branch_change_together() -> None:
    """What fewer threads compute on one side more compute on the other."""
    source = BRANCHES.replace(
        "    y[i] = s;\n  }",
        "    y[i] = s;\n  } else {\n    float s = x[i];\n"
        "    for (int k = 0; k < 4096; k++) s = s * s + 0.5f;\n    y[i] = s;\n  }",
    )
    explained = explain(source).kernels[0].explained
    (branch,) = (a for a in explained.assumptions if a.kind is UnknownKind.BRANCH)
    half = branch.alternatives[0]
    assert half.time_ns == pytest.approx(explained.time.time_ns, rel=0.35)


def test_shares_of_several_branches_of_a_line_stay_shares() -> None:
    """What draws of normal numbers compute depends on the state: 0.25 and 0.75 on one line."""
    source = (
        "#include <curand_kernel.h>\n"
        "__global__ void draws(curandState *states, double *y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  curandState state = states[i];\n"
        "  for (int t = 0; t < n; t++)\n"
        "    y[i + t * 1048576] = curand_normal(&state) * curand_normal_double(&state);\n"
        "}\n"
        "void run(curandState *s, double *y) { draws<<<4096, 256>>>(s, y, 10); }\n"
    )
    explained = explain(source).kernels[0].explained
    (branch,) = (a for a in explained.assumptions if a.kind is UnknownKind.BRANCH)
    assert (branch.value, [each.value for each in branch.alternatives]) == (0.25, [0.125, 0.5])
    half, double = (each.time_ns for each in branch.alternatives)
    now = explained.time.time_ns
    assert half is not None
    assert double is not None
    assert 0.5 * now < half < 2.0 * now
    assert 0.5 * now < double < 2.0 * now


def test_a_number_of_the_host_that_is_called_as_the_parameter_is_told_once() -> None:
    names = [each.name for each in smooth("1000000").assumptions if each.kind is UnknownKind.HOST]
    assert names == ["iters"]


def test_nothing_is_tried_where_none_is_asked_for() -> None:
    found = explain(BRANCHES, question=Question(tried=0)).kernels[0].explained
    (branch,) = found.assumptions
    assert branch.alternatives == ()


def test_what_changes_the_class_stands_first() -> None:
    assumptions = smooth().assumptions
    changes = [
        any(one.verdict is not smooth().verdict_facts.verdict for one in each.alternatives)
        for each in assumptions
    ]
    assert changes == sorted(changes, reverse=True)


# -- what is meant


def test_kernels_are_meant_by_names_parts_of_names_and_lines() -> None:
    def names(kernel: str | None = None, line: int | None = None) -> list[str]:
        found = explain(TWO, question=Question(kernel, line))
        return [each.name for each in found.kernels]

    assert names() == ["one::copy(int, float *)", "two::copy(int, double *)", "fill<T>(T *)"]
    assert names("one::copy") == ["one::copy(int, float *)"]
    assert names("fil") == ["fill<T>(T *)"]
    assert names("double *)") == ["two::copy(int, double *)"]
    assert names("void fill<double>(double*)") == ["fill<T>(T *)"]
    assert names(line=2) == ["two::copy(int, double *)"]


def test_a_name_that_fits_several_kernels_lists_them() -> None:
    with pytest.raises(NoSuchKernelError) as raised:
        explain(TWO, question=Question("copy"))
    text = str(raised.value)
    assert "'copy' fits 2 kernels" in text
    assert "one::copy(int, float *) at line 1, two::copy(int, double *) at line 2" in text


def test_a_name_that_no_kernel_has_lists_what_there_is() -> None:
    with pytest.raises(NoSuchKernelError) as raised:
        explain(SOURCE, question=Question("blur"))
    assert str(raised.value) == (
        f"{MAIN}: no kernel has 'blur' in its name; the file has {NAME} at line 3"
    )
    with pytest.raises(NoSuchKernelError, match="no kernel is defined in this file"):
        explain("int main() { return 0; }\n")


def test_a_line_confines_accesses_and_operations() -> None:
    found = explain(SOURCE, "1000000", question=Question(line=8))
    explained = found.kernels[0].explained
    assert found.only_line == 8
    assert {access.line for access in accesses(explained).values()} == {8}
    assert sorted(array.name for array in explained.arrays) == ["at", "x", "y"]
    assert [line.line for line in explained.lines] == [8]
    assert len(explained.regions) == 4
    with pytest.raises(NoSuchKernelError, match=r"main\.cu:10: .*lines with some are 5, 7, 8"):
        explain(SOURCE, "1000000", question=Question(line=10))


# -- for front ends


def test_a_profiled_launch_is_taken_apart_without_alternatives() -> None:
    found = program(SOURCE, "1000000").details(NAME, grid=(1, 1, 1), block=(64, 1, 1))
    assert found is not None
    assert (found.launch.line, found.launch.threads) == (23, 64)
    assert all(not each.alternatives for each in found.assumptions)
    assert program(SOURCE).details("other(int)") is None


def test_explanations_travel_between_processes() -> None:
    found = explain(SOURCE)
    assert pickle.loads(pickle.dumps(found)) == found


def test_problems_of_the_host_program_are_told() -> None:
    source = "void run(int k, void (*f)(int)) { f<<<1, 32>>>(k); }\n" + TWO
    messages = [problem.message for problem in explain(source).problems]
    assert any("which kernel 'f' is was not found" in message for message in messages)
