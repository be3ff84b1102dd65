"""Huge texts are read in part, and the report says from which line on they are not."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

import pytest

from roofline_analysis.api import AnalysisCache, entry, findings, program
from roofline_analysis.device import summary
from roofline_analysis.regions.kernel_summary import KernelSummary
from roofline_analysis.report.report import FileReport
from roofline_analysis.rules import subject
from roofline_core.program.units import Function
from roofline_core.settings import Settings
from roofline_lsp import analyze
from roofline_parsers.cuda import grammar, recovery, scan, statements
from roofline_parsers.cuda.pieces import Pieces
from roofline_parsers.opencl import embedded
from roofline_parsers.openmp import units
from roofline_parsers.preprocess import structure

from .texts import KERNEL, in_kernel, sizes


def report_of(text: str) -> FileReport:
    path = Path("/none/text.cu")
    return analyze(text.encode(), path, Settings(gpu="RTX 3080"), reader=lambda _: None)


def said(report: FileReport, words: str) -> list[int | None]:
    return [each.line for each in report.problems if words in each.message]


def test_bytes_beyond_the_limit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "MAX_SOURCE_BYTES", 1_000)
    lines = KERNEL.count("\n")
    report = report_of(KERNEL + "int filler;\n" * 100 + KERNEL.replace("plain", "late"))
    (line,) = said(report, "from here on it is not read")
    assert line is not None
    assert lines < line < lines + 100
    assert [kernel.base_name for kernel in report.kernels] == ["plain"]
    assert not said(report_of(KERNEL), "from here on")


def test_a_line_beyond_the_limit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "MAX_SOURCE_BYTES", 1_000)
    report = report_of(KERNEL + "int v[] = {" + "1," * 2_000 + "1};\n")
    assert said(report, "from here on it is not read") == [KERNEL.count("\n") + 1]
    assert [kernel.base_name for kernel in report.kernels] == ["plain"]


def test_directives_beyond_the_limit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "MAX_DIRECTIVES", 50)
    report = report_of(KERNEL + "#pragma once\n" * 51)
    assert said(report, "from here on it is not read") == [KERNEL.count("\n") + 51]


def test_the_parser_keeps_no_text_that_it_has_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"int x = 1;" * 1_000
    before = sys.getrefcount(text)
    tree = grammar.parse(text)
    assert tree.root_node.end_byte == len(text)
    monkeypatch.setattr(grammar, "MAX_STEPS", 4)
    with pytest.raises(grammar.ParseBudgetError):
        grammar.parse(text)
    assert sys.getrefcount(text) == before


def test_the_parser_stops_after_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "MAX_STEPS", 40)
    report = report_of(KERNEL + "int f(int a) { return a * (a + 2); }\n" * 400)
    (line,) = said(report, "too much code for one file")
    assert line is not None
    assert KERNEL.count("\n") < line < 400
    assert [kernel.base_name for kernel in report.kernels] == ["plain"]


def test_pieces_of_broken_code_have_a_budget_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the parser spends on pieces after errors does not grow with their number."""
    long = KERNEL.replace("plain", "long_one").replace("{", "{" + "n = n * 3 + 1;\n" * 400)
    broken = "void f(int a) { x = (a;\n" + long
    late = KERNEL.replace("plain", "late")
    words = "what its errors hide is not read from here on"
    report = report_of(broken + late)
    assert not said(report, words)
    assert [kernel.base_name for kernel in report.kernels] == ["long_one", "late"]
    monkeypatch.setattr(recovery, "_MOST_STEPS", 2)
    report = report_of(broken + late)
    assert said(report, words) == [broken[: broken.index("__global__")].count("\n") + 1]
    assert said(report, "a kernel starts here but could not be read")
    assert said(report, "a kernel starts here but could not be read")


def test_declarations_beyond_the_limit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MAX_DECLARATIONS", 10)
    report = report_of(KERNEL + "int a;\n" * 20 + KERNEL.replace("plain", "late"))
    assert said(report, "declarations: from here on none is read") == [KERNEL.count("\n") + 10]
    assert [kernel.base_name for kernel in report.kernels] == ["plain"]


def test_kernels_beyond_the_limit_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "_MAX_KERNELS", 2)
    names = ("a", "b", "c", "d")
    report = report_of("".join(KERNEL.replace("plain", name) for name in names))
    assert [kernel.base_name for kernel in report.kernels] == ["a", "b"]
    (message,) = [each.message for each in report.problems]
    assert message.startswith("4 kernels in one file: 2 from 'c' on are not judged")


