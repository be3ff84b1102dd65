"""Contracts in sources and settings: kept, broken, not to be told, and malformed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import POLYNOMIAL, SAXPY

Run = Callable[..., Any]
CHECK = ("--check", "src", "--args", "1000000", "--format", "concise")


def fails(ran: Any) -> list[str]:
    start = "roofline-lsp: fails: "
    return [line.removeprefix(start) for line in ran.err.splitlines() if line.startswith(start)]


def saxpy(project: Path, comment: str) -> None:
    (project / "src" / "saxpy.cu").write_text(comment + SAXPY)


@pytest.mark.parametrize(
    "comment",
    [
        "// roofline: expect BB\n",
        "/* roofline: expect bandwidth-bound */\n",
        "//roofline:expect BB on A100; budget dram_bytes <= 12.1*n\n",
        "// roofline: budget sp_flops <= 2*n\n// roofline: budget time_ms < 1\n",
        "// roofline: budget sp_ai > 0.1; budget occupancy >= 0.5\n",
        "// roofline: budget int_ops <= 100*blocks*threads\n",
        "// roofline: assume n=1000000\n// roofline: budget dram_bytes <= 12.1*n\n",
        "// roofline: assume N=1000000; budget dram_bytes <= 12.1*N\n",
        "// roofline: assume n=5; budget dram_bytes <= n\n",  # this launch is another
    ],
)
def test_what_is_kept_is_no_news(run: Run, project: Path, comment: str) -> None:
    saxpy(project, comment)
    ran = run(*CHECK)
    assert (ran.code, ran.err) == (0, "")
    stated = comment.count("expect") + comment.count("budget") + comment.count("assume")
    kept = f"{stated} of {stated} contract{'s' if stated > 1 else ''} kept"
    assert ran.out.endswith(f"; 0 problems, {kept}\n")


@pytest.mark.parametrize(
    ("contract", "message"),
    [
        ("expect CB", "it is BB"),
        ("expect CB on A100", "it is BB on A100 SXM4 40GB"),
        (
            "budget dram_bytes <= 8*n",
            "it is 12000000, 1.5 times that; the limit is 8000000 with n = 1000000",
        ),
        ("budget sp_flops > 4M", "it is 2000000, 0.5 times that; the limit is 4000000"),
    ],
)
def test_what_is_broken_fails_the_check(
    run: Run, project: Path, contract: str, message: str
) -> None:
    saxpy(project, f"// roofline: {contract}\n")
    for options in ((), ("--quiet",)):
        ran = run(*CHECK, *options)
        assert ran.code == 1
        kind = contract.partition(" ")[0]
        assert fails(ran) == [f"src/saxpy.cu:1: contract {kind}: {contract}: {message}"]
    assert run(*CHECK, "--exit-zero").code == 0


@pytest.mark.parametrize(
    ("contract", "message"),
    [
        ("expct BB", "there is no contract 'expct'; did you mean 'expect'?"),
        ("expect BB on A10O", 'unknown GPU "A10O": the nearest names are "A10"'),
        ("budget dram_bytes <= 12*m", "'m' is no number of the kernel's launch; known are n, a, "),
        ("budget dram_bytes <= 12*", "'12*' ends where a number or a name belongs"),
        ("budget dram_bytes <= n/(n-n)", "'n/(n-n)' is no number here"),
        ("assume n = many; expect BB", "'n' wants a number, not 'many'"),
    ],
)
def test_what_is_malformed_names_line_and_remedy(
    run: Run, project: Path, contract: str, message: str
) -> None:
    saxpy(project, f"\n// roofline: {contract}\n")
    ran = run(*CHECK)
    assert ran.code == 1
    text = contract.partition(";")[0]
    (blamed,) = fails(ran)
    assert blamed.startswith(f"src/saxpy.cu:2: contract not-checked: {text}: {message}")


@pytest.mark.parametrize("word", ["assume ", ""])
def test_a_number_that_the_source_leaves_open_is_the_stated_one(
    run: Run, project: Path, word: str
) -> None:
    saxpy(project, f"// roofline: {word}n=4096; budget dram_bytes <= 12*n\n")
    assert run("--check", "src/saxpy.cu", "--format", "concise").code == 0
    assert run("--check", "src/saxpy.cu", "--args", "4096").code == 0
    saxpy(project, f"// roofline: {word}n=4096; budget dram_bytes <= 11*n\n")
    (blamed,) = fails(run("--check", "src/saxpy.cu", "--format", "concise"))
    assert blamed.endswith("the limit is 45056 with n = 4096")


def test_without_a_launch_no_stated_size_is_checked(run: Run, project: Path) -> None:
    text = "// roofline: assume n=4096; budget dram_bytes <= 8*n\n" + POLYNOMIAL
    (project / "src" / "polynomial.cu").write_text(text)
    ran = run(*CHECK)
    assert ran.code == 1
    (blamed,) = fails(ran)
    assert blamed.endswith("no launch was found, so that the work for the stated n is not known")


def test_a_comment_is_the_next_kernels_or_that_around_it(run: Run, project: Path) -> None:
    text = (
        "// roofline: expect CB\n\n"
        "template <int N>\n"
        "__global__ void first(float *x) { x[threadIdx.x] = N; }\n"
        "int between;\n"
        "__global__ void second(float *x) {\n"
        "    x[threadIdx.x] = 1;  // roofline: expect CB\n"
        "}\n"
        "// roofline: expect BB\n"
        "int not_a_kernel;\n"
    )
    (project / "src" / "pair.cu").write_text(text)
    found = fails(run("--check", "src/pair.cu"))
    assert [each.partition(": ")[0] for each in found] == [
        "src/pair.cu:1",
        "src/pair.cu:7",
        "src/pair.cu:9",
    ]
    assert found[2].endswith("stands at no kernel; put it on the line above one, or into its body")


def test_other_comments_are_left_alone(run: Run, project: Path) -> None:
    saxpy(
        project,
        "// roofline: ignore[RL1] not here\n// roofline: n = 4096\n// the roofline: a model\n"
        "// roofline: a picture of roofs\n",
    )
    assert fails(run(*CHECK)) == []


def test_contracts_of_the_settings_go_by_the_kernels_name(run: Run, project: Path) -> None:
    (project / "src" / "roofline.toml").write_text(
        '[contracts."sax*"]\nexpect = "CB"\nbudget = ["dram_bytes <= 13*n", "time_us <= 0.5"]\n'
        '[contracts.polynomial]\nexpect = "CB"\n'
    )
    ran = run(*CHECK)
    assert ran.code == 1
    blamed = fails(ran)
    assert blamed[0] == "src/saxpy.cu:1: contract expect: expect CB: it is BB"
    assert blamed[1].startswith("src/saxpy.cu:1: contract budget: budget time_us <= 0.5: it is ")
    assert ran.out.endswith("2 of 4 contracts kept\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[contracts.k]\nexpect = "fast"\n', "'contracts.k': expect fast: 'expect' wants CB or BB"),
        ('[contracts.k]\nexpct = "BB"\n', "there is no setting 'contracts.k.expct'; did you mean"),
        ('contracts = "BB"\n', "'contracts' must be a table of tables, one for a pattern"),
        ("[contracts]\nk = 3\n", "'contracts.k' must be a table with 'expect', 'budget' or"),
        ("[contracts.k]\nbudget = [3]\n", "'contracts.k.budget' must be a list of texts, not 3"),
    ],
)
def test_wrong_contracts_of_the_settings_stop_the_run(
    run: Run, project: Path, text: str, message: str
) -> None:
    (project / "src" / "roofline.toml").write_text(text)
    ran = run(*CHECK)
    assert ran.code == 2
    assert message in ran.err


def test_an_undecided_kernel_keeps_no_promise(run: Run, project: Path) -> None:
    (project / "src" / "saxpy.cu").write_text(
        "// roofline: expect BB\n"
        "__global__ void saxpy(int n, float a, const float *x, float *y) { unknown(n, a, x, y); }\n"
    )
    (blamed,) = fails(run(*CHECK))
    assert "the kernel is undecided; `roofline-lsp explain` tells why" in blamed


def test_a_baseline_knows_a_broken_contract_again(run: Run, project: Path) -> None:
    saxpy(project, "// roofline: expect CB\n")
    assert run(*CHECK, "--write-baseline", "base.json").code == 1
    assert run(*CHECK, "--baseline", "base.json").code == 0
    saxpy(project, "\n\n// roofline: expect CB\n// roofline: expect CB on A100\n")
    assert len(fails(run(*CHECK, "--baseline", "base.json"))) == 1


def test_json_has_all_of_them(run: Run, project: Path) -> None:
    saxpy(project, "// roofline: expect BB; expect CB\n")
    ran = run("--check", "src", "--args", "1000000", "--format", "json")
    found = json.loads(ran.out)["contracts"]
    assert [(each["text"], each["state"], each["message"]) for each in found] == [
        ("expect BB", "kept", None),
        ("expect CB", "broken", "it is BB"),
    ]
    assert {(each["kernel"], each["path"], each["line"]) for each in found} == {
        ("saxpy", "src/saxpy.cu", 1)
    }
    assert len(json.loads(ran.out)["fails"]) == 1
