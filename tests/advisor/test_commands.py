"""The command line, with the real SDK and a fake endpoint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roofline_lsp.cli.main import main

from .conftest import KEY
from .fake_api import Body, FakeApi, Handler, fails, message, says
from .kernels import DIVISION, SOURCE, STORE, edit, suggestion

GOOD = {
    "suggestions": [
        suggestion("Multiply", DIVISION),
        suggestion("Store once", STORE),
        suggestion("Ghost", edit(4, 4, "float ghost;", "float real;")),
    ]
}


def answers(handler: Handler, body: Body) -> None:
    """Suggestions or a class, whatever was asked for."""
    properties = body["output_config"]["format"]["schema"]["properties"]
    value = GOOD if "suggestions" in properties else {"reason": "It adds a lot.", "class": "CB"}
    says(value)(handler, body)


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    api: FakeApi,
) -> Callable[..., tuple[int, str, str]]:
    """Runs ``roofline-lsp`` in a folder with a kernel; the person's own file names the endpoint."""
    own = tmp_path / "config" / "roofline-lsp"
    own.mkdir(parents=True)
    (own / "roofline.toml").write_text(
        f'[advisor]\nbase-url = "{api.url}"\nmodel = "claude-opus-5"\nretries = 0\n'
        "compile = false\n"
    )
    (tmp_path / "p").mkdir()
    monkeypatch.chdir(tmp_path / "p")
    monkeypatch.setenv("NO_COLOR", "1")
    Path("rows.cu").write_text(SOURCE)
    api.default = answers

    def ran(*argv: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(list(argv))
        captured = capsys.readouterr()
        assert KEY not in captured.out + captured.err
        return code, captured.out, captured.err

    return ran


def test_suggestions_as_differences(run: Any, api: FakeApi) -> None:
    code, out, err = run("advise", "rows.cu")
    assert (code, err) == (0, "")
    assert out.startswith("1. Store once\n   It moves less.\n   static model: time ")
    assert "\n--- a/rows.cu\n+++ b/rows.cu\n@@ " in out
    assert "\n-            y[i] = s;\n         }\n+        y[i] = s;\n" in out
    assert "\n2. Multiply\n" in out
    assert "left out: 'Ghost': the lines that it quotes ('float ghost;') are not" in out
    assert out.endswith("2 suggestions for rows, 2 rounds, 2600 tokens used\n")
    assert Path("rows.cu").read_text() == SOURCE
    assert run("advise", "rows.cu")[1].endswith("2 rounds, 0 tokens used\n")
    assert len(api.asked()) == 2


def test_not_even_a_log_for_debugging_holds_key_or_source(run: Any, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from roofline_lsp.cli.main import main; sys.exit(main(sys.argv[1:]))",
            *("advise", "rows.cu"),
        ],
        env={**os.environ, "ANTHROPIC_LOG": "debug"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "2 suggestions for rows" in done.stdout
    assert KEY not in done.stderr
    assert "scaled(" not in done.stderr
    stored = b"".join(file.read_bytes() for file in (tmp_path / "cache").rglob("cache.db*"))
    assert b"rows.cu" not in stored
    assert KEY.encode() not in stored


def test_what_is_sent_is_shown_and_not_sent(run: Any, api: FakeApi) -> None:
    code, out, _ = run("prompt", "rows.cu", "--protocol", "decomposition")
    assert code == 0
    assert "The advisor is off: nothing is sent." in out
    assert "======== class of rows, decomposition, votes: 1 ========" in out
    assert "You count what GPU kernels move." in out
    assert "======== suggestions for rows, rounds: 2 ========" in out
    assert out.count(SOURCE.split("\n")[9]) == 3
    assert '"output_config"' in out
    assert "For rows, each once: 3 requests, about " in out
    assert api.requests == []


def test_tokens_are_counted_on_demand(run: Any, api: FakeApi) -> None:
    api.counted = 1_000_000
    _, out, _ = run("prompt", "rows.cu", "--count")
    assert "2 requests, 2000000 tokens in, at most 32000 out; $10.0000 for the input" in out
    assert [each.path.split("?")[0] for each in api.requests] == ["/v1/messages/count_tokens"] * 2


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("advise", "gone.cu"), "gone.cu: cannot be read"),
        (("advise", "empty.cu"), "empty.cu: has no kernel"),
        (("advise", "two.cu"), "two.cu: has 2 kernels; name one with --kernel: one, two"),
        (("prompt", "two.cu", "--kernel", "on"), "there is no kernel 'on'; there are one, two"),
    ],
)
def test_a_kernel_that_is_not_there(run: Any, argv: tuple[str, ...], words: str) -> None:
    Path("empty.cu").write_text("int x;\n")
    Path("two.cu").write_text("__global__ void one() {}\n__global__ void two() {}\n")
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


