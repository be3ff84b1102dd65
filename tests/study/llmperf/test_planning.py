from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from roofline_study.llmperf.arguments import BufferArgument, Method
from roofline_study.llmperf.corpus import (
    BuildVariant,
    CorpusError,
    KernelFile,
    kernel_files,
    read_variants,
)
from roofline_study.llmperf.kernels import KernelClass, PlannedKernel, Refused, distinct
from roofline_study.llmperf.records import Results, ResultsError, read_plan, write_plan
from roofline_study.llmperf.regimes import Regime
from roofline_study.llmperf.sampling import Strategy
from tests.study.llmperf.conftest import SAMPLES, Plan

COPY = "__kernel void copy(__global float *x, __global float *y)"
BODY = "{ int i = get_global_id(0); y[i] = x[i]; }"
SUMS = """__kernel void k(__global float *x, int n)
{ float s = 0; for (int k = 0; k < n; k++) s += x[k]; x[get_global_id(1)] = s; }"""
SHARES = """__kernel void k(__global float *x)
{
    __local float t[256];
    int l = get_local_id(0);
    t[l] = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = t[0];
}"""
SCATTERS = """__kernel void k(__global float *x, __global int *p)
{ x[p[get_global_id(2)]] = get_global_id(0); }"""


def test_a_kernel_is_planned_in_all_regimes_and_by_both_methods(plan: Plan) -> None:
    (kernel,) = plan(COPY + BODY, replace(SAMPLES, most_items=1 << 16))
    assert isinstance(kernel, PlannedKernel)
    analysed = [e for e in kernel.launches if Strategy.IQR in e.strategies]
    assert {each.regime for each in analysed} == set(Regime)
    assert {each.method for each in kernel.launches} == set(Method)
    assert len({each.key for each in kernel.launches}) == len(kernel.launches) <= 7
    for launch in kernel.launches:
        items = launch.configuration.items
        assert launch.features["sizes.items"] == items
        assert launch.features["model.adjacent accesses"] == 2 * items
        assert launch.features["arguments.bytes"] == 8 * items
        assert launch.static_ns is not None


@pytest.mark.parametrize(
    ("text", "expected", "dimensions"),
    [
        (COPY + BODY, KernelClass.STRAIGHT, 1),
        (
            SUMS,
            KernelClass.LOOPS,
            2,
        ),
        (
            SHARES,
            KernelClass.LOCAL,
            1,
        ),
        (
            SCATTERS,
            KernelClass.DATA,
            3,
        ),
    ],
)
def test_classes_and_dimensions(
    plan: Plan, text: str, expected: KernelClass, dimensions: int
) -> None:
    (kernel,) = plan(text)
    assert isinstance(kernel, PlannedKernel)
    assert (kernel.kernel_class, kernel.dimensions) == (expected, dimensions)


def test_a_required_group_size_is_kept(plan: Plan) -> None:
    (kernel,) = plan("__attribute__((reqd_work_group_size(48, 1, 1))) " + COPY + BODY)
    assert isinstance(kernel, PlannedKernel)
    assert {each.configuration.local_size for each in kernel.launches} == {(48, 1, 1)}


def test_launches_that_need_too_much_memory_are_left_out_and_counted(plan: Plan) -> None:
    (refused,) = plan(COPY + BODY, replace(SAMPLES, most_bytes=8))
    assert isinstance(refused, Refused)
    assert "larger than the most bytes" in refused.reason


def test_a_file_costs_itself_alone(plan: Plan) -> None:
    (refused,) = plan("int nothing;")
    assert isinstance(refused, Refused)
    assert "--variants" in refused.reason
    found = plan(COPY + BODY + "\n__kernel void bad(image2d_t x) {}")
    assert [type(each) for each in found] == [PlannedKernel, Refused]


def test_equal_kernels_are_planned_once_and_types_tell_them_apart(plan: Plan) -> None:
    one, other = plan(COPY + BODY), plan("// again\n" + COPY + BODY)
    typed = "typedef {} real; __kernel void copy(__global real *x, __global real *y)" + BODY
    single, double = (plan(typed.replace("{}", each, 1)) for each in ("float", "double"))
    assert len(distinct([*one, *other])) == 1
    assert len(distinct([*single, *double])) == 2


def test_a_plan_comes_back_as_it_was(plan: Plan, tmp_path: Path) -> None:
    made = plan(COPY + BODY + "\n__kernel void bad(image2d_t x) {}")
    results = Results(tmp_path)
    write_plan(results.plan, made)
    kernels, refused = read_plan(results.plan)
    assert [*kernels, *refused] == made
    assert any(isinstance(each, BufferArgument) for each in kernels[0].launches[0].arguments)


def test_a_plan_that_is_missing_or_broken_is_told(tmp_path: Path) -> None:
    results = Results(tmp_path)
    with pytest.raises(ResultsError, match="llmperf run"):
        read_plan(results.plan)
    results.plan.write_text('{"key": 3}\n')
    with pytest.raises(ResultsError, match="not a plan"):
        read_plan(results.plan)


def test_files_and_their_variants(tmp_path: Path) -> None:
    for name in ("a/one.cl", "a/two.cl", "b/three.cl", "b/readme.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    variants = (
        BuildVariant("a/one.cl", ("REAL=float",)),
        BuildVariant("a/one.cl", ("REAL=double",), include=("b",)),
        BuildVariant("b/*", skip="not ours"),
    )
    found = kernel_files([tmp_path], variants)
    assert [(each.path.name, each.defines) for each in found] == [
        ("one.cl", ("REAL=float",)),
        ("one.cl", ("REAL=double",)),
        ("two.cl", ()),
    ]
    assert found[1].include_dirs == (tmp_path / "a", tmp_path / "b")
    assert kernel_files([tmp_path], only=["b/*"])[0].path.name == "three.cl"
    with pytest.raises(CorpusError, match="no OpenCL file"):
        kernel_files([tmp_path], only=["c/*"])
    with pytest.raises(CorpusError, match="does not exist"):
        kernel_files([tmp_path / "c"])


def test_a_link_that_leads_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.cl").write_text("")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "link.cl").symlink_to(tmp_path / "secret.cl")
    with pytest.raises(CorpusError, match="no OpenCL file"):
        kernel_files([tree])


def test_variants_are_read_and_their_faults_named(tmp_path: Path) -> None:
    path = tmp_path / "variants.toml"
    path.write_text(
        '["a.cl"]\nkernels = ["k*"]\n[["b.cl"]]\ndefines = ["A"]\n[["b.cl"]]\ndefines = ["B=2"]\n'
    )
    assert read_variants(path) == (
        BuildVariant("a.cl", kernels=("k*",)),
        BuildVariant("b.cl", ("A",)),
        BuildVariant("b.cl", ("B=2",)),
    )
    for text, message in (
        ("nonsense", "not valid TOML"),
        ('["a"]\nmacros = 1\n', "must be a table of defines"),
        ('["a"]\ndefines = "A"\n', "'defines' must be a list"),
        ('["a"]\ndefines = ["A B"]\n', "without blanks"),
        ('["a"]\nskip = 1\n', "'skip' must be"),
    ):
        path.write_text(text)
        with pytest.raises(CorpusError, match=message):
            read_variants(path)
    with pytest.raises(CorpusError, match="cannot be read"):
        read_variants(tmp_path / "none.toml")


def test_kernels_of_a_file_may_be_chosen(tmp_path: Path) -> None:
    file = KernelFile(tmp_path, tmp_path / "a.cl", kernels=("x*",))
    assert file.has("xy")
    assert not file.has("y")
