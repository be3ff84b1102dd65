"""``roofline-lsp study rq1`` to ``rq4`` and ``decompose``, end to end with a fake endpoint."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from roofline_study.papers.roofline_questions import answered
from tests.advisor.fake_api import Body, FakeApi, Handler, message, says

from .conftest import CB, Run, SmallSet, made_set


def asked_text(body: Body) -> str:
    text = body["messages"][-1]["content"][0]["text"]
    assert isinstance(text, str)
    return text


def answers(handler: Handler, body: Body) -> None:
    """What was asked for: the class, by the program's text, or counts."""
    properties = body["output_config"]["format"]["schema"]["properties"]
    text = asked_text(body)
    if "sp_flops" in properties:
        value: Any = {"reason": "r", "sp_flops": 4194304000, "dp_flops": 0, "int_ops": 1e9}
    elif "read_bytes" in properties:
        value = {"reason": "r", "read_bytes": 4194304, "written_bytes": 4194304}
    elif "Source files:" in text:
        value = {"answer": "Compute" if "steps" in text else "Bandwidth"}
    else:
        found = answered(text)
        value = {"answer": "Compute" if found is CB else "Bandwidth"}
        if "reason" in properties:
            value = {"reason": "The balance point decides.", **value}
    says(value)(handler, body)


@pytest.fixture(autouse=True)
def answering(api: FakeApi) -> None:
    api.default = answers


def rows_of(text: str) -> dict[str, dict[str, str]]:
    return {row["answered_by"]: row for row in csv.DictReader(io.StringIO(text))}


def test_rq1_end_to_end(run: Run, api: FakeApi, tmp_path: Path) -> None:
    options = ("rq1", "--questions", "4", "--results", "kept", "--format", "csv", "--no-progress")
    code, out, err = run(*options)
    assert code == 0
    assert "claude-opus-5: 24 requests, about " in err
    assert api.requests == []
    rows = rows_of(out)
    arithmetic = rows["static: arithmetic, exact by construction"]
    assert (arithmetic["accuracy"], arithmetic["asked_about"]) == ("1", "4")
    assert rows["always CB"]["accuracy"] == "0.5"
    assert rows["gpt-4o-mini, chain of thought"]["accuracy"] == "1"
    assert "claude-opus-5, 2 shots" not in rows

    code, out, err = run(*options, "--ask", "--plot", "rq1.svg")
    assert code == 0
    assert len(api.asked()) == 24
    rows = rows_of(out)
    for shots in (2, 4, 8):
        for thought in ("", ", chain of thought"):
            row = rows[f"claude-opus-5, {shots} shots{thought}"]
            assert (row["kind"], row["accuracy"], row["answers"]) == ("model", "1", "4")
            assert float(row["cost_dollars"]) == pytest.approx(4 * (1100 * 5 + 200 * 25) / 1e6)
    assert Path("rq1.svg").read_text().count("<circle") == 14 + 3 + 6
    kept = list(csv.DictReader(io.StringIO(Path("kept/rq1-answers.csv").read_text())))
    assert len(kept) == 24
    assert {row["program"] for row in kept if "chain" in row["program"]} == {
        f"{shots} shots, chain of thought" for shots in (2, 4, 8)
    }
    assert run(*options, "--ask")[0] == 0
    assert len(api.asked()) == 24


def test_rq2_end_to_end(run: Run, api: FakeApi, small: SmallSet) -> None:
    options = ("rq2", *small.options(), "--results", "kept", "--format", "csv", "--trials", "2")
    code, out, err = run(*options, "--ask")
    assert (code, "16 requests" in err) == (0, True)
    assert len(api.asked()) == 16
    rows = rows_of(out)
    model = rows["claude-opus-5"]
    assert (model["accuracy"], model["asked_about"], model["answers"]) == ("1", "8", "16")
    assert (model["precision"], model["recall"], model["f1"], model["mcc"]) == ("1", "1", "1", "1")
    assert (model["share_cb_as_cb"], model["share_bb_as_bb"]) == ("0.5", "0.5")
    assert (model["accuracy_low"], model["accuracy_high"]) == ("1", "1")
    static = rows["static analysis"]
    assert (static["kind"], static["accuracy"], static["asked_about"]) == ("static", "1", "8")
    assert rows["static analysis, launch withheld"]["asked_about"] == "8"
    assert (rows["always BB"]["accuracy"], rows["o3-mini-high"]["accuracy"]) == ("0.5", "0.6412")
    texts = Counter(asked_text(body) for body in api.asked())
    assert set(texts.values()) == {2}
    assert all("4194304000" not in text and "CB" not in text for text in texts)
    code, again, _ = run(*options, "--ask")
    assert (code, again) == (0, out)
    assert run(*options)[1] == out
    assert len(api.asked()) == 16


