"""``--watch``: a check for each change, and none without."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from roofline_core.settings import SettingsError
from roofline_lsp.cli.watching import WatchError, is_watched, watch


def test_a_check_follows_each_change(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checks: list[int] = []

    def check() -> int:
        checks.append(len(checks))
        if len(checks) == 2:
            raise SettingsError("roofline.toml:1: wrong")
        return 1

    assert watch(["src"], check, changes=["first", "second"]) == 0
    assert checks == [0, 1, 2]
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"roofline-lsp: watching {project / 'src'}; end with Ctrl-C",
        "roofline-lsp: roofline.toml:1: wrong",
        "roofline-lsp: 2 checks; waiting for changes",
        "roofline-lsp: 3 checks; waiting for changes",
    ]


@pytest.mark.parametrize(
    ("path", "watched"),
    [
        ("/p/a.cu", True),
        ("/p/a.h", True),
        ("/p/roofline.toml", True),
        ("/p/CMakeLists.txt", True),
        ("/p/Makefile", True),
        ("/p/.git/index", False),
        ("/p/build/a.cu", False),
        ("/p/picture.png", False),
    ],
)
def test_what_changes_a_report(path: str, watched: bool) -> None:
    assert is_watched(path) is watched


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(WatchError, match=r"pip install 'roofline-lsp\[watch\]'"):
        watch(["."], lambda: 0)
