"""Two builds of the same commit give the same bytes, and a difference is told."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "build_twice.py"

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists(), reason="an sdist has no list of tracked files"
)


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_twice", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_builds_are_reproducible(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(tmp_path / "dist")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    names = {line.split("  ")[1] for line in done.stdout.splitlines()}
    assert {Path(name).suffix for name in names} == {".whl", ".gz"}
    assert {path.name for path in (tmp_path / "dist").iterdir()} == names


def test_builds_that_differ_are_told(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def build(folder: Path, out: Path, environment: dict[str, str], mode: int) -> None:
        out.mkdir(exist_ok=True)
        (out / "same").write_text(environment["SOURCE_DATE_EPOCH"])
        (out / "other").write_text(environment["TZ"])

    monkeypatch.setattr(script, "build", build)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert script.main(tmp_path / "dist") == 1
    assert capsys.readouterr().err == "not reproducible: other\n"
    assert (tmp_path / "dist" / "same").read_text() == script.commit_time()


def test_nothing_that_only_lies_in_the_folder_is_built(script: ModuleType) -> None:
    tracked = {path.as_posix() for path in script.tracked_files()}
    assert "pyproject.toml" in tracked
    assert not any(name.startswith((".venv/", "build/", "dist/")) for name in tracked)