def test_opinions_stand_beside_the_verdicts(run: Any, api: FakeApi) -> None:
    code, out, err = run("--format", "full", "--check", "rows.cu", "--llm", "all")
    assert (code, err) == (0, "")
    assert "rows  BB by intensity  98%  its time goes to " in out
    assert (
        "model      claude-opus-5 (evidence): CB, 1 of 1 votes, disagrees; together BB 97%" in out
    )
    assert "its reason, unchecked: It adds a lot." in out
    _, out, _ = run("--check", "rows.cu", "--llm", "all", "--format", "json")
    report = json.loads(out)
    schema = resources.files("roofline_lsp.formats") / "schema" / "report.schema.json"
    jsonschema.validate(report, json.loads(schema.read_text(encoding="utf-8")))
    opinion = report["files"][0]["kernels"][0]["opinion"]
    assert (opinion["class"], opinion["joined_class"], opinion["joined_source"]) == (
        "CB",
        "BB",
        "static",
    )
    assert len(api.asked()) == 1


def test_only_the_unsure_are_asked_about(run: Any, api: FakeApi) -> None:
    _, out, _ = run("--format", "full", "--check", "rows.cu", "--llm")
    assert "  model  " not in out
    assert api.requests == []
    Path("unsure.toml").write_text(f'[advisor]\nbase-url = "{api.url}"\nask-below = 1.0\n')
    _, out, _ = run("--format", "full", "--check", "rows.cu", "--llm", "--config", "unsure.toml")
    assert "  model  " in out


def test_a_verdict_of_both_can_be_what_fails(run: Any, api: FakeApi) -> None:
    Path("sure.toml").write_text(f'[advisor]\nbase-url = "{api.url}"\ntrust = 0.999\n')
    options = ("--check", "rows.cu", "--llm", "all", "--config", "sure.toml", "--fail-on", "cb")
    assert run(*options)[0] == 1
    assert run("--check", "rows.cu", "--fail-on", "cb")[0] == 0


def test_a_failure_leaves_the_report_as_it_is(run: Any, api: FakeApi) -> None:
    api.default = fails(401, "authentication_error")
    code, out, err = run("--format", "full", "--check", "rows.cu", "--llm", "all")
    assert code == 0
    assert "rows  BB by intensity  98%" in out
    assert err == (
        "roofline-lsp: no opinion on 1 kernel: the model's endpoint does not accept the key (401);"
        " check ANTHROPIC_API_KEY\n"
    )


def test_what_every_request_would_meet_is_met_once(run: Any, api: FakeApi) -> None:
    kernels = "".join(f"__global__ void k{at}(float *x) {{ x[{at}] = 1; }}\n" for at in range(9))
    Path("many.cu").write_text(kernels)
    Path("one.toml").write_text(
        f'[advisor]\nbase-url = "{api.url}"\nconcurrency = 1\nretries = 0\n'
    )
    api.default = fails(403, "permission_error")
    _, _, err = run("--check", "many.cu", "--llm", "all", "--config", "one.toml")
    assert len(api.asked()) == 1
    assert err.startswith("roofline-lsp: no opinion on 9 kernels: the key has no permission for")
    api.default = says({}, raw_text="no JSON")
    _, _, err = run("--check", "many.cu", "--llm", "all", "--config", "one.toml")
    assert len(api.asked()) == 10
    assert len(err.splitlines()) == 1


def test_a_project_that_forbids_it(run: Any, api: FakeApi) -> None:
    Path("roofline.toml").write_text("[advisor]\nenabled = false\n")
    for argv in (("--check", "rows.cu", "--llm"), ("advise", "rows.cu")):
        code, out, err = run(*argv)
        assert (code, out) == (2, "")
        assert "a settings file forbids the advisor" in err
    assert api.requests == []


def test_many_kernels_go_as_a_batch(run: Any, api: FakeApi) -> None:
    kernels = "".join(f"__global__ void k{at}(float *x) {{ x[{at}] = 1; }}\n" for at in range(3))
    Path("many.cu").write_text(kernels)
    Path("batch.toml").write_text(f'[advisor]\nbase-url = "{api.url}"\nbatch-from = 3\n')

    def result(_: str, params: Body) -> Body:
        text = json.dumps({"reason": "As a batch.", "class": "BB"})
        content = [{"type": "text", "text": text}]
        return {"type": "succeeded", "message": message(params, content, "end_turn")}

    api.batch_results = result
    api.batch_looks = 0
    options = ("--check", "many.cu", "--llm", "all", "--config", "batch.toml")
    code, out, err = run(*options)
    assert code == 0
    assert out.count("its reason, unchecked: As a batch.") == 3
    assert "3 requests as a batch" in err
    assert api.asked() == []
    assert run(*options)[2] == ""  # all of them are kept


