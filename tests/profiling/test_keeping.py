"""Measurements tied to the code that they are of."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roofline_core.settings import resolve
from roofline_lsp.cli.main import main
from roofline_profiling.import_store import gpu_name, keep
from roofline_profiling.measurement import Measurement
from roofline_profiling.store import load
from roofline_profiling.store_path import store_path
from tests.profiling.conftest import SOURCE

Measure = Callable[..., Measurement]


def body(project: Path, launch: Measurement) -> str | None:
    return keep([launch], project, resolve(project)).records[0].body


def test_a_record_names_the_file_the_body_and_the_gpu(measurement: Measure, project: Path) -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    bare = measurement(gpu=None, args=None)
    kept = keep([bare, measurement(kernel="lost(int)")], project, resolve(project), now=now)
    first, second = kept.records
    assert kept.path == store_path(project)
    assert kept.not_found == ("lost(int)",)
    assert (first.source, second.source) == ("src/main.cu", None)
    assert first.body is not None
    assert second.body is None
    assert first.gpu == "GeForce RTX 3080 10GB"  # of the settings, as the report does not say
    assert first.measurement.args == ("1000000",)
    assert first.taken == "2026-01-02T03:04:05+00:00"
    assert len(load(kept.path).records) == 2


def test_of_like_launches_the_first_is_kept(measurement: Measure, project: Path) -> None:
    launches = [measurement(time_ns=float(at), origin=f"ID {at}") for at in range(1, 40)]
    kept = keep([*launches, measurement(grid=(1, 1, 1))], project, resolve(project))
    assert [each.measurement.origin for each in kept.records] == ["ID 1", "made.csv, ID 0"]
    assert len(load(kept.path).records) == 2


def test_the_body_is_of_all_code_that_runs(measurement: Measure, project: Path) -> None:
    main_file = project / "src" / "main.cu"
    original = body(project, measurement())

    def after(old: str, new: str) -> str | None:
        assert old in SOURCE
        main_file.write_text(SOURCE.replace(old, new))
        return body(project, measurement())

    assert after("a * x[i]", "a  *  x[ i ] /* scaled */") == original
    assert after("__global__ void saxpy", "// first\n\n__global__ void saxpy") == original
    assert after("a * x[i]", "a + x[i]") != original
    assert after("2.0f * v", "3.0f * v") != original  # a function that it calls
    assert after("k < 4096", "k < 4097") == original  # another kernel
    assert after("<<<64, 256>>>", "<<<32, 256>>>") == original  # the host's code
    header = "#define MANY 4\n"
    main_file.write_text(header + SOURCE.replace("a * x[i]", "MANY * x[i]"))
    with_macro = body(project, measurement())
    main_file.write_text(header.replace("4", "5") + SOURCE.replace("a * x[i]", "MANY * x[i]"))
    assert body(project, measurement()) != with_macro


def test_names_of_gpus() -> None:
    assert gpu_name("NVIDIA GeForce RTX 3080") == "GeForce RTX 3080 10GB"
    assert gpu_name("Voodoo 2") == "Voodoo 2"


def test_the_command(full_report: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(full_report), "--sources", str(project)]) == 0
    said = capsys.readouterr()
    assert said.out == f"1 launch kept in {store_path(project)}\n"
    assert main(["import", str(full_report), "nothing.csv", "--sources", str(project)]) == 1
    assert "nothing.csv: cannot be read" in capsys.readouterr().err
    (project / "src" / "main.cu").write_text("int main() {}\n")
    assert main(["import", str(full_report), "--sources", str(project)]) == 0
    assert "of no kernel in this project: saxpy(int" in capsys.readouterr().out
    assert main(["import", "nothing.csv", "--sources", str(project)]) == 2
    assert main(["import", str(full_report), "--gpu", "Voodoo 2"]) == 2
