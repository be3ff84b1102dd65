from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roofline_analysis.report.report import Report
from roofline_lsp.formats.json import render, schema_text, to_json
from roofline_lsp.formats.registry import FORMATS, renderer
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult

GOLDEN = Path(__file__).parent / "golden" / "report.json"


@pytest.fixture
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def content(report: Report) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(render(CheckResult(report), ColourStyle()))
    return read


def test_the_report_is_as_it_was(result: CheckResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofline_lsp.formats.json.tool_version", lambda: "1.2.3")
    told = render(result, ColourStyle(colour=True))
    assert told == GOLDEN.read_text(encoding="utf-8")


def test_output_conforms_to_the_schema(
    report: Report, empty: Report, validator: jsonschema.Draft202012Validator
) -> None:
    validator.validate(content(report))
    validator.validate(content(empty))


def test_the_schema_names_every_key_and_no_other(
    report: Report, validator: jsonschema.Draft202012Validator
) -> None:
    """A key that is left out, added or misspelt is refused, at every depth."""

    def damaged(value: Any) -> Any:
        if isinstance(value, dict):
            for key in value:
                yield {other: value[other] for other in value if other != key}
                for changed in damaged(value[key]):
                    yield {**value, key: changed}
            yield {**value, "surplus": 1}
        elif isinstance(value, list):
            for index, item in enumerate(value):
                for changed in damaged(item):
                    yield [*value[:index], changed, *value[index + 1 :]]

    variants = list(damaged(content(report)))
    assert len(variants) > 300
    assert not [variant for variant in variants if validator.is_valid(variant)]


def test_what_is_unknown_is_null(report: Report) -> None:
    loop = content(report)["files"][0]["kernels"][1]
    prediction = loop["prediction"]
    assert loop["launches"] == []
    for key in ("class", "limiting", "sp_flops", "int_ops", "dram_bytes", "sp_ai", "time_ns"):
        assert prediction[key] is None, key
    assert prediction["hp_flops"] == 0
    assert prediction["dram_write_bytes"] == 128
    assert prediction["unknowns"][1] == {
        "name": "trips",
        "why": "while loop",
        "assumed": None,
        "path": None,
        "line": None,
    }


def test_the_roofline_is_told_and_precisions_without_a_peak_are_null(report: Report) -> None:
    gpu = content(report)["gpu"]
    assert gpu["clock"] == "base"
    assert gpu["peaks"] == {
        "sp": 25067.52,
        "dp": 391.68,
        "hp": None,
        "int": 12533.76,
        "tensor": None,
    }
    assert gpu["ridge"]["dp"] == 0.51516


def test_each_launch_has_its_own_class(report: Report) -> None:
    launches = content(report)["files"][1]["kernels"][0]["launches"]
    assert [launch["class"] for launch in launches] == ["CB", "BB", None, "CB"]
    assert launches[0]["grid"] == [None, 2, 1]
    assert launches[0]["block"] is None


def test_library_calls_are_told_with_their_prediction(report: Report) -> None:
    known, unknown = content(report)["files"][1]["library_calls"]
    assert (known["name"], known["line"], known["count"]) == ("thrust::sort", 60, 1048576)
    assert known["prediction"]["class"] == "BB"
    assert known["prediction"]["source"] == "static"
    assert unknown["element"] is None
    assert unknown["count"] is None
    assert unknown["certain"] is False
    assert unknown["prediction"]["class"] is None
    assert content(report)["files"][0]["library_calls"] == []


def test_a_problem_without_a_path_is_its_files(report: Report) -> None:
    problems = content(report)["files"][0]["problems"]
    assert [problem["path"] for problem in problems] == ["src/saxpy.cu"] * 2


def test_numbers_are_rounded_and_whole_ones_have_no_fraction(report: Report) -> None:
    kernel = content(report)["files"][0]["kernels"][0]
    prediction = kernel["prediction"]
    assert kernel["launches"][0]["prediction"] == prediction
    # The kernel, its launch, and a library call.
    assert render(CheckResult(report), ColourStyle()).count('"sp_flops": 2000000,') == 3
    assert prediction["sp_ai"] == 0.1666666667


def test_every_format_of_the_table_renders(report: Report, result: CheckResult) -> None:
    for name in FORMATS:
        assert renderer(name)(result, ColourStyle()).endswith("\n")
    assert to_json(report)["schema_version"] == "1.7"