def test_sizes_are_not_looked_for_in_many_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after an edit that adds or takes kernels."""
    text = "".join(KERNEL.replace("plain", name) for name in "ab") + (
        "int main(int argc, char **argv) { float *p; int n = atoi(argv[1]);\n"
        "a<<<n / 256, 256>>>(p, n); b<<<n / 256, 256>>>(p, n); }\n"
    )
    cache = AnalysisCache(keep_trees=True)

    def edited(source: str) -> FileReport:
        path, settings = Path("/none/text.cu"), Settings(gpu="RTX 3080")
        return analyze(source.encode(), path, settings, reader=lambda _: None, cache=cache)

    words = "more than 2 kernels in one file: the sizes at which classes change"
    monkeypatch.setattr(entry, "MOST_SIZED", 2)
    few = edited(text)
    assert [bool(kernel.size_ranges) for kernel in few.kernels] == [True, True]
    assert not said(few, words)
    many = edited(text + KERNEL)
    assert [bool(kernel.size_ranges) for kernel in many.kernels] == [False] * 3
    assert len(said(many, words)) == 1
    assert many == report_of(text + KERNEL)
    assert edited(text) == few == report_of(text)


def test_sizes_are_not_looked_for_after_many_accesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after an edit of the kernels before: the work is counted by what they have."""
    text = "".join(KERNEL.replace("plain", name) for name in "abc") + (
        "int main(int argc, char **argv) { float *p; int n = atoi(argv[1]);\n"
        "a<<<n / 256, 256>>>(p, n); b<<<n / 256, 256>>>(p, n); c<<<n / 256, 256>>>(p, n); }\n"
    )
    longer = text.replace("{", "{ x[n] = x[n + 1] + x[n + 2];", 1)
    cache = AnalysisCache(keep_trees=True)

    def edited(source: str) -> FileReport:
        path, settings = Path("/none/text.cu"), Settings(gpu="RTX 3080")
        return analyze(source.encode(), path, settings, reader=lambda _: None, cache=cache)

    words = (
        "more than 4 accesses to memory in the kernels of one file: from 'b' on the sizes at which"
        " classes change are not looked for (a limit on the work)"
    )
    monkeypatch.setattr(entry, "MOST_SIZED_ACCESSES", 4)
    assert [bool(kernel.size_ranges) for kernel in edited(text).kernels] == [True] * 3
    assert not said(edited(text), words)
    report = edited(longer)
    assert [bool(kernel.size_ranges) for kernel in report.kernels] == [True, False, False]
    assert said(report, words) == [report.kernels[1].name_span.line]
    assert report == report_of(longer)
    assert edited(text) == report_of(text)


def test_statements_beyond_the_limit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MAX_BODY_STATEMENTS", 6)
    body = "{ x[0] = 1;\n" * 2 + "x[1] = 2;\n" * 5 + "}" * 2 + "x[3] = 3;\n"
    report = report_of(in_kernel(body))
    (line,) = said(report, "more than 6 statements in one function: from here on none is read")
    assert line == in_kernel(body).split("\n").index("x[1] = 2;") + 3
    assert [kernel.base_name for kernel in report.kernels] == ["plain", "odd"]
    assert not said(report_of(in_kernel("x[0] = 1;" * 6)), "statements in one function")


def test_kernels_in_strings_beyond_the_limit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "MAX_STRING_BYTES", 100)
    text = "#include <CL/cl.h>\n" + "".join(
        f'const char *s{i} = "__kernel void k{i}(__global float *a) {{ a[0] = {i}; }}";\n'
        for i in range(4)
    )
    report = report_of(text + "void f() { clCreateProgramWithSource(c, 1, s, 0, 0); }\n")
    assert said(report, "more than 100 bytes of kernels in strings: from here on none is read") == [
        4
    ]
    assert [kernel.base_name for kernel in report.kernels] == ["k0", "k1"]


def test_target_regions_beyond_the_limit_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "MAX_REGIONS", 3)
    region = (
        "#pragma omp target teams distribute parallel for\nfor (int i = 0; i < n; i++) x[i]++;\n"
    )
    report = report_of(
        f"void f(float *x, int n) {{\n{region * 2}}}\n"
        f"void g(float *x, int n) {{\n{region * 2}}}\n"
        f"void h(float *x, int n) {{\n{region}}}\n"
    )
    found = [kernel.base_name for kernel in report.kernels]
    assert found == [f"__omp_offloading_{name}" for name in ("f_l2", "f_l4", "g_l8")]
    assert said(report, "more than 3 target regions in one file: from here on none is judged") == [
        10
    ]
    assert not said(report_of(f"void f(float *x, int n) {{\n{region * 3}}}\n"), "target regions")


def test_regions_of_one_line_have_names_of_their_own() -> None:
    region = '_Pragma("omp target") { x[0] = 1; } '
    report = report_of(f"void f(float *x) {{\n{region * 3}\n}}\n")
    found = [kernel.base_name.removeprefix("__omp_offloading_") for kernel in report.kernels]
    assert found == ["f_l2", "f_l2_1", "f_l2_2"]


