"""What reaches a terminal: our colours, and nothing of strangers that it obeys."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from roofline_lsp.cli.main import main
from roofline_lsp.cli.output import PlainStream, plain_streams, redraw, write
from roofline_lsp.formats.style import ColourStyle

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_are_ours_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    stream = PlainStream(terminal)
    style = ColourStyle.of_stream(stream)  # type: ignore[arg-type]
    stream.write(f"{style.red(HOSTILE)} \x1b[31mfake\x1b[0m\n")
    shown = terminal.getvalue()
    assert shown.startswith("\x1b[31m\\x1b]0;owned\\x07")
    assert shown.endswith("\x1b[0m \\x1b[31mfake\\x1b[0m\n")
    assert shown.count("\x1b") == 2
    assert PlainStream(terminal).escape != stream.escape


def test_a_name_in_a_progress_bar() -> None:
    for stream in (terminal := Terminal(), PlainStream(terminal)):
        redraw(stream, HOSTILE)  # type: ignore[arg-type]
    assert terminal.getvalue().count("\x1b") == 2  # ours, at the beginning of each


def test_prints_of_any_module(capsys: pytest.CaptureFixture[str]) -> None:
    with plain_streams():
        print(HOSTILE)
        print(HOSTILE, file=sys.stderr)
    for text in capsys.readouterr():
        assert "\x1b" not in text
        assert "\\x1b]0;owned\\x07" in text


def test_files_of_text_and_of_data(tmp_path: Path) -> None:
    write(HOSTILE, tmp_path / "text")
    assert "\x1b" not in (tmp_path / "text").read_text()
    write(json.dumps({"name": HOSTILE}, ensure_ascii=False), tmp_path / "data", data=True)
    text = (tmp_path / "data").read_text()
    assert not any(each in text for each in HOSTILE if not each.isprintable())
    assert json.loads(text) == {"name": HOSTILE}


SOURCE = "__global__ void k(float *p) {{ p[0] = 1; }}\n#error {0}\n#include <{0}>\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs such names")
@pytest.mark.parametrize("given", ["", 'gpu = "{}"', 'args = "{}"', '[gpus."{}"]\nlike = "A100"'])
def test_sources_names_and_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"k{HOSTILE}.cu"
    Path(name).write_text(SOURCE.format(HOSTILE))
    toml = json.dumps(HOSTILE)[1:-1].replace("\\u202e", "\\u202E")
    Path("roofline.toml").write_text(given.format(toml))
    for command in (
        ["--check", "."],
        ["--check", ".", "--quiet"],
        ["--check", name, "missing" + HOSTILE],
        ["explain", f"{name}:k"],
        ["explain", f"{name}:{HOSTILE}"],
        ["--check", ".", "--format", "json"],
        ["gpus"],
        ["gpus", HOSTILE],
        [HOSTILE],
    ):
        main(command)
        captured = capsys.readouterr()
        shown = captured.out + captured.err
        assert not any(each in shown for each in "\x1b\x07\u202e\x9b"), command
        if command[-1] == "json" and captured.out:
            json.loads(captured.out)
