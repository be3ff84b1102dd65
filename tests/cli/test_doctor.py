"""Internal errors are kept where a person finds them, and what is told of them holds no secret."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from roofline_analysis.api import program
from roofline_lsp.cli.main import main
from roofline_lsp.formats import error_file as kept
from roofline_lsp.formats.error_file import error_file, keep_error, kept_errors

SECRET = "sk-hidden-4711"
KERNEL = (
    "__global__ void secret_kernel(float *x) { x[threadIdx.x] = 1; }\n"
    "int main() { float *p; secret_kernel<<<1, 64>>>(p); }\n"
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "state" / "roofline-lsp" / "errors.jsonl"


def raised(message: str) -> Exception:
    try:
        raise ZeroDivisionError(message)
    except ZeroDivisionError as error:
        return error


def test_an_internal_error_of_a_run_is_kept(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError(f"{SECRET} in secret_kernel")

    monkeypatch.setattr(program, "summarise", broken)
    Path("k.cu").write_text(KERNEL)
    assert main(["--check", "k.cu", "--gpu", "A100", "--no-progress"]) != 0
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert error_file() == state
    (error,) = kept_errors()
    assert error.error == "ZeroDivisionError"
    assert error.frames[-1].endswith(" in broken")
    assert any("roofline_analysis/api/program.py:" in frame for frame in error.frames)
    text = state.read_text()
    assert "secret" not in text
    assert "k.cu" not in text
    assert SECRET not in text
    if sys.platform != "win32":
        assert stat.S_IMODE(state.stat().st_mode) == 0o600
        assert stat.S_IMODE(state.parent.stat().st_mode) == 0o700


def test_what_no_command_expects_is_told_and_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> int:
        raise KeyError("x")

    monkeypatch.setattr("roofline_lsp.cli.rules.run", broken)
    assert main(["rules"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("roofline-lsp: internal error: KeyError: 'x' (")
    assert said.endswith("please report it, with what `roofline-lsp doctor` says\n")
    assert [each.error for each in kept_errors()] == ["KeyError"]


def test_the_doctor_tells_versions_settings_and_errors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    own = Path("own.toml")
    own.write_text(
        f'gpu = "A100"\ndefines = ["KEY={SECRET}"]\nargs = ["{SECRET}"]\n[advisor]\n'
        f'test-command = "run {SECRET}"\nbase-url = "https://gateway.example/{SECRET}"\n'
    )
    for number in range(7):
        keep_error(raised(f"{SECRET} {number}"))
    assert main(["doctor", "--config", "own.toml"]) == 0
    said = capsys.readouterr().out
    assert SECRET not in said
    for word in ("roofline-lsp  0.", "numpy", "A100", "(1 value, not shown)", "gateway.example"):
        assert word in said
    assert "ANTHROPIC_API_KEY            set" in said
    assert "internal errors: 7 kept in" in said
    assert said.count("ZeroDivisionError") == 5


def test_errors_can_be_deleted(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_error(raised("x"))
    assert state.is_file()
    assert main(["doctor", "--forget"]) == 0
    assert capsys.readouterr().out == f"{state}: deleted\n"
    assert not state.exists()
    assert main(["doctor", "--forget"]) == 0
    assert main(["doctor"]) == 0
    assert "internal errors: none kept" in capsys.readouterr().out


def test_settings_that_are_wrong_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    url = f"https://me:{SECRET}@gateway.example"
    Path("own.toml").write_text(f'[advisor]\nbase-url = "{url}"\n')
    assert main(["doctor", "--config", "own.toml"]) == 0
    said = capsys.readouterr().out
    assert "settings      not valid: own.toml: 'advisor.base-url' must be" in said
    assert SECRET not in said


def test_the_file_stays_small_and_odd_lines_are_passed_over(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_BYTES", 2_000)
    for _ in range(50):
        keep_error(raised("x"))
    assert state.stat().st_size < 3_000
    with state.open("a") as file:
        file.write("[" * 100_000 + "\n{}\n" + json.dumps({"time": 1}) + "\n\x00\n")
    assert {each.error for each in kept_errors()} == {"ZeroDivisionError"}


def test_a_folder_that_cannot_be_written_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    keep_error(raised("x"))
    assert kept_errors() == ()
