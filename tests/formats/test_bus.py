"""What crosses the bus to the host, in text and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from roofline_analysis.report.report import BusUse, Limiter, Report, Verdict
from roofline_lsp.formats.bus import bus_text
from roofline_lsp.formats.full import render
from roofline_lsp.formats.json import render as render_json
from roofline_lsp.formats.json import schema_text
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult

USE = BusUse(
    read_bytes=134217728.0,
    write_bytes=67108864.0,
    link="PCIe 4.0 x16",
    bandwidth_gbs=25.2,
    time_ns=5.3e6,
    limits=True,
    dram_verdict=Verdict.COMPUTE_BOUND,
    dram_confidence=0.9,
    dram_grounds=None,
)
UNKNOWN = replace(USE, link=None, bandwidth_gbs=None, limits=False)


def _with(report: Report, use: BusUse) -> Report:
    file = report.files[0]
    first = file.kernels[0]
    prediction = replace(first.prediction, bus=use, limiting=Limiter.BUS)
    kernels = (replace(first, prediction=prediction), *file.kernels[1:])
    return replace(report, files=(replace(file, kernels=kernels), *report.files[1:]))


def _bus_of(report: Report) -> Mapping[str, Any]:
    content = json.loads(render_json(CheckResult(report), ColourStyle()))
    jsonschema.validate(content, json.loads(schema_text()))
    prediction: Mapping[str, Any] = content["files"][0]["kernels"][0]["prediction"]
    return prediction


def test_the_limit_names_bytes_bus_and_bandwidth(report: Report) -> None:
    said = (
        "limited by the bus: 201 MB over PCIe 4.0 x16 at 25.2 GB/s (134 MB read, 67.1 MB written)"
    )
    assert bus_text(USE) == said
    assert f"  bus        {said}\n" in render(CheckResult(_with(report, USE)), ColourStyle())


def test_an_unknown_bus_is_said() -> None:
    said = "201 MB over the bus (134 MB read, 67.1 MB written); its bandwidth is not known"
    assert bus_text(UNKNOWN) == said


@pytest.mark.parametrize("use", [USE, UNKNOWN])
def test_json_has_the_bus_by_its_schema(report: Report, use: BusUse) -> None:
    prediction = _bus_of(_with(report, use))
    assert prediction["limiting"] == "bus"
    assert prediction["bus"] == {
        "read_bytes": use.read_bytes,
        "write_bytes": use.write_bytes,
        "link": use.link,
        "bandwidth_gbs": use.bandwidth_gbs,
        "limits": use.limits,
        "dram_class": "CB",
    }


def test_without_host_memory_there_is_no_bus(report: Report) -> None:
    assert _bus_of(report)["bus"] is None
    assert "  bus  " not in render(CheckResult(report), ColourStyle())
