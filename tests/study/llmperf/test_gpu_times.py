"""Features of measured GPU kernels, and the regression on their times, by a known law."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from roofline_core.settings import Settings, merge
from roofline_lsp.cli import study
from roofline_study.dataset import MeasuredKernel
from roofline_study.llmperf.gpu_features import (
    KeptFeaturesError,
    ModelledKernel,
    model_kernels,
    row_key,
)
from roofline_study.llmperf.gpu_times import gpu_points, gpu_tables

SCALE = """
__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * 2.0f;
}
int main(int argc, char **argv) {
    int n = 1 << 20;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<n / 256, 256>>>(x, n);
}
"""


def row(program: str, gpu: str, time_ns: float | None, line: int = 1) -> MeasuredKernel:
    return MeasuredKernel(
        program, "scale(float *, int)", (), (4096, 1, 1), (256, 1, 1), 1.0, 0.0, None, 1.0,
        time_ns, None, line, gpu,
    )  # fmt: skip


def test_a_program_is_modelled_on_each_gpu_once(tmp_path: Path) -> None:
    (tmp_path / "a-cuda").mkdir()
    (tmp_path / "a-cuda" / "main.cu").write_text(SCALE)
    rows = [row("a-cuda", "A100", 5.0), row("a-cuda", "H100", 4.0), row("gone-cuda", "A100", 1.0)]
    kept, told = tmp_path / "kept.jsonl", list[str]()

    def model() -> dict[str, ModelledKernel]:
        return model_kernels(
            rows, tmp_path, merge(), kept, jobs=1, limit_s=60.0,
            tell=lambda done, total, name: told.append(name),
        )  # fmt: skip

    found = model()
    assert told == ["a-cuda", "gone-cuda"]
    one, other, gone = (found[row_key(each, each.gpu or "")] for each in rows)
    assert one.features["model.sp"] == other.features["model.sp"] == 1 << 20
    assert one.features["gpu.bandwidth"] < other.features["gpu.bandwidth"]
    assert one.static_ns is not None
    assert one.features["sizes.threads"] == 4096 * 256
    assert gone == ModelledKernel({}, None)
    assert len(gpu_points(rows, found, "A100")) == 2
    with kept.open("a") as file:
        file.write('{"row": "torn')
    assert model() == found
    assert len(told) == 2


def test_rows_are_modelled_with_the_macros_of_their_build(tmp_path: Path) -> None:
    (tmp_path / "a-cuda").mkdir()
    text = SCALE.replace("* 2.0f", "* 2.0f + MORE").replace("int n = 1 << 20;", "int n = SIZE;")
    (tmp_path / "a-cuda" / "main.cu").write_text(text)
    plain = row("a-cuda", "A100", 5.0)
    rows = [replace(plain, defines=(f"SIZE={1 << power}", "MORE=3.0f")) for power in (18, 20)]
    kept = tmp_path / "kept.jsonl"
    settings = merge()

    def model(settings: Settings) -> list[float | None]:
        found = model_kernels(
            rows, tmp_path, settings, kept, jobs=1, limit_s=60.0, tell=lambda *_: None
        )
        models = [found[row_key(each, "A100")] for each in rows]
        assert [each.features["model.sp"] for each in models] == [1 << 19, 1 << 21]
        return [each.static_ns for each in models]

    boosted = model(settings)
    lines = len(kept.read_text().splitlines())
    assert (model(settings), lines) == (boosted, 2)
    assert model(replace(settings, clock="base")) != boosted
    assert len(kept.read_text().splitlines()) == 4


def test_a_file_of_something_else_is_told(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    kept.write_text('{"other": 1}\n')
    with pytest.raises(KeptFeaturesError, match="remove it"):
        model_kernels([], tmp_path, merge(), kept, jobs=1, limit_s=1.0, tell=lambda *_: None)


def test_times_by_a_law_are_learnt_for_unseen_kernels_and_gpus() -> None:
    pytest.importorskip("sklearn", reason="the extra `study` is not installed")
    chance = np.random.default_rng(2)
    rows, modelled = [], {}
    for index in range(60):
        moved = float(2 ** chance.uniform(12, 24))
        for gpu, bandwidth in (("A", 500.0), ("B", 1000.0), ("C", 2000.0)):
            made = row(f"p{index % 20}-cuda", gpu, 3000.0 + 2 * moved / bandwidth, index)
            made = replace(made, grid=(index + 1, 1, 1))
            rows.append(made)
            features = {"peak.dram": moved / bandwidth, "gpu.bandwidth": bandwidth}
            features["model.assumed share"] = 50.0 if index % 4 == 0 else 0.0
            modelled[row_key(made, gpu)] = ModelledKernel(features, moved / bandwidth)
    rows.append(row("p1-cuda", "A", None, 999))
    found = gpu_tables(rows, gpu_points(rows, modelled, "A"))
    assert (found.points, found.without_time, found.without_model) == (180, 1, 0)
    errors = {(table.title, each.name): each.error for table in found.tables for each in table.rows}
    for title, name in (
        ("unseen kernels, 5-fold by program", "regression"),
        ("unseen GPUs, kernels seen on others", "C: regression"),
        ("unseen GPUs and unseen kernels", "all: regression"),
    ):
        error = errors[title, name]
        assert error is not None
        assert error.mape < 0.05, title
    by_assumption = "unseen kernels, by what the model assumes"
    for name, count in (("nothing assumed", 135), ("something assumed", 45)):
        part = errors[by_assumption, f"{name}: static model"]
        assert part is not None
        assert part.count == count
    static = errors["unseen kernels, 5-fold by program", "static model"]
    assert static is not None
    assert static.mape > 0.4
    assert static.groups == 20


def test_the_command_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn", reason="the extra `study` is not installed")
    lines = ["program,kernel,gpu,define,args,grid,block,sp_flops,dp_flops,dram_bytes,time_ns"]
    for index in range(6):
        folder = tmp_path / "sources" / f"p{index}-cuda"
        folder.mkdir(parents=True)
        (folder / "main.cu").write_text(SCALE.replace("1 << 20", "SIZE"))
        for power in (18, 20, 22):
            for gpu, rate in (("A100", 1.2), ("H100", 2.4)):
                time = 2000 + 8 * 2**power / rate
                lines.append(
                    f'p{index}-cuda,"scale(float *, int)",{gpu},SIZE={2**power},,'
                    f"{2**power // 256}x1x1,256x1x1,,0,{8 * 2**power},{time:.0f}"
                )
    lines.append(lines[-1].replace("p5-cuda", "gone-cuda"))
    dataset = tmp_path / "measured.csv"
    dataset.write_text("\n".join(lines) + "\n")
    words = ["llmperf", "gpu-times", "--dataset", str(dataset), "--kept", str(tmp_path / "kept")]
    words += ["--sources", str(tmp_path / "sources"), "--clock", "boost", "--compiler", "nvcc"]
    assert study.run(words) == 0
    first = capsys.readouterr()
    assert first.out.startswith("36 rows of 37; 1 the model says nothing of, 0 without a time\n")
    assert [text for text in first.err.splitlines() if text.startswith("model ")] == [
        *(f"model {index + 1}/7 p{index}-cuda" for index in range(6)),
        "model 7/7 gone-cuda",
    ]
    for title in ("unseen kernels, 5-fold by program", "unseen GPUs and unseen kernels"):
        assert title in first.out
    assert study.run(words) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == (first.out, "")
    (tmp_path / "kept").write_text('{"other": 1}\n')
    with pytest.raises(KeptFeaturesError):
        study.run(words)
