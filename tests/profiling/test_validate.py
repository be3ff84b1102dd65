"""Measurements held against predictions, from report to exit code."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_core.settings import resolve
from roofline_lsp.cli.main import main
from roofline_profiling.data_report import CSV_COLUMNS
from roofline_profiling.import_store import keep
from roofline_profiling.importing import read_report
from roofline_profiling.measurement import Measurement
from roofline_profiling.text_report import _short
from roofline_profiling.validate import LaunchComparison
from tests.profiling.conftest import SAXPY, SOURCE

POLYNOMIAL = "polynomial(int, float *)"

Run = Callable[..., tuple[int, str, str]]
Measure = Callable[..., Measurement]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def ran(*argv: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(each) for each in argv])
        said = capsys.readouterr()
        return code, said.out, said.err

    return ran


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Three kernels of two programs with sources; the numbers are made up, one class is wrong."""
    sources = tmp_path / "sources"
    for program in ("one-cuda", "two-cuda"):
        (sources / program).mkdir(parents=True)
        (sources / program / "main.cu").write_text(SOURCE)
    columns = "program,kernel,args,grid,block,sp_flops,dp_flops,int_ops,dram_bytes,time_ns,label"
    rows = [
        f'one-cuda,"{SAXPY}",1000000,"(3907, 1, 1)","(256, 1, 1)",3e6,0,4e6,12e6,17000,BB',
        f'one-cuda,"{POLYNOMIAL}",1000000,"(64, 1, 1)","(256, 1, 1)",134e6,0,1e6,2e5,90000,CB',
        f'two-cuda,"{SAXPY}",2000000,"(7813, 1, 1)","(256, 1, 1)",6e8,0,4e6,12e6,17000,CB',
        'two-cuda,"lost(int)",2000000,"(1, 1, 1)","(32, 1, 1)",0,0,1,64,1000,BB',
    ]
    path = tmp_path / "measured.csv"
    path.write_text("\n".join([columns, *rows]) + "\n")
    return path


def test_a_data_set_is_judged_as_evaluate_does(run: Run, dataset: Path, tmp_path: Path) -> None:
    sources = ("--sources", tmp_path / "sources", "--gpu", "RTX 3080", "--no-progress")
    code, text, _ = run("evaluate", "--dataset", dataset, *sources, "--format", "json")
    assert code == 0
    evaluated = json.loads(text)
    code, text, _ = run("--validate", dataset, *sources, "--format", "json")
    assert code == 0
    validated = json.loads(text)
    assert validated["evaluation"] == evaluated
    assert validated["accuracy"] == evaluated["groups"]["cuda"]["accuracy"] == 0.5
    code, wanted, _ = run("evaluate", "--dataset", dataset, *sources)
    code, text, _ = run("--validate", dataset, *sources)
    assert wanted.split("\n", 1)[1] in text


def test_the_text_has_the_wrong_ones_first_with_the_reason(
    run: Run, dataset: Path, tmp_path: Path
) -> None:
    _, text, _ = run("--validate", dataset, "--sources", tmp_path / "sources", "--gpu", "RTX 3080")
    lines = text.splitlines()
    assert lines[1] == "4 launches of 4 kernels: 2 of 4 classes right (50%)"
    assert lines[4].startswith("! two-cuda:lost")
    assert "'lost' is not among the 2 kernels found" in lines[5]
    assert lines[6].startswith("! two-cuda:saxpy")
    assert "SP operations" in lines[7]
    assert "too few" in lines[7]
    assert lines[8].startswith("  one-cuda:")


def test_target_regions_and_templates_have_short_names(measurement: Measure) -> None:
    names = {
        "__omp_offloading_10309_2f2c_main_l35": "p:main_l35",
        "void a::scale<float, 2>(T1 *)": "p:a::scale<float, 2>",
        "(anonymous namespace)::k(int)": "p:(anonymous namespace)::k(int)",
        "x" * 60 + "(int)": f"p:{'x' * 39}...",
    }
    for kernel, shown in names.items():
        launch = measurement(kernel=kernel, program="p")
        assert _short(LaunchComparison(launch, None, None, None, None)) == shown


