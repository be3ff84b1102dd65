"""Explanations as text and as JSON that keeps to its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roofline_analysis.api.explain.records import Explanation
from roofline_analysis.api.explain_file import Question, explain_file
from roofline_analysis.api.program import ProgramAnalysis
from roofline_core.settings import Settings
from roofline_lsp.formats.explanation import document, schema
from roofline_lsp.formats.explanation.text import render
from roofline_lsp.formats.style import ColourStyle

MAIN = Path("/p/main.cu")
SOURCE = """\
#include <cstdlib>
template <class T> __global__ void pick(int n, const int *at, const T *x, T *y) {
  __shared__ T part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = 0;
  if (i < n && at[i] > 3) {
    T s = x[at[i]];
    for (int k = 0; k < at[i + 1]; k++) s = s * s + 0.5f;
    part[threadIdx.x] = s;
    y[i] = s;
  }
}
__global__ void alone(int m, float *z) { z[threadIdx.x * m] = rsqrtf(z[0]); }
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  float *x, *y; int *at;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); cudaMalloc(&at, n * 4 + 4);
  pick<<<(n + 255) / 256, 256>>>(n, at, x, y);
  for (int k = 0; k < 20; k++) pick<<<64, 64>>>(4096, at, x, y);
  void (*open)(int); open<<<1, 2>>>(n);
}
"""


def explained(**question: Any) -> Explanation:
    analysis = ProgramAnalysis.load(
        [MAIN], Settings(), reader=lambda p: SOURCE.encode() if p == MAIN else None
    )
    return explain_file(analysis, MAIN, Question(**question))


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    return explained()


@pytest.fixture(scope="module")
def content(explanation: Explanation) -> Any:
    return json.loads(document.render(explanation))


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    read = json.loads(document.schema_text())
    jsonschema.Draft202012Validator.check_schema(read)
    return jsonschema.Draft202012Validator(read)


# -- JSON


def test_output_conforms_to_the_published_schema(
    content: Any, validator: jsonschema.Draft202012Validator
) -> None:
    validator.validate(content)
    validator.validate(json.loads(document.render(explained(kernel="pick", launch=2, line=7))))


def test_the_schema_refuses_other_keys_at_every_depth(
    content: Any, validator: jsonschema.Draft202012Validator
) -> None:
    def damaged(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            for key in list(value)[:4]:
                yield {other: value[other] for other in value if other != key}
            for key in value:
                for changed in damaged(value[key]):
                    yield {**value, key: changed}
            yield {**value, "surplus": 1}
        elif isinstance(value, list) and value:
            for changed in damaged(value[0]):
                yield [changed, *value[1:]]

    variants = list(damaged(content))
    assert len(variants) > 150
    assert not [variant for variant in variants if validator.is_valid(variant)]


def test_the_published_schema_is_what_the_records_give() -> None:
    assert document.schema_text() == schema.schema_text()


def test_every_key_has_a_description() -> None:
    """Those that are defined for the report, too, excepted."""
    shared = {"flip_point", "gpu_used", "unknown_used", "problem", "by_precision"}
    found = {
        f"{name}.{key}"
        for name, made in schema.schema()["$defs"].items()
        if name not in shared
        for key, value in made["properties"].items()
        if not value.get("description")
    }
    assert found == set()


def test_keys_are_those_of_the_report_where_it_has_them(content: Any) -> None:
    first = content["kernels"][0]
    verdict = first["explained"]["verdict"]
    assert verdict["class"] in {"CB", "BB"}
    assert first["launches"][0]["class"] == verdict["class"]
    assert content["gpu"]["ridges_ops_per_byte"]["sp"] == pytest.approx(39.15, abs=0.01)
    assert content["args"] is None
    assert content["tool"]["name"] == "roofline-lsp"


def test_numbers_that_are_counted_are_the_same_everywhere(content: Any) -> None:
    """Regions and lines both add up to the operations of the verdict."""
    for kernel in content["kernels"]:
        explained = kernel["explained"]
        for intensity in explained["verdict"]["intensities"]:
            key = (
                "int_ops" if intensity["precision"] == "int" else f"{intensity['precision']}_flops"
            )
            for part in ("regions", "lines"):
                total = sum(each["operations"][key] for each in explained[part])
                assert total == pytest.approx(intensity["operations"])


# -- text


def test_the_text_has_eight_steps_a_kernel(explanation: Explanation) -> None:
    text = render(explanation, ColourStyle())
    numbers = re.findall(r"^  (\d)  ", text, re.MULTILINE)
    assert numbers == [*"12345678"] * 2
    assert not [line for line in text.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize(
    "line",
    [
        "     n = 1048576  ASSUMED",
        "     assumed  argv[1]: the command line is not known (main.cu:15); taken: 1048576",
        "         grid.x = (n + 255) / 256",
        "     template arguments: T = float",
        "  2  Launch at /p/main.cu:18, one of 2 launches",
        "  2  Launch: none was found, so grid and block are assumed",
        "     launch 2 takes most time in all: --launch 2 explains it",
    ],
)
def test_what_a_person_looks_for_stands_on_a_line(explanation: Explanation, line: str) -> None:
    source = SOURCE.replace("k < 20", "k < 100000")
    if line.startswith("     launch 2"):
        analysis = ProgramAnalysis.load([MAIN], Settings(), reader=lambda _: source.encode())
        explanation = explain_file(analysis, MAIN, Question("pick"))
    assert line in render(explanation, ColourStyle()).splitlines()


def test_estimates_are_marked_and_reasoned(explanation: Explanation) -> None:
    text = render(explanation, ColourStyle())
    assert re.search(r"^ +8 +loop trip#\d+ .* ~\d+ trips? ", text, re.MULTILINE)
    assert "~ estimated: " in text
    assert re.search(r"^     trips of the loop at line 8 = \d+: ", text, re.MULTILINE)
    assert re.search(r"^         if \d+(\.\d+)?: +(CB|BB) \d+%", text, re.MULTILINE)


def test_loaded_numbers_are_named_where_formulas_rest_on_them(explanation: Explanation) -> None:
    text = render(explanation, ColourStyle())
    (name,) = set(re.findall(r"read +4 B at 4\*(at#\d+)", text))
    assert re.search(rf"as {re.escape(name)}\b", text)
    assert "address rests on data" in text


def test_one_line_alone_is_said_in_the_titles() -> None:
    text = render(explained(kernel="pick", line=7), ColourStyle())
    assert "  4  Accesses, by array, line 7 alone" in text
    assert "       7:  read" in text
    assert "  y  global" not in text


def test_what_was_not_followed_is_told(explanation: Explanation) -> None:
    text = render(explanation, ColourStyle())
    _, told = text.split("Not read or not followed in the file and the host program\n")
    assert "main.cu:20: warning: which kernel 'open' is was not found" in told


def test_a_terminal_gets_its_headings_set_off(explanation: Explanation) -> None:
    plain, coloured = (
        render(explanation, ColourStyle()),
        render(explanation, ColourStyle(colour=True)),
    )
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    assert "\x1b[1m  1  Values from the host\x1b[0m" in coloured
