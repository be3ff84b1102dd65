"""Formats that other programs read: exact texts, what these programs demand, hostile names."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from roofline_analysis.report.report import FileReport, Finding, KernelReport, Level, Report
from roofline_core.program.units import Span
from roofline_lsp.formats.registry import FORMATS, JSON_FORMATS, renderer
from roofline_lsp.formats.strangers import cell
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.issues import issues_of
from roofline_lsp.ratchet.result import CheckResult, Culprit
from roofline_lsp.ratchet.source_lines import SourceLines

GOLDEN = Path(__file__).parent / "golden"
SERVICES = sorted(set(FORMATS) - {"text", "full", "json", "html"})

HOSTILE = "`a|b`]]><script>alert(1)</script>\x1b[31m\r\n::error::%0A@x &\"'\u202e=1"


def _object(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """An object of exactly these keys."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


TEXT: dict[str, Any] = {"type": "string"}
LINE: dict[str, Any] = {"type": "integer", "minimum": 1}
MESSAGE = _object({"text": TEXT})
REGION = _object({"startLine": LINE}, startColumn=LINE, endLine=LINE, endColumn=LINE)
ARTIFACT = _object({"uri": TEXT}, uriBaseId={"const": "%SRCROOT%"})
LOCATION = _object(
    {"physicalLocation": _object({"artifactLocation": ARTIFACT}, region=REGION)},
    logicalLocations={
        "type": "array",
        "items": _object({"fullyQualifiedName": TEXT, "kind": {"const": "function"}}),
    },
    message=MESSAGE,
)
LOCATIONS: dict[str, Any] = {"type": "array", "items": LOCATION}
LEVEL = {"enum": ["error", "warning", "note"]}
FIX = _object(
    {
        "description": MESSAGE,
        "artifactChanges": {
            "type": "array",
            "minItems": 1,
            "items": _object(
                {
                    "artifactLocation": ARTIFACT,
                    "replacements": {
                        "type": "array",
                        "minItems": 1,
                        "items": _object({"deletedRegion": REGION, "insertedContent": MESSAGE}),
                    },
                }
            ),
        },
    }
)
RESULT = _object(
    {
        "ruleId": TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": LOCATIONS,
        "partialFingerprints": {"type": "object", "additionalProperties": TEXT, "minProperties": 1},
    },
    relatedLocations=LOCATIONS,
    fixes={"type": "array", "items": FIX},
    baselineState={"enum": ["new", "unchanged"]},
)
RULE = _object(
    {"id": TEXT, "name": TEXT, "shortDescription": MESSAGE},
    help=_object({"text": TEXT, "markdown": TEXT}),
)
INVOCATION = _object(
    {
        "executionSuccessful": {"type": "boolean"},
        "toolExecutionNotifications": {
            "type": "array",
            "items": _object({"level": LEVEL, "message": MESSAGE, "locations": LOCATIONS}),
        },
    }
)
RUN = _object(
    {
        "tool": _object(
            {
                "driver": _object(
                    {"name": TEXT, "version": TEXT, "rules": {"type": "array", "items": RULE}}
                )
            }
        ),
        "invocations": {"type": "array", "items": INVOCATION},
        "columnKind": {"const": "unicodeCodePoints"},
        "results": {"type": "array", "items": RESULT},
        "properties": {"type": "object"},
    }
)
SARIF = _object(
    {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": RUN},
    }
)
"""The part of the schema of SARIF 2.1.0 that is used, with its names, types and limits."""


@pytest.fixture
def hostile(report: Report) -> CheckResult:
    """A kernel, a file and a finding with what somebody would like to be obeyed."""
    path = Path(f"src/{HOSTILE.replace('/', '')}.cu")
    finding = Finding("RL103", "strided-access", Level.HINT, HOSTILE, path, Span(1, 0, 1, 4))
    kernel: KernelReport = replace(
        report.files[0].kernels[0],
        path=path,
        name=HOSTILE,
        base_name=HOSTILE,
        qualified_name=HOSTILE,
        findings=(finding,),
    )
    files = (FileReport(path, (kernel,)),)
    issues = issues_of(files, SourceLines(lambda _: None))
    culprits = (Culprit(str(path), HOSTILE, HOSTILE, str(path)), Culprit(HOSTILE, HOSTILE))
    return CheckResult(Report(report.gpu, files), issues, culprits)


def rendered(name: str, result: CheckResult) -> str:
    return renderer(name)(result, ColourStyle())


@pytest.mark.parametrize("name", SERVICES)
def test_the_report_is_as_it_was(name: str, result: CheckResult, version_1_2_3: None) -> None:
    golden = (GOLDEN / f"report.{name}").read_text(encoding="utf-8")
    assert rendered(name, result) == golden


@pytest.mark.parametrize("name", SERVICES)
def test_without_files_there_is_a_report(name: str, empty: Report) -> None:
    text = rendered(name, CheckResult(empty))
    assert text.endswith("\n") or name == "github"
    if name in JSON_FORMATS and name != "ndjson":
        json.loads(text)


def test_lines_of_json_hold_what_the_report_holds(result: CheckResult) -> None:
    lines = [json.loads(line) for line in rendered("ndjson", result).splitlines()]
    whole = json.loads(rendered("json", result))
    assert {**lines[0]["run"], "files": [line["file"] for line in lines[1:]]} == whole


def test_sarif_holds_what_its_schema_allows(result: CheckResult, hostile: CheckResult) -> None:
    validator = jsonschema.Draft202012Validator(SARIF)
    for each in (result, hostile):
        validator.validate(json.loads(rendered("sarif", each)))