def test_rq3_shows_examples_of_both_classes(run: Run, api: FakeApi, small: SmallSet) -> None:
    options = ("rq3", *small.options(), "--results", "kept", "--no-static", "--language", "omp")
    code, out, _ = run(*options, "--ask", "--format", "markdown", "--output", "rq3.md")
    assert (code, out) == (0, "")
    text = Path("rq3.md").read_text()
    assert text.startswith("**RQ3: classes from sources, one example of each class**\n")
    assert "| claude-opus-5 | model | 4 | 4 | 100.00 [100.00, 100.00] |" in text
    assert "4 kernels, 2 of each language and class; of 4 programs 0 were over" in text
    assert "static" not in text.partition("Compute-bound is")[0]
    for body in api.asked():
        system = body["system"][0]["text"]
        assert (system.count("Answer: Compute"), system.count("Answer: Bandwidth")) == (1, 1)


def test_two_models_and_another_endpoint(run: Run, api: FakeApi, small: SmallSet) -> None:
    models = ("--model", "one", "--model", "two", "--base-url", f"{api.url}/")
    options = ("rq2", *small.options(), "--no-static", "--results", "kept", *models)
    code, out, err = run(*options, "--ask", "--format", "csv")
    assert code == 0
    assert "one: 8 requests" in err
    assert "the price of this model is not known" in err
    assert Counter(body["model"] for body in api.asked()) == {"one": 8, "two": 8}
    rows = rows_of(out)
    assert rows["one"]["accuracy"] == rows["two"]["accuracy"] == "1"
    assert rows["one"]["cost_dollars"] == ""


def test_imported_answers_are_rows(run: Run, api: FakeApi, small: SmallSet) -> None:
    rows = list(csv.DictReader(io.StringIO(small.dataset.read_text())))
    lines = ["program,kernel,answer"]
    lines += [f'{row["program"]},"{row["kernel"]}",Compute' for row in rows[:6]]
    lines.append("other-cuda,k,Compute")
    Path("by-hand.csv").write_text("\n".join(lines) + "\n")
    options = ("rq2", *small.options(), "--no-static", "--answers", "by-hand.csv")
    code, out, _ = run(*options)
    assert code == 0
    assert "  by-hand         " in out
    assert "by-hand.csv: 1 answers are about kernels that were not drawn." in out
    assert "by-hand: 6 of 8 kernels have an answer; the others are left out." in out
    imported = rows_of(run(*options, "--format", "csv")[1])["by-hand"]
    right = sum(row["label"] == "CB" for row in rows[:6])
    assert (imported["kind"], imported["asked_about"]) == ("imported", "6")
    assert float(imported["accuracy"]) == pytest.approx(right / 6)
    assert api.requests == []


def test_raw_answers_can_be_imported_again(run: Run, small: SmallSet) -> None:
    options = ("rq2", *small.options(), "--no-static", "--format", "csv")
    run(*options, "--results", "kept", "--ask")
    rows = rows_of(run(*options, "--answers", "kept/rq2-answers.csv")[1])
    assert (rows["claude-opus-5"]["kind"], rows["claude-opus-5"]["accuracy"]) == ("imported", "1")


def test_prompts_are_written_without_asking(run: Run, api: FakeApi, small: SmallSet) -> None:
    code, _, err = run("rq2", *small.options(), "--no-static", "--prompts", "prompts.jsonl")
    assert code == 0
    assert "8 requests" in err
    lines = [json.loads(line) for line in Path("prompts.jsonl").read_text().splitlines()]
    assert len(lines) == 8
    assert lines[0]["item"].startswith("one1-cuda:iterate(")
    assert lines[0]["user"].startswith("Language: CUDA\nKernel: iterate(")
    assert api.requests == []


