"""How a class is asked for, and what the answers come to."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import pytest

from roofline_advisor import prompts
from roofline_advisor.advice import KernelName
from roofline_advisor.bench import Bench
from roofline_advisor.classify import classify
from roofline_advisor.joining import worth_asking
from roofline_advisor.protocols import (
    BYTES,
    CLASS,
    OPERATIONS,
    ClassificationCase,
    decided,
    questions,
)
from roofline_advisor.schema import problem, sent
from roofline_advisor.suggest import SUGGESTIONS
from roofline_analysis.report.report import PredictionSource, Verdict
from roofline_core.program.precision import Precision
from roofline_core.settings import AdvisorSettings, Settings

from .fake_api import FakeApi, says
from .kernels import SOURCE

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND


def case(
    tmp_path: Path, advisor: AdvisorSettings, source: str = SOURCE, name: str = "rows", **more: Any
) -> ClassificationCase:
    path = tmp_path / "rows.cu"
    path.write_text(source)
    settings = Settings(advisor=advisor, **more)
    bench = Bench(path, settings)
    reading = bench.read(source.encode())
    return ClassificationCase(reading, reading.kernel(KernelName(name)), bench.gpu, settings)


def text_of(tmp_path: Path, advisor: AdvisorSettings, protocol: Any, **more: Any) -> str:
    (request,) = questions(case(tmp_path, replace(advisor, protocol=protocol), **more))
    return request.turns[0].text


def test_zero_shot_says_what_the_study_says(tmp_path: Path, advisor: AdvisorSettings) -> None:
    text = text_of(tmp_path, advisor, "zero-shot", args=("4096", "3"))
    assert "DRAM bandwidth: 760.3 GB/s" in text
    assert "Peak single precision: 29768 GOP/s, balance point 39.15 OP/byte" in text
    assert "Kernel: rows(int, const float *, float *)" in text
    assert "Grid: (256, 1, 1)\nBlock: (256, 1, 1)" in text
    assert "Command line of the program: 4096 3" in text
    assert SOURCE.rstrip() in text
    assert "Static analysis" not in text


def test_evidence_says_what_was_counted_but_not_the_verdict(
    tmp_path: Path, advisor: AdvisorSettings
) -> None:
    text = text_of(tmp_path, advisor, "evidence")
    assert "DRAM bytes: 16.8 MB read, 262 kB written" in text
    assert "Single precision: 50.3 M operations, 2.95 per byte (balance point 39.2)" in text
    assert "- rows.cu:10: SP 46.1 M" in text
    assert "Not known from the source, and what was assumed:\n- nothing" in text
    for word in ("BB", "CB", "bound"):
        assert word not in text.split("## Source")[0]
    unknown = SOURCE.replace("1 << 16", "atoi(argv[1])").replace(
        "main()", "main(int argc, char **argv)"
    )
    text = text_of(tmp_path, advisor, "evidence", source=unknown)
    assert "argv[1]" in text.split("and what was assumed:")[1].split("## Source")[0]


def test_few_shot_shows_examples_of_both_classes(tmp_path: Path, advisor: AdvisorSettings) -> None:
    (request,) = questions(case(tmp_path, replace(advisor, protocol="few-shot")))
    assert request.system.startswith(prompts.constant("classify"))
    assert request.system.count("Example ") == 4
    assert request.turns[0].text == text_of(tmp_path, advisor, "zero-shot")


EXAMPLES = re.findall(
    r"Grid \((.*?)\), block \((.*?)\), (n = .*?)\.\n\n```cuda\n(.*?)```\n\n(\{.*?\})\n",
    prompts.constant("examples") + "\n",
    re.DOTALL,
)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[3].split("(")[0][16:])
def test_the_examples_are_right(
    tmp_path: Path, advisor: AdvisorSettings, example: tuple[str, str, str, str, str]
) -> None:
    grid, block, values, kernel, answer = example
    given = json.loads(answer)
    assert problem(given, CLASS) is None
    names = dict(pair.split(" = ") for pair in values.split(", "))
    pointers = re.findall(r"(float|double) \*(\w+)", kernel)
    sized = "n * n" if "transpose" in kernel else "n"
    lines = [f"const int {name} = {value};" for name, value in names.items()]
    for kind, name in pointers:
        lines += [f"{kind} *{name};", f"cudaMalloc(&{name}, {sized} * sizeof({kind}));"]
    (name,) = re.findall(r"void (\w+)\(", kernel)
    arguments = re.findall(r"(\w+)[,)]", re.findall(r"\((.*?)\) \{", kernel)[0] + ")")
    passed = ", ".join("2.0f" if each == "a" else each for each in arguments)
    lines.append(f"{name}<<<dim3({grid}), dim3({block})>>>({passed});")
    source = kernel + "int main() {\n    " + "\n    ".join(lines) + "\n    return 0;\n}\n"
    found = case(tmp_path, advisor, source, name).kernel.prediction
    assert found.verdict is Verdict(given["class"])
    assert found.confidence > 0.6


async def test_votes_are_asked_apart_and_counted(
    api: FakeApi, make_asker: Any, tmp_path: Path
) -> None:
    for verdict in ("CB", "CB", "BB"):
        api.script.append(says({"reason": f"so  {verdict}", "class": verdict}))
    asker = make_asker(votes=3, concurrency=1)
    opinion = await classify(asker, case(tmp_path, asker.settings))
    assert (opinion.verdict, opinion.votes, opinion.of_votes) == (CB, 2, 3)
    assert opinion.reason == "so CB"
    assert (opinion.model, opinion.protocol) == ("claude-test", "evidence")
    assert opinion.joined is BB
    assert opinion.joined_source is PredictionSource.STATIC
    assert len(api.asked()) == 3


async def test_decomposition_is_decided_by_arithmetic(
    api: FakeApi, make_asker: Any, tmp_path: Path
) -> None:
    asker = make_asker(protocol="decomposition", concurrency=1)
    # 40 operations for each byte are above single precision's balance point of 39.15.
    api.script.append(says({"reason": "", "sp_flops": 4e9, "dp_flops": 0, "int_ops": 0}))
    api.script.append(says({"reason": "", "read_bytes": 9e7, "written_bytes": 1e7}))
    opinion = await classify(asker, case(tmp_path, asker.settings))
    assert opinion.verdict is CB
    assert opinion.reason == "SP 4 G, DP 0, INT 0 operations, 100 MB of DRAM traffic"
    first, second = api.asked()
    assert "You count what GPU kernels compute" in first["system"][0]["text"]
    assert "You count what GPU kernels move" in second["system"][0]["text"]


@pytest.mark.parametrize(
    ("operations", "total", "expected"),
    [
        ({Precision.SP: 39.0}, 1.0, BB),
        ({Precision.SP: 40.0}, 1.0, CB),
        ({Precision.SP: 0.0, Precision.INT: 20.0}, 1.0, CB),
        ({Precision.SP: 0.0, Precision.DP: 0.7}, 1.0, CB),
        ({Precision.SP: 1.0}, 0.0, CB),
        ({Precision.SP: 0.0}, 0.0, None),
        ({Precision.HP: 1.0}, 1.0, None),
    ],
)
def test_the_rule(
    tmp_path: Path,
    advisor: AdvisorSettings,
    operations: dict[Precision, float],
    total: float,
    expected: Verdict | None,
) -> None:
    gpu = case(tmp_path, advisor).gpu
    ridges = dict(gpu.ridges)
    del ridges[Precision.HP]
    assert decided(operations, total, replace(gpu, ridges=ridges)) is expected


def test_who_is_asked_about(tmp_path: Path, advisor: AdvisorSettings) -> None:
    prediction = case(tmp_path, advisor).kernel.prediction
    unsure = replace(prediction, confidence=0.69)
    unknown = replace(prediction, confidence=0.0, verdict=None)
    asked = replace(advisor, ask_below=0.7)
    never = replace(advisor, ask_below=0.0)
    assert not worth_asking(prediction, asked)
    assert worth_asking(unsure, asked)
    assert worth_asking(unknown, asked)
    assert not worth_asking(unsure, never)
    assert not worth_asking(unknown, never)


@pytest.mark.parametrize("schema", [CLASS, OPERATIONS, BYTES, SUGGESTIONS])
def test_schemas_are_sent_as_the_sdk_would_send_them(schema: Any) -> None:
    def sorted_limits(value: Any) -> Any:
        """Limits in descriptions in one order."""
        if isinstance(value, dict):
            made = {key: sorted_limits(item) for key, item in value.items()}
            if isinstance(made.get("description"), str):
                made["description"] = sorted(made["description"].strip("{}\n").split(", "))
            return made
        return [sorted_limits(item) for item in value] if isinstance(value, list) else value

    assert sorted_limits(sent(schema)) == sorted_limits(anthropic.transform_schema(dict(schema)))