def test_sarif_invents_no_place(result: CheckResult) -> None:
    (run,) = json.loads(rendered("sarif", result))["runs"]
    regions = {
        each["ruleId"]: each["locations"][0]["physicalLocation"].get("region")
        for each in run["results"]
    }
    # The text has five lines: of the comment on line 40 no column is known.
    assert regions["RL100"] == {"startLine": 40}
    # A character of two bytes stands before the literal.
    assert regions["RL201"] == {"startLine": 5, "startColumn": 2, "endLine": 5, "endColumn": 9}
    notes = run["invocations"][0]["toolExecutionNotifications"]
    places = [note["locations"][0]["physicalLocation"] for note in notes]
    assert ["region" in place for place in places] == [False, True, False]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_sarif_has_the_fix_in_characters(result: CheckResult) -> None:
    (run,) = json.loads(rendered("sarif", result))["runs"]
    (fixed,) = [each for each in run["results"] if "fixes" in each]
    (change,) = fixed["fixes"][0]["artifactChanges"]
    place = {"startLine": 5, "startColumn": 6, "endLine": 5, "endColumn": 6}
    assert change["replacements"] == [
        {"deletedRegion": place, "insertedContent": {"text": "f"}},
    ]


def test_every_rule_index_names_its_rule(result: CheckResult) -> None:
    (run,) = json.loads(rendered("sarif", result))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[each["ruleIndex"]] for each in run["results"]] == [
        each["ruleId"] for each in run["results"]
    ]


def test_nobody_adds_an_annotation(hostile: CheckResult) -> None:
    lines = rendered("github", hostile).splitlines()
    assert len(lines) == 3
    assert all(line.startswith(("::notice file=src/", "::error title=")) for line in lines)
    assert "\x1b" not in "".join(lines)
    properties = lines[0].split("::")[1]
    assert properties.count(",") == 2  # file, line and title: no column is known
    assert "%0A" in lines[0]


def test_junit_is_xml_whatever_names_are(hostile: CheckResult) -> None:
    root = ET.fromstring(rendered("junit", hostile))
    assert (root.get("tests"), root.get("failures")) == ("2", "2")
    assert not list(root.iter("script"))
    failures = [each.get("message") for each in root.iter("failure")]
    assert all(each is not None and "<script>alert(1)</script>" in each for each in failures)


def test_junit_counts_what_it_holds(result: CheckResult) -> None:
    root = ET.fromstring(rendered("junit", result))
    assert root.get("tests") == str(len(list(root.iter("testcase"))))
    assert root.get("failures") == str(len(list(root.iter("failure"))))
    assert root.get("errors") == str(len(list(root.iter("error"))))


def test_a_cell_is_no_formula(hostile: CheckResult) -> None:
    (kernel,) = hostile.report.files[0].kernels
    named = replace(kernel, qualified_name="=HYPERLINK(1)", dialect=kernel.dialect)
    report = replace(hostile.report, files=(FileReport(Path("=1.cu"), (named,)),))
    (row,) = csv.DictReader(io.StringIO(rendered("csv", CheckResult(report))))
    assert row["kernel"] == "'=HYPERLINK(1)"
    (row,) = csv.DictReader(io.StringIO(rendered("csv", hostile)))
    assert "\n" not in row["path"]
    assert "\x1b" not in row["path"]


def test_no_part_of_a_cell_is_a_formula() -> None:
    """Where semicolons or bars end cells, and in the wide characters of Japanese spreadsheets."""
    assert cell("a;=1|-2 | @x; b-c = d") == "a;'=1|'-2 | '@x; b-c = d"
    assert [cell(f"{sign}1") for sign in "＝＋－＠"] == ["'＝1", "'＋1", "'－1", "'＠1"]  # noqa: RUF001


def test_an_unknown_number_is_an_empty_cell(result: CheckResult) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered("csv", result))))
    assert rows[1]["class"] == rows[1]["dram_bytes"] == rows[1]["time_ns"] == ""
    assert rows[1]["hp_flops"] == "0"


def test_markdown_holds_strangers_in_code(hostile: CheckResult) -> None:
    text = rendered("markdown", hostile)
    for line in text.splitlines():
        if line.startswith("| ") and "script" in line:
            assert line.count(" | ") in (2, 6)
            # A run of two backquotes opens and closes, as the text has single ones.
            assert all(
                cell.startswith("`") and cell.endswith("`")
                for cell in line.strip("| ").split(" | ")
            )
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_fingerprint_stands_for_kernel_rule_and_text(report: Report) -> None:
    def of(text: bytes, files: tuple[FileReport, ...] = report.files) -> list[str]:
        issues = issues_of(
            files, SourceLines(lambda path: text if path.name == "main.cu" else None)
        )
        return [issue.fingerprint for issue in issues if issue.code == "RL103"]

    before = of(b"\n\n\n  x[16*i] = 0;\n")
    assert of(b"\n\n\nx[16 * i] = 0; // zero\n") == before
    assert of(b"\n\n\nx[17 * i] = 0;\n") != before
    main = report.files[1]
    (kernel,) = main.kernels
    moved = [replace(each, span=Span(2, 2, 2, 9)) for each in kernel.findings]
    files = (replace(main, kernels=(replace(kernel, findings=tuple(moved)),)),)
    assert of(b"\nx[16*i]=0;\n", files) == before
    renamed = (replace(main, kernels=(replace(kernel, qualified_name="other"),)),)
    assert of(b"\n\n\n  x[16*i] = 0;\n", renamed) != before


def test_issues_that_are_alike_have_fingerprints_of_their_own(report: Report) -> None:
    main = report.files[1]
    (kernel,) = main.kernels
    files = (replace(main, kernels=(replace(kernel, findings=kernel.findings[:1] * 3),)),)
    issues = issues_of(files, SourceLines(lambda _: None))
    strided = [issue.fingerprint for issue in issues if issue.code == "RL103"]
    assert len(set(strided)) == 3
