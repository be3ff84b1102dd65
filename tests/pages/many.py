"""Reports to open in a browser, written by ``python -m tests.pages.many OUT``.

One is of the examples, one of the same as if they had been measured, one of 1,000 kernels.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api import analyze, gpu_used
from roofline_analysis.report.report import FileReport, KernelReport, Report, Verdict
from roofline_core.settings import Settings
from roofline_lsp.formats.html import render
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.issues import issues_of
from roofline_lsp.ratchet.result import CheckResult
from roofline_lsp.ratchet.source_lines import SourceLines
from tests.measurements import measured_as_predicted

KERNELS = 1000
KERNEL = """\
__global__ void {name}(const float *x, float *y, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i * {stride}];
    for (int k = 0; k < {trips}; k++) value = value * value + {seed}.5f;
    y[i] = value;
}}
"""
HOST = """\
int main() {{
    float *x, *y;
    cudaMalloc(&x, {size}ul * 4);
    cudaMalloc(&y, {size}ul * 4);
{launches}
}}
"""
FILES = 20


def sources(folder: Path) -> list[Path]:
    """Twenty programs of fifty kernels, no two alike."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for file in range(FILES):
        names = [f"kernel_{file}_{at}" for at in range(KERNELS // FILES)]
        kernels = [
            KERNEL.format(name=name, stride=1 + at % 3, trips=1 + (at * 7 + file * 3) % 90, seed=at)
            for at, name in enumerate(names)
        ]
        blocks = [1 + 331 * at * (file + 1) for at in range(len(names))]
        launches = [
            f"    {name}<<<{count}, 256>>>(x, y, {count * 256});"
            for name, count in zip(names, blocks, strict=True)
        ]
        text = "".join(kernels) + HOST.format(size=1 << 30, launches="\n".join(launches))
        path = folder / f"many_{file}.cu"
        path.write_text(text, encoding="utf-8")
        found.append(path)
    return found


def page(files: list[FileReport]) -> str:
    """The page of some files' reports."""
    sources = SourceLines(lambda path: path.read_bytes())
    report = Report(gpu_used(Settings()), tuple(files))
    issues = tuple(issues_of(report.files, sources))
    return render(CheckResult(report, issues, sources=sources), ColourStyle())


def measured(kernel: KernelReport, *, wrong: bool) -> KernelReport:
    """A kernel as if it had been measured: a drawing of it, not a measurement."""
    made = kernel.prediction
    told = made.verdict
    compute = told is Verdict.COMPUTE_BOUND
    other = Verdict.BANDWIDTH_BOUND if compute else Verdict.COMPUTE_BOUND
    found = replace(
        measured_as_predicted(
            made, gpu=gpu_used(Settings()).name, origin="drawn for a test of the page"
        ),
        verdict=other if wrong else told,
        dram_bytes=(made.dram_bytes or 0.0) * (8.0 if wrong else 1.1),
        time_ns=(made.time_ns or 0.0) * 1.3,
    )
    return replace(kernel, measured=found)


def main(out: Path) -> None:
    """Write examples.html, measured.html and many.html."""
    out.mkdir(parents=True, exist_ok=True)
    examples = Path(__file__).parents[2] / "examples"
    shown = [analyze(path.read_bytes(), path, Settings()) for path in sorted(examples.glob("*.cu"))]
    (out / "examples.html").write_text(page(shown), encoding="utf-8")
    marked = [
        replace(
            file,
            kernels=tuple(measured(each, wrong=at == 0) for each in file.kernels),
        )
        for at, file in enumerate(shown)
    ]
    (out / "measured.html").write_text(page(marked), encoding="utf-8")
    many = [analyze(path.read_bytes(), path, Settings()) for path in sources(out / "many")]
    (out / "many.html").write_text(page(many), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
