"""Measurements in the editor: beside predictions, in their place, and against them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from roofline_lsp.server.features.profiles import EMULATE, IMPORT, PROFILE
from roofline_profiling.background import run_command
from roofline_profiling.store_path import store_path

SAXPY = """\
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
    float *x, *y;
    cudaMalloc(&x, 1000000 * sizeof(float));
    cudaMalloc(&y, 1000000 * sizeof(float));
    saxpy<<<3907, 256>>>(1000000, 2.0f, x, y);
    return 0;
}
"""
NAME = (0, 18)

HEADER = "program,kernel,args,grid,block,sp_flops,dp_flops,int_ops,dram_bytes,time_ns,label\n"


def report(dram_bytes: str, time_ns: str, label: str, args: str = "") -> str:
    """A data set of one launch; its numbers are made up."""
    name = "saxpy(int, float, const float *, float *)"
    counts = f"2e6,0,4e6,{dram_bytes},{time_ns},{label}"
    return f'{HEADER}p,"{name}",{args},"(3907, 1, 1)","(256, 1, 1)",{counts}\n'


async def command(session: Any, name: str, *arguments: object) -> Any:
    return await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(name, list(arguments))
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "roofline.toml").write_text('gpu = "RTX 3080"\n')
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    return tmp_path


async def test_an_imported_measurement_goes_before_the_prediction(
    start_session: Any, folder: Path
) -> None:
    session = await start_session(server="real")
    assert {IMPORT, PROFILE, EMULATE} <= set(
        session.result.capabilities.execute_command_provider.commands
    )
    uri = session.open("saxpy.cu", SAXPY)
    (before,) = await session.titles(uri)
    assert "measured" not in before
    (folder / "r.csv").write_text(report("11.5e6", "17310", "BB"))
    said = await command(session, IMPORT, "r.csv")
    assert said == f"1 launch kept in {folder / '.roofline' / 'measurements.jsonl'}"
    (title,) = await session.titles(uri)
    assert title.startswith("Bandwidth-bound, measured | INT 0.348 op/B")
    assert "| 17.3 µs on RTX 3080" in title
    assert "| predicted: BB, " in title

    text = (await session.hover_text(uri, *NAME)).replace("*", "")
    first = text.splitlines()[0].strip()
    assert first.startswith("Bandwidth-bound on RTX 3080 10GB (boost clock): INT ")
    assert first.endswith("× below its ridge, measured")
    assert "Measured (r.csv, line 2, " in text
    assert "| Time" in text
    assert "17.3 µs" in text
    assert await session.pulled(uri) == []

    # The code changes: what was measured stands beside the prediction, marked.
    session.replace(uri, SAXPY.replace("a * x[i]", "a - x[i]"))
    (title,) = await session.titles(uri)
    assert "| measured before a change: BB, 17.3 µs" in title
    assert "Measured before the code changed" in await session.hover_text(uri, *NAME)
    # And back, with a comment.
    session.replace(uri, SAXPY.replace("a * x[i]", "a * x[i] /* scaled */"))
    (title,) = await session.titles(uri)
    assert title.startswith("Bandwidth-bound, measured")


async def test_a_measurement_made_elsewhere_shows_up(start_session: Any, folder: Path) -> None:
    session = await start_session(server="real")
    uri = session.open("saxpy.cu", SAXPY)
    (title,) = await session.titles(uri)
    assert "measured" not in title
    (folder / "r.csv").write_text(report("11.5e6", "17310", "BB"))
    ended = await run_command(["import", "r.csv"], folder, limit_s=60)
    assert ended.code == 0
    session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(store_path(folder).as_uri(), types.FileChangeType.Created)]
        )
    )
    (title,) = await session.titles(uri)
    assert title.startswith("Bandwidth-bound, measured")


async def test_a_strong_disagreement_is_a_diagnostic(start_session: Any, folder: Path) -> None:
    session = await start_session(server="real")
    (folder / "r.csv").write_text(report("90e6", "150000", "CB"))
    await command(session, IMPORT, (folder / "r.csv").as_uri())
    uri = session.open("saxpy.cu", SAXPY)
    (found,) = await session.pulled(uri)
    assert found.message.startswith("saxpy: measured CB where BB is predicted: ")
    assert "time" in found.message
    assert found.severity is types.DiagnosticSeverity.Information
    assert found.code == "measured-differently"
    assert found.range.start.line == 0
    (title,) = await session.titles(uri)
    assert title.startswith("Compute-bound, measured")
    session.replace(uri, SAXPY.replace("a * x[i]", "a - x[i]"))
    assert await session.pulled(uri) == []


async def test_other_arguments_stand_beside(start_session: Any, folder: Path) -> None:
    session = await start_session(server="real")
    (folder / "r.csv").write_text(report("90e6", "150000", "BB", args="7"))
    await command(session, IMPORT, "r.csv")
    uri = session.open("saxpy.cu", SAXPY)
    (title,) = await session.titles(uri)
    assert title.startswith("Bandwidth-bound, 9")
    assert "| measured with another launch: BB, 150 µs" in title
    assert "arguments" in await session.hover_text(uri, *NAME)
    assert await session.pulled(uri) == []


async def test_reports_that_cannot_be_imported(start_session: Any, folder: Path) -> None:
    session = await start_session(server="real")
    said = await command(session, IMPORT, "lost.csv")
    assert "lost.csv: cannot be read: No such file" in said
    assert await command(session, IMPORT) == f"{IMPORT} takes the path of a report"
    assert await command(session, IMPORT, 5) == f"{IMPORT} takes the path of a report"
    assert [message.type for message in session.client.messages] == [types.MessageType.Error] * 3


async def test_a_store_that_is_none_costs_no_prediction(start_session: Any, folder: Path) -> None:
    (folder / ".roofline").mkdir()
    (folder / ".roofline" / "measurements.jsonl").write_text("my notes\n")
    session = await start_session(server="real")
    uri = session.open("saxpy.cu", SAXPY)
    (title,) = await session.titles(uri)
    assert title.startswith("Bandwidth-bound, 9")


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
async def test_programs_run_in_trusted_workspaces_alone(start_session: Any, folder: Path) -> None:
    app = folder / "app"
    app.write_text(f"#!/bin/sh\ntouch {folder}/ran\n")
    app.chmod(0o755)
    for options in (None, {"workspaceTrusted": False}, {"workspaceTrusted": "yes"}):
        session = await start_session(server="real", options=options)
        assert "which is not trusted" in await command(session, PROFILE, str(app))
        assert "which is not trusted" in await command(session, EMULATE, str(app))
    session = await start_session(server="real", options={"workspaceTrusted": True})
    assert await command(session, PROFILE) == f"{PROFILE} takes a program and its arguments"
    assert await command(session, EMULATE) == f"{EMULATE} takes a program and its arguments"
    said = await command(session, PROFILE, "./lost")
    assert "./lost: no such program; build it first" in said
    assert not (folder / "ran").exists()
