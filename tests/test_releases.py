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


def test_a_tag_of_another_version_is_not_built(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.2.0"\n')
    package = tmp_path / "editor-clients" / "vscode" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text('{"version": "0.2.0"}')
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    script.check_tag()  # no tag says nothing
    git("tag", "v0.3.0")
    with pytest.raises(SystemExit, match=r"pyproject.toml has version 0.2.0, .* tag v0.3.0"):
        script.check_tag()
    git("tag", "v0.2.0")
    script.check_tag()
    package.write_text('{"version": "0.1.0"}')
    with pytest.raises(SystemExit, match=r"package.json has version 0.1.0, .* tag v0.2.0, v0.3.0"):
        script.check_tag()


def test_nothing_that_only_lies_in_the_folder_is_built(script: ModuleType) -> None:
    tracked = {path.as_posix() for path in script.tracked_files()}
    assert "pyproject.toml" in tracked
    assert not any(name.startswith((".venv/", "build/", "dist/")) for name in tracked)
