from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import roofline_lsp.cli.main as entry
from roofline_core.settings import Settings
from roofline_lsp.cli.main import COMMANDS
from roofline_lsp.cli.workspace_files import files_below

REST = ", ".join(COMMANDS)
SLOW_PACKAGES = ("anthropic", "lsprotocol", "pygls", "sympy")
CALL = "import sys; from roofline_lsp.cli.main import main; "


def python(code: str, *argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *argv]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, **options
    )


@pytest.mark.parametrize(
    "argv", [["--version"], ["--check", "src/saxpy.cu"], ["schema"], ["gpus", "A100"]]
)
def test_batch_commands_import_no_slow_package(project: Path, argv: list[str]) -> None:
    listing = f"print([name for name in {SLOW_PACKAGES!r} if name in sys.modules], file=sys.stderr)"
    ran = python(f"{CALL}code = main(sys.argv[1:]); {listing}; sys.exit(code)", *argv)
    assert (ran.returncode, ran.stderr) == (0, "[]\n")
    assert ran.stdout


def test_the_version_needs_no_parser(project: Path) -> None:
    listing = "print('tree_sitter' in sys.modules)"
    ran = python(f"{CALL}main(['--version']); {listing}")
    first, second = ran.stdout.splitlines()
    assert first.startswith("roofline-lsp ")
    assert second == "False"


def test_help_names_commands_and_exit_codes(run: Callable[..., Any]) -> None:
    ran = run("--help")
    assert ran.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in ran.out
        assert run(command, "--help").code == 0
    assert "130" in ran.out


def test_commands_are_in_the_order_of_the_alphabet() -> None:
    assert list(COMMANDS) == sorted(COMMANDS)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("evalute", "did you mean 'evaluate'?"),
        (
            "xyz",
            f"the commands are {REST}",
        ),
        ("src/saxpy.cu", "to check it, run: roofline-lsp check src/saxpy.cu"),
    ],
)
def test_unknown_commands_are_told(
    run: Callable[..., Any], project: Path, word: str, hint: str
) -> None:
    ran = run(word)
    message = f"roofline-lsp: unknown command '{word}'; {hint}\n"
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_options_are_not_abbreviated(run: Callable[..., Any]) -> None:
    assert run("--vers").code == 2
    assert run("--check").code == 2


def test_without_a_command_the_server_is_started(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    started: list[dict[str, object]] = []

    def run_stdio(overrides: Any, *, find_files: Callable[..., Any]) -> int:
        found = find_files(project, Settings(), lambda: False)
        assert found.files
        assert found == files_below(project, Settings(), lambda: False)
        started.append(dict(overrides.values))
        return 0

    monkeypatch.setattr("roofline_lsp.server.session.main.run_stdio", run_stdio)
    assert run().code == 0
    assert run("--stdio", "--gpu", "A100").code == 0
    assert started == [{}, {"gpu": "A100"}]


def test_the_server_begins_without_the_options_of_commands() -> None:
    """Clients wait for its first answer."""
    code = (
        "import sys; from roofline_lsp.cli.entry import main; sys.argv[1:] = ['--stdio'];"
        " from roofline_lsp.server.session import main as session;"
        " session.run_stdio = lambda overrides, find_files: 0 if overrides is None else 3;"
        " code = main(); print('argparse' in sys.modules, 'roofline_lsp.cli.main' in sys.modules);"
        " sys.exit(code)"
    )
    ran = python(code)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "False False\n", "")


def test_a_reader_that_leaves_is_no_error(project: Path) -> None:
    """As in ``roofline-lsp --check . | head -1``."""
    code = f"{CALL}sys.exit(main(sys.argv[1:]))"
    for argv in (["schema"], ["--check", "src", "--format", "json"]):
        process = subprocess.Popen(
            [sys.executable, "-c", code, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(timeout=120) == 0


def test_control_c_ends_quietly(project: Path) -> None:
    code = (
        f"import os, signal; import roofline_lsp.batch.workers as workers; {CALL}"
        # A process started in the background inherits that SIGINT is ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "workers.task_reports = lambda *a, **k: os.kill(os.getpid(), signal.SIGINT);"
        "sys.exit(main(sys.argv[1:]))"
    )
    ran = python(code, "--check", "src")
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "")
    assert signal.SIGINT + 128 == 130


def test_interrupts_and_errors_become_exit_codes(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_given: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_dispatch", interrupted)
    assert run("schema").code == 130


def test_the_schema_is_printed(run: Callable[..., Any]) -> None:
    ran = run("schema")
    assert ran.code == 0
    assert json.loads(ran.out)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_stdout_stays_usable_when_descriptors_are_closed(project: Path) -> None:
    ran = python(f"{CALL}sys.exit(main(sys.argv[1:]))", "schema", stdin=subprocess.DEVNULL)
    assert ran.returncode == 0
    assert os.linesep in ran.stdout


def imported(*argv: str) -> set[str]:
    """The packages and modules that a command has imported in the end."""
    code = (
        "import sys\n"
        "from roofline_lsp.cli.entry import main\n"
        "code = main()\n"
        "print('\\n' + ' '.join(sys.modules), file=sys.stderr)"
    )
    ran = python(code, *argv)
    assert ran.returncode == 0
    return set(ran.stderr.splitlines()[-1].split())


def test_the_version_imports_nothing_else(project: Path) -> None:
    found = {name for name in imported("--version") if name.startswith("roofline")}
    assert found == {
        "roofline_lsp",
        "roofline_lsp.cli",
        "roofline_lsp.cli.entry",
        "roofline_lsp.formats",
        "roofline_lsp.formats.tool",
    }
    assert not imported("--version") & {"argparse", "importlib.metadata", "typing", "re"}


def test_a_known_answer_needs_no_analyser(project: Path) -> None:
    for file in project.rglob("*"):
        os.utime(file, (1, 1))
    time.sleep(0.05)  # what is changed while a run begins is not kept
    first = imported("--check", "src", "--no-cache")
    assert {"numpy", "tree_sitter", "roofline_analysis.api.entry"} <= first
    assert not first & {"pygls", "lsprotocol", "anthropic", "roofline_advisor.client"}
    assert not first & {"distributed", "dask", "fsspec", "pyarrow", "roofline_lsp.batch.cluster"}
    kept = ("--check", "src", "--cache-dir", str(project / "kept"))
    imported(*kept)
    known = imported(*kept)
    assert not known & {"numpy", "tree_sitter", "roofline_analysis.api", "roofline_parsers"}
    assert "roofline_analysis.report.report" not in known