def test_asking_needs_a_place_to_keep_answers(run: Run, api: FakeApi, small: SmallSet) -> None:
    code, _, err = run("rq2", *small.options(), "--ask")
    assert (code, api.requests) == (2, [])
    assert "'--ask' needs '--results DIR'" in err


def test_what_was_not_answered_is_told(run: Run, api: FakeApi, small: SmallSet) -> None:
    options = ("rq2", *small.options(), "--no-static", "--results", "kept", "--ask")
    code, out, err = run(*options, "--budget-tokens", "4000")
    assert code == 1
    asked = len(api.asked())
    assert 0 < asked < 8
    assert f"no answer of claude-opus-5 to {8 - asked} questions: the budget of 4000" in err
    assert f"claude-opus-5: {8 - asked} of 8 questions have no answer yet" in out
    code, out, _ = run(*options)
    assert (code, "no answer yet" in out) == (0, False)
    assert len(api.asked()) == 8


def test_a_killed_study_asks_nothing_twice(run: Run, api: FakeApi, small: SmallSet) -> None:
    """The endpoint answers five questions and hangs at the sixth; then the process is killed."""
    options = ["rq2", *small.options(), "--no-static", "--results", "kept", "--ask"]
    api.script.extend([answers] * 5 + [api.hangs])
    command = [sys.executable, "-m", "roofline_lsp", "study", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as study:
        ends = time.monotonic() + 300
        while len(api.asked()) < 6:
            assert study.poll() is None
            assert time.monotonic() < ends
            time.sleep(0.02)
        study.kill()
    first = [asked_text(body) for body in api.asked()]
    assert len(list(Path("kept/answers").glob("*.json"))) == 5
    shutil.rmtree("kept/asked")  # the answers alone are enough
    assert run(*options)[0] == 0
    again = [asked_text(body) for body in api.asked()[6:]]
    # The sixth was never answered; all others are asked once.
    assert again[0] == first[5]
    assert len(again) == 3
    counts = Counter(first + again)
    assert counts.pop(first[5]) == 2
    assert set(counts.values()) == {1}
    assert len(counts) == 7


def test_a_batch_of_a_killed_study_is_collected(run: Run, api: FakeApi, small: SmallSet) -> None:
    def result(_: str, params: Body) -> Body:
        content = [{"type": "text", "text": '{"answer": "Compute"}'}]
        return {"type": "succeeded", "message": message(params, content, "end_turn")}

    options = ["rq2", *small.options(), "--no-static", "--results", "kept", "--ask"]
    options += ["--batch-from", "2", "--format", "csv"]
    api.batch_results = result
    api.batch_looks = 1000
    command = [sys.executable, "-m", "roofline_lsp", "study", *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as study:
        ends = time.monotonic() + 300
        while not any(each.method == "GET" for each in api.requests):
            assert study.poll() is None
            assert time.monotonic() < ends
            time.sleep(0.02)
        study.kill()
    api.batch_looks = 0
    code, out, _ = run(*options)
    assert code == 0
    model = rows_of(out)["claude-opus-5"]
    assert (model["accuracy"], model["answers"]) == ("0.5", "8")
    handed_in = [each.body["requests"] for each in api.requests if each.method == "POST"]
    assert [len(each) for each in handed_in] == [8]
    assert run(*options)[1] == out
    assert len([each for each in api.requests if each.method == "POST"]) == 1


def test_several_gpus_are_an_error(run: Run, small: SmallSet) -> None:
    header, *lines = small.dataset.read_text().splitlines()
    held = [f"{line},{'A100' if at else 'H100'}" for at, line in enumerate(lines)]
    small.dataset.write_text("\n".join([f"{header},gpu", *held]) + "\n")
    code, _, err = run("rq2", *small.options())
    assert (code, "rows of several GPUs (A100, H100)" in err) == (2, True)


def test_rq4_writes_both_parts_and_scores_answers(run: Run, api: FakeApi, tmp_path: Path) -> None:
    five = made_set(tmp_path, 5)
    options = ("rq4", *five.options(), "--results", "kept", "--format", "csv")
    code, out, _ = run(*options, "--export", "tuning")
    assert (code, api.requests) == (0, [])
    parts = {
        name: [json.loads(line) for line in Path(f"tuning/{name}.jsonl").read_text().splitlines()]
        for name in ("train", "validation")
    }
    assert {name: len(lines) for name, lines in parts.items()} == {"train": 16, "validation": 4}
    for name, each in (("train", 8), ("validation", 2)):
        words = Counter(line["messages"][-1]["content"] for line in parts[name])
        assert words == {"Compute": each, "Bandwidth": each}, name
    rows = rows_of(out)
    assert rows["gpt-4o-mini, fine-tuned, 1 epoch"]["answers"] == "204"
    assert (rows["static analysis"]["asked_about"], rows["static analysis"]["accuracy"]) == (
        "4",
        "1",
    )

    sheet = list(csv.DictReader(io.StringIO(Path("tuning/answers.csv").read_text())))
    filled = Path("tuned.csv")
    filled.write_text(
        "program,kernel,answer\n"
        + "".join(f'{row["program"]},"{row["kernel"]}",Compute\n' for row in sheet)
    )
    code, out, _ = run(*options, "--answers", "tuned.csv", "--ask", "--trials", "3")
    assert (code, len(api.asked())) == (0, 12)
    rows = rows_of(out)
    assert (rows["tuned"]["accuracy"], rows["tuned"]["recall"]) == ("0.5", "1")
    assert (rows["claude-opus-5"]["accuracy"], rows["claude-opus-5"]["answers"]) == ("1", "12")
    held = {line["messages"][1]["content"] for line in parts["validation"]}
    assert {asked_text(body) for body in api.asked()} == held


def test_too_few_kernels_to_hold_any_back_are_told(run: Run, small: SmallSet) -> None:
    code, _, err = run("rq4", *small.options())
    assert (code, "none can be held back" in err) == (2, True)


def test_decompose_end_to_end(run: Run, api: FakeApi, small: SmallSet) -> None:
    options = ("decompose", *small.options(), "--results", "kept", "--each", "--ask")
    code, out, _ = run(*options, "--plot", "d.svg")
    assert code == 0
    assert len(api.asked()) == 16
    assert re.search(r"^  resize-cuda +16,779,307 +16,777,216 +0\.012$", out, re.MULTILINE)
    assert "Question decomposition: every kernel" in out
    assert run(*options, "--plot", "d.pdf")[0] == 0
    assert Path("d.pdf").read_bytes()[:5] == b"%PDF-"
    with pytest.raises(SystemExit, match="2"):
        run(*options, "--plot", "d.gif")
    assert len(api.asked()) == 16
    one = ("--program", "one1-cuda", "--no-static", "--format", "csv")
    code, out, _ = run("decompose", *small.options(), "--results", "kept", "--each", *one)
    shares = [
        line for line in csv.reader(io.StringIO(out)) if line[1:3] == ["claude-opus-5", "model"]
    ]
    assert [line[3:6] for line in shares] == [
        ["floating-point operations", "1", "1"],
        ["integer operations", "1", "0"],
        ["DRAM bytes", "1", "1"],
    ]
    # 2e9 integer operations were measured, and 1e9 answered.
    each = [line for line in csv.reader(io.StringIO(out)) if line[1] == "one1-cuda"]
    assert [line[4:] for line in each][1] == ["2000000000", "claude-opus-5", "1000000000", "50"]
    assert len(api.asked()) == 16
    assert Path("d.svg").read_text().count("<circle") == 6


def test_a_program_that_is_not_there_is_named(run: Run, small: SmallSet) -> None:
    (small.sources / "one1-cuda" / "main.cu").unlink()
    code, _, err = run("rq2", *small.options())
    assert code == 2
    assert "no source file in" in err
    code, _, err = run("decompose", *small.options(), "--program", "tow1-cuda")
    assert (code, "did you mean 'two1-cuda'" in err) == (2, True)


def test_a_settings_file_that_forbids_asking_is_obeyed(
    run: Run, api: FakeApi, small: SmallSet
) -> None:
    Path("roofline.toml").write_text("[advisor]\nenabled = false\n")
    code, _, err = run("rq2", *small.options(), "--results", "kept", "--ask")
    assert (code, api.requests) == (2, [])
    assert "a settings file forbids the advisor" in err