def test_namespaces_cost_as_much_as_there_are_of_them() -> None:
    """The names around each of 4,000 levels, written out, would be 48 MB."""
    levels = 4_000
    text = ("namespace a {" * levels + "int v;" + "}" * levels).encode()
    pieces = Pieces(text)
    tracemalloc.start()
    try:
        prefix = pieces.prefix(text.index(b"int"))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert prefix == "a::" * levels
    assert peak_bytes < 8_000_000
    assert pieces.prefix(len(text)) == ""


def test_namespaces_around_a_place() -> None:
    text = (
        b"int o; namespace a { { namespace b::c { int x; } } namespace { int y; } int z; } } int w;"
    )
    pieces = Pieces(text)
    found = {name: pieces.prefix(text.index(f"int {name}".encode())) for name in "oxyzw"}
    assert found == {"o": "", "x": "a::b::c::", "y": "a::", "z": "a::", "w": ""}


@pytest.mark.parametrize("name", [name for name in sizes() if "doubl" in name or "many" in name])
def test_small_texts_that_ask_for_much(name: str) -> None:
    report = report_of(sizes()[name]())
    assert report.kernels
    assert not [each for each in report.problems if "internal error" in each.message]


def long_kernel(name: str, statements: int) -> str:
    """A kernel whose helper is walked anew for each of its calls."""
    calls = "".join(f"s += step(x, i + {i});" for i in range(statements // 5))
    return (
        f"__global__ void {name}(float *x, int n) {{ float s = 0; int i = blockIdx.x *"
        f" blockDim.x + threadIdx.x;\n{calls} if (i < n) x[i / 3 % 7] = s; }}\n"
    )


HELPER = """
__device__ float step(float *x, int i) {
    float a = x[i]; a += 1.1; a = a * 2.1 + 0.3; return a;
}
"""


def test_statements_walked_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are judged until the limit is passed, also where an edit leaves most of them."""
    text = HELPER + "".join(long_kernel(name, 100) for name in "abcd")
    cache = AnalysisCache(keep_trees=True)

    def edited(source: str) -> FileReport:
        path, settings = Path("/none/text.cu"), Settings(gpu="RTX 3080")
        return analyze(source.encode(), path, settings, reader=lambda _: None, cache=cache)

    words = "statements in the kernels of one file"
    assert len(edited(text).kernels) == 4
    monkeypatch.setattr(entry, "_MOST_WALKED", 150)
    report = edited(text + "// edited\n")
    assert [kernel.base_name for kernel in report.kernels] == ["a", "b"]
    assert said(report, words) == [text[: text.index("void c")].count("\n") + 1]
    assert "2 kernels from 'c' on are not judged" in report.problems[0].message
    assert report == report_of(text + "// edited\n")
    monkeypatch.setattr(entry, "_MOST_WALKED", 20_000)
    assert edited(text) == report_of(text)
    assert not said(edited(text), words)


def test_host_rules_judge_launches_until_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six instances three are judged for the report, one more for the program's time."""
    kernel = long_kernel("a", 30).replace("__global__", "template <int N> __global__")
    launches = "".join(f"a<{number}><<<1024, 256>>>(x, 1000);" for number in range(6))
    text = HELPER + kernel + f"int main() {{ float *x; cudaMalloc(&x, 1 << 20); {launches} }}\n"
    walks: list[str] = []
    original = summary.summarise

    def counted(kernel: Function, *rest: object) -> KernelSummary:
        walks.append(kernel.name)
        return original(kernel, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(f"{program.__name__}.summarise", counted)
    monkeypatch.setattr(entry, "_MOST_STATEMENTS", 100)
    whole = report_of(text)
    assert len(walks) == 6
    walks.clear()
    monkeypatch.setattr(findings, "_MOST_WALKED", 150)
    assert [len(each.launches) for each in report_of(text).kernels] == [3]
    assert len(walks) == 4
    assert report_of(text).kernels == whole.kernels


def test_long_kernels_are_not_walked_again_for_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    text = HELPER + long_kernel("a", 100) + long_kernel("b", 20)
    settings = Settings(gpu="RTX 3080", notes=True)

    def noted() -> list[str]:
        found = analyze(text.encode(), Path("/none/text.cu"), settings, reader=lambda _: None)
        return [each.message for each in found.problems if "rewrite" in each.message]

    assert not noted()
    walks: list[str] = []
    original = summary.summarise

    def counted(kernel: Function, *rest: object) -> KernelSummary:
        walks.append(kernel.name)
        return original(kernel, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(f"{subject.__name__}.summarise", counted)
    assert not noted()
    assert set(walks) == {"a", "b"}
    walks.clear()
    monkeypatch.setattr(subject, "MOST_REWALKED", 60)
    monkeypatch.setattr(entry, "MOST_REWALKED", 60)
    assert [each.split(":")[0] for each in noted()] == ["a"]
    assert set(walks) <= {"b"}