def test_csv_has_every_number(run: Run, dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    code, text, _ = run(
        "--validate", dataset, "--sources", tmp_path / "sources", "--gpu", "RTX 3080",
        "--format", "csv", "--output", out,
    )  # fmt: skip
    assert (code, text) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert rows[0]["measured_class"] == rows[0]["predicted_class"] == "BB"
    assert rows[0]["measured_dram_bytes"] == "12000000"
    ratio = float(rows[0]["predicted_dram_bytes"]) / 12e6
    assert float(rows[0]["ratio_dram_bytes"]) == pytest.approx(ratio)
    assert rows[2]["right"] == "False"
    assert rows[2]["off"] == "sp_flops"
    assert rows[3]["predicted_class"] == ""


@pytest.mark.parametrize(("wanted", "code"), [("0.5", 0), ("50%", 0), ("0.51", 1), ("100%", 1)])
def test_too_little_accuracy_ends_with_1(
    run: Run, dataset: Path, tmp_path: Path, wanted: str, code: int
) -> None:
    ended, _, err = run(
        "--validate", dataset, "--sources", tmp_path / "sources", "--gpu", "RTX 3080",
        "--min-accuracy", wanted,
    )  # fmt: skip
    assert ended == code
    assert ("accuracy 0.500, less than --min-accuracy" in err) == (code == 1)


def test_a_report_of_a_project(run: Run, full_report: Path, project: Path) -> None:
    code, text, err = run("--validate", full_report, "--sources", project, "--format", "json")
    assert (code, err) == (0, "")
    (launch,) = json.loads(text)["launches"]
    # The GPU is the report's; the arguments are the project's.
    assert json.loads(text)["gpu"] == {"name": "GeForce RTX 3080 10GB", "clock": "base"}
    assert (launch["measured_class"], launch["predicted_class"]) == ("BB", "BB")
    assert launch["right"] is True
    assert launch["quantities"]["sp_flops"]["measured"] == 3e6
    assert launch["quantities"]["sp_flops"]["predicted"] == pytest.approx(3e6, rel=0.01)
    assert launch["quantities"]["dram_bytes"]["ratio"] == pytest.approx(1, rel=0.1)


def test_what_was_kept_is_validated_without_a_report(
    run: Run, full_report: Path, project: Path
) -> None:
    keep(read_report(full_report).measurements, project, resolve(project))
    code, text, _ = run("--validate", "--sources", project)
    assert code == 0
    assert "1 launch of 1 kernel: 1 of 1 class right (100%)" in text
    main_file = project / "src" / "main.cu"
    main_file.write_text(SOURCE.replace("2.0f * v", "3.0f * v"))
    code, text, _ = run("--validate", "--sources", project, "--min-accuracy", "0.1")
    assert code == 1
    assert "1 of code that has changed since" in text
    assert "profile it again" in text
    main_file.write_text(f"// a comment\n{SOURCE}")
    _, text, _ = run("--validate", "--sources", project)
    assert "1 of 1 class right" in text


def test_what_cannot_be_validated_is_said(run: Run, project: Path, tmp_path: Path) -> None:
    code, out, err = run("--validate", "--sources", project)
    assert (code, out) == (2, "")
    assert err == "roofline-lsp: there is no measurement: profile, or name a report\n"
    code, _, err = run("--validate", tmp_path / "lost.ncu-rep", "--sources", project)
    assert code == 2
    assert "lost.ncu-rep: cannot be read" in err
    with pytest.raises(SystemExit):
        run("--validate", "--min-accuracy", "much")


def test_no_sources(run: Run, full_report: Path, tmp_path: Path) -> None:
    code, _, err = run("--validate", full_report, "--sources", tmp_path / "nowhere")
    assert code == 2
    assert "the folder of sources" in err


def test_a_launch_without_counts_is_in_no_metric(run: Run, project: Path, tmp_path: Path) -> None:
    report = tmp_path / "times.csv"
    report.write_text(
        '"Kernel_Name","Start_Timestamp","End_Timestamp"\n'
        '"saxpy(int, float, const float *, float *)",10,17010\n'
    )
    code, text, _ = run("--validate", report, "--sources", project, "--gpu", "RTX 3080")
    assert code == 0
    assert "1 launch of 1 kernel: 1 without a measured class" in text
    assert "no class: sp_flops, dp_flops, int_ops, dram_bytes not measured" in text
    assert "balanced accuracy" not in text
