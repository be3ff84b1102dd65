"""The terminal session of the README: commands that are really run, as an animated SVG.

    python docs/session.py            write docs/images/session.svg
    python docs/session.py --check    write nothing; 1 if it shows what the commands no longer print

The commands are run in a pseudo-terminal of 110 columns on the kernel of the tutorial. Each screen
types a command and then has what it printed, in the terminal's colours; the screens take turns, by
style sheet alone. Where a person wants no motion the last screen stands.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "session.svg"
COMMANDS = (
    ("roofline-lsp check series.cu --args 16777216", 9.0),
    ("roofline-lsp check series.cu --args 16777216 --diff --inexact-fixes", 7.0),
    ("roofline-lsp check series.cu --args 16777216 --fix --inexact-fixes", 8.0),
)
"""Each with the seconds for which it is shown."""
_COLUMNS, _ROWS = 110, 22
_LETTER, _LINE, _MARGIN = 7.8, 18, 14
_TYPED_S = 1.6
"""Seconds that typing a command takes; its output stands right after."""
_FILE = re.compile(r"<!-- file: (\S+) -->\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ESCAPE = re.compile(r"\x1b\[([\d;]*)m")
_LOOKS = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "34": "u", "35": "m", "36": "c"}
_STYLE = """
text { font: 13px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre; }
.b { font-weight: bold; } .d { fill: #9aa5b5; } .r { fill: #ff8b8b; } .g { fill: #9fdf9f; }
.y { fill: #f0d080; } .u { fill: #8fb8ff; } .m { fill: #e0a0e8; } .c { fill: #80dce8; }
.p { fill: #9fdf9f; }
"""


def run(command: str, folder: Path) -> str:
    """What a command prints into a terminal of 110 columns; what it says beside goes first."""
    home = folder / ".home"
    home.mkdir(exist_ok=True)
    program = home / "roofline-lsp"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m roofline_lsp "$@"\n')
    program.chmod(0o755)
    environment = {
        "PATH": f"{home}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
    }
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    with subprocess.Popen(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(theirs)
        printed = b"".join(_read(ours))
        told = process.stderr.read() if process.stderr else b""
    os.close(ours)
    return (told + printed).decode().replace("\r\n", "\n")


def _read(terminal: int) -> Iterator[bytes]:
    """What is written until the other side of the terminal is closed, which Linux tells so."""
    while True:
        try:
            found = os.read(terminal, 65536)
        except OSError:
            return
        if not found:
            return
        yield found


def spans(line: str) -> str:
    """A line with its colours as SVG."""
    parts = _ESCAPE.split(line)
    made, looks = [escape(parts[0])], ""
    for codes, text in zip(parts[1::2], parts[2::2], strict=True):
        known = [_LOOKS[code] for code in codes.split(";") if code in _LOOKS]
        looks = " ".join(filter(None, (looks, *known))) if known else ""
        if text:
            made.append(f'<tspan class="{looks}">{escape(text)}</tspan>' if looks else escape(text))
    return "".join(made)


def picture(screens: Sequence[tuple[str, str, float]]) -> str:
    """The SVG of commands, what they printed, and the seconds for which each is shown."""
    rows = 1 + max(len(printed.rstrip("\n").split("\n")) for _, printed, _ in screens)
    width = round(_COLUMNS * _LETTER + 2 * _MARGIN)
    height = rows * _LINE + 2 * _MARGIN
    whole = sum(seconds for _, _, seconds in screens)
    style, groups, begun = [_STYLE], [], 0.0
    for at, (command, printed, seconds) in enumerate(screens):
        last = at == len(screens) - 1
        style.append(_timing(at, begun / whole, seconds / whole, whole, len(command), last=last))
        groups.append(_screen(at, command, printed.rstrip("\n").split("\n")))
        begun += seconds
    words = " Then: ".join(command for command, _, _ in screens)
    size = f'width="{width}" height="{height}"'
    box = f'viewBox="0 0 {width} {height}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img">',
            f"<title>A terminal session: {escape(words)}</title>",
            f"<style>{''.join(style)}</style>",
            f'<rect {size} rx="8" fill="#1c232d"/>',
            *groups,
            "</svg>\n",
        )
    )


def _timing(at: int, begin: float, share: float, whole: float, letters: int, *, last: bool) -> str:
    """When a screen is seen, and how its command is typed, as shares of the whole."""
    start, typed = 100 * begin, 100 * (begin + _TYPED_S / whole)
    end = 100 * (begin + share)
    seen = f"0%{{opacity:0}}{start:.3f}%{{opacity:1}}{end:.3f}%{{opacity:0}}to{{opacity:0}}"
    told = f"0%{{opacity:0}}{typed:.3f}%{{opacity:1}}to{{opacity:1}}"
    cover = (
        f"0%{{transform:none;animation-timing-function:steps(1,end)}}"
        f"{start:.3f}%{{transform:none;animation-timing-function:steps({letters},end)}}"
        f"{typed:.3f}%{{transform:translateX({letters * _LETTER:.1f}px)}}"
        f"to{{transform:translateX({letters * _LETTER:.1f}px)}}"
    )
    still = 1 if last else 0
    return (
        f"#s{at}{{opacity:{still}}}"
        f"@media (prefers-reduced-motion:reduce){{#t{at}{{display:none}}}}"
        f"@media (prefers-reduced-motion:no-preference){{"
        f"#s{at}{{animation:s{at} {whole:g}s steps(1,end) infinite}}"
        f"#o{at}{{animation:o{at} {whole:g}s steps(1,end) infinite}}"
        f"#t{at}{{animation:t{at} {whole:g}s infinite}}}}"
        f"@keyframes s{at}{{{seen}}}@keyframes o{at}{{{told}}}@keyframes t{at}{{{cover}}}\n"
    )


def _screen(at: int, command: str, lines: Sequence[str]) -> str:
    """A command, a cover that leaves it letter by letter, and what it printed."""
    x, y = _MARGIN, _MARGIN + _LINE - 5
    left, wide = x + 2 * _LETTER, len(command) * _LETTER
    output = "".join(
        f'<text x="{x}" y="{y + (row + 1) * _LINE}">{spans(line)}</text>\n'
        for row, line in enumerate(lines)
        if line
    )
    return (
        f'<g id="s{at}"><clipPath id="c{at}"><rect x="{left:.1f}" y="{_MARGIN}" width="{wide:.1f}"'
        f' height="{_LINE}"/></clipPath>\n'
        f'<text x="{x}" y="{y}"><tspan class="p">$ </tspan><tspan class="b"'
        f' textLength="{wide:.1f}">{escape(command)}</tspan></text>\n'
        f'<g clip-path="url(#c{at})"><rect id="t{at}" x="{left:.1f}" y="{_MARGIN}"'
        f' width="{wide:.1f}" height="{_LINE}" fill="#1c232d"/></g>\n'
        f'<g id="o{at}">\n{output}</g></g>'
    )


def recorded() -> str:
    """Run the commands, one after the other in one folder, and draw them."""
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _FILE.findall(tutorial):
            (Path(folder) / name).write_text(text, encoding="utf-8")
        return picture([(each, run(each, Path(folder)), shown) for each, shown in COMMANDS])


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    made = recorded()
    if not options.check:
        PICTURE.write_text(made, encoding="utf-8")
    elif made != PICTURE.read_text(encoding="utf-8"):
        print("docs/images/session.svg does not show what its commands print: run docs/session.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
