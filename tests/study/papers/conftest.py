"""A small data set of our own with its sources, and a fake endpoint that answers about it."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.report.report import Verdict
from roofline_lsp.cli.main import main
from roofline_study.dataset import MeasuredKernel
from roofline_study.papers.selection import Sized
from roofline_study.papers.shown_examples import EXAMPLES
from tests.advisor.fake_api import FakeApi, serving

CB, BB = Verdict.COMPUTE_BOUND, Verdict.BANDWIDTH_BOUND
KEY = "sk-test-key-that-nobody-may-see"
COLUMNS = (
    *("program", "kernel", "args", "grid", "block", "sp_flops", "dp_flops", "int_ops"),
    *("dram_bytes", "time_ns", "label"),
)


def made_row(
    program: str = "a-cuda", label: Verdict | None = CB, *, language: str = "cuda", **more: Any
) -> MeasuredKernel:
    """A measured kernel of which the test says what matters."""
    kernel = "k(float *)" if language == "cuda" else "__omp_offloading_1_2_f_l3"
    values: dict[str, Any] = {
        "kernel": kernel,
        "args": ("8",),
        "grid": (4, 1, 1),
        "block": (64, 1, 1),
        "sp_flops": 100.0,
        "dp_flops": 20.0,
        "int_ops": 50.0,
        "dram_bytes": 1000.0,
        "time_ns": 10.0,
        "line": 2,
    }
    return MeasuredKernel(program=program, label=label, **{**values, **more})


def made_sized(program: str, label: Verdict, *, tokens: int = 100, language: str = "cuda") -> Sized:
    """A kernel that may be drawn."""
    return Sized(made_row(program, label, language=language), tokens)


@dataclass(frozen=True)
class SmallSet:
    """As many programs of each language and class, none named as it is judged."""

    dataset: Path
    sources: Path

    def options(self) -> list[str]:
        return [
            *("--dataset", str(self.dataset), "--sources", str(self.sources)),
            *("--gpu", "RTX 3080", "--jobs", "1", "--no-progress"),
        ]


@pytest.fixture
def small(tmp_path: Path) -> SmallSet:
    return made_set(tmp_path, 2)


def made_set(tmp_path: Path, variants: int) -> SmallSet:
    """So many programs of each language and class."""
    sources = tmp_path / "src"
    rows = []
    for number in range(1, variants + 1):
        for example in EXAMPLES:
            launch = example.launch
            kind = "one" if example.verdict is CB else "two"
            program = f"{kind}{number}-{launch.language}"
            folder = sources / program
            folder.mkdir(parents=True)
            suffix = example.file.rpartition(".")[2]
            text = f"// variant {number}\n{example.source()}"
            kernel = launch.kernel
            if launch.language == "omp":
                kernel = kernel.replace("_l4", "_l5")
            (folder / f"main.{suffix}").write_text(text)
            counts = (4194304000, 0, 2e9, 8388608) if example.verdict is CB else (
                *(4194304, 0, 1e7, 12582912),
            )  # fmt: skip
            rows.append(
                (
                    program, kernel, " ".join(launch.args or ()), str(launch.grid),
                    str(launch.block), *counts, 20000, example.verdict.value,
                )
            )  # fmt: skip
    path = tmp_path / "measured.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return SmallSet(path, sources)


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    """The endpoint, a key, settings that name it, and nothing of the person who runs the tests."""
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "anthropic"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = tmp_path / "config" / "roofline-lsp"
    own.mkdir(parents=True)
    with serving() as served:
        (own / "roofline.toml").write_text(
            f'[advisor]\nbase-url = "{served.url}"\nmodel = "claude-opus-5"\nretries = 0\n'
            "concurrency = 1\ncache-days = 0\nbatch-from = 1000\nmax-output-tokens = 500\n"
        )
        yield served


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``roofline-lsp study`` in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def ran(*argv: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["study", *argv])
        captured = capsys.readouterr()
        assert KEY not in captured.out + captured.err
        return code, captured.out, captured.err

    return ran