def test_what_it_would_cost(run: Any, api: FakeApi) -> None:
    api.counted = 2000
    code, out, _ = run("--check", "rows.cu", "--llm", "all", "--llm-preview")
    assert (code, out) == (
        0,
        (
            "claude-opus-5: 1 request, 2000 tokens in, at most 16000 out;"
            " $0.0100 for the input, at most $0.41\n"
        ),
    )
    assert api.asked() == []


def test_the_cache(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "roofline-lsp" / "replies"
    _, out, _ = run("cache", "info")
    assert f"folder   {folder}\nentries  0\n" in out
    run("--check", "rows.cu", "--llm", "all")
    _, out, _ = run("cache", "info")
    assert "entries  1\n" in out
    assert "of at most 200 MB\nkept     30 days\n" in out
    assert run("cache", "clear") == (0, f"{folder}: 1 entry deleted\n", "")
    assert run("cache", "clear") == (0, f"{folder}: 0 entries deleted\n", "")


def test_what_is_shown_is_what_is_sent(run: Any, api: FakeApi) -> None:
    Path("own.h").write_text("#define FROM_A_HEADER 1\n")
    Path("deep").mkdir()
    Path("deep/more.h").write_text("#define FROM_MORE 2\n")
    source = f'#include "own.h"\n#include "deep/more.h"\n// \x1b[31m\u202e\n{SOURCE}'
    Path("rows.cu").write_text(source)
    for name in ((), ("--kernel", "rows")):
        api.requests.clear()
        code, out, _ = run("prompt", "rows.cu", "--format", "json", *name)
        assert code == 0
        assert api.requests == []
        shown = {each["about"]: each["body"] for each in json.loads(out)}
        assert run("--check", "rows.cu", "--llm", "all", "--no-progress")[0] == 0
        assert run("advise", "rows.cu", *name)[0] == 0
        asked = [{**body, "stream": None} for body in api.asked()]
        assert {**shown["class"], "stream": None} == asked[0]
        assert {**shown["suggestions"], "stream": None} == asked[1]
        text = asked[0]["messages"][0]["content"][0]["text"]
        assert "FROM_A_HEADER" in text
        assert "FROM_MORE" in text
        assert "\x1b[31m\u202e" in text
        run("cache", "clear")


def test_what_is_shown_has_nothing_that_a_terminal_obeys(run: Any, api: FakeApi) -> None:
    Path("rows.cu").write_text(f"// \x1b]0;title\x07 \u202ereversed\n{SOURCE}")
    for command in (("prompt", "rows.cu"), ("advise", "rows.cu"), ("prompt", "no\x1b[2Jfile.cu")):
        _, out, err = run(*command)
        assert not any(each in out + err for each in "\x1b\x07\u202e")
    assert "\\x1b]0;title\\x07 <U+202E>reversed" in run("prompt", "rows.cu")[1]


def test_words_of_the_model_reach_no_terminal_as_they_are(run: Any, api: FakeApi) -> None:
    hostile = "\x1b[2J\u202e evil"
    shown = {"suggestions": [{**suggestion(hostile, STORE), "why": hostile}]}

    def answer(handler: Handler, body: Body) -> None:
        properties = body["output_config"]["format"]["schema"]["properties"]
        value = shown if "suggestions" in properties else {"reason": hostile, "class": "CB"}
        says(value)(handler, body)

    api.default = answer
    for command in (("advise", "rows.cu"), ("--check", "rows.cu", "--llm", "all", "--no-progress")):
        _, out, err = run(*command)
        assert "evil" in out
        assert not any(each in out + err for each in "\x1b\u202e")


def test_money_settings_of_a_project_are_ignored(run: Any, api: FakeApi) -> None:
    Path("roofline.toml").write_text(
        '[advisor]\nvotes = 3000\nrounds = 9\nmodel = "dearest"\nbase-url = "http://127.0.0.1:1"\n'
        "budget-tokens = 0\n"
    )
    code, _, err = run("--check", "rows.cu", "--llm", "all", "--no-progress")
    assert code == 0
    for name in ("votes", "rounds", "model", "base-url", "budget-tokens"):
        assert f"'advisor.{name}' cannot be set in a project's file" in err
    (asked,) = api.asked()
    assert asked["model"] == "claude-opus-5"


def test_replies_of_another_endpoint_are_others(
    run: Any, api: FakeApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "config" / "roofline-lsp" / "roofline.toml"
    own.write_text("[advisor]\ncompile = false\n")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
    check = ("--check", "rows.cu", "--llm", "all", "--no-progress")
    run(*check)
    run(*check)
    assert len(api.asked()) == 1
    assert f"Requests go to {api.url}." in run("prompt", "rows.cu")[1]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{api.url}/")
    run(*check)
    assert len(api.asked()) == 2
