"""What a project could have chosen of a build for an emulation reaches no shell."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from roofline_lsp.cli.main import main
from roofline_profiling.emulate.building import Around, built, check_words
from roofline_profiling.errors import ProfilerError

SHELLS = ("$(touch PWNED)", "`touch PWNED`", '";touch PWNED;"', "a;b", "a\nb", "a|b", "a&b", "\\")


@pytest.mark.parametrize("shell", SHELLS)
def test_names_that_a_shell_would_obey_are_refused(tmp_path: Path, shell: str) -> None:
    for sources, folder in (((f"k{shell}.cu",), tmp_path), (("k.cu",), tmp_path / shell)):
        with pytest.raises(ProfilerError, match="is not handed to a compiler"):
            built(sources, (), tmp_path / "made", Around(folder), limit_s=1.0)


def test_usual_words_are_handed_on() -> None:
    check_words(["-DN=3", "-DF(x)=((x) + 1)", "-I/home/me/my project/include", "k-1_2.cu"])


@pytest.mark.parametrize("given", ['defines = ["X={}"]', 'include-dirs = ["{}"]'])
def test_settings_of_a_project_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: str,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project = tmp_path / "project"
    project.mkdir()
    mark = tmp_path / "PWNED"
    (project / "roofline.toml").write_text(given.format(f"$(touch${{IFS}}{mark})") + "\n")
    (project / "k.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "argv", ["roofline-lsp", "--profile", "--emulate", "--", "k.cu"])
    assert main() != 0
    assert "is not handed to a compiler" in capsys.readouterr().err
    assert not mark.exists()
