"""Run the commands of the tutorial and the how-to pages.

Each block ``console`` has commands after ``$`` and below each what it prints, which is compared;
a line ``...`` stands for any lines. ``<!-- file: NAME -->`` before a block makes a file of it, and
``<!-- examples -->`` a copy of the examples. Without ``--check`` the pages get what is printed now.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("tutorial.md", "how-to.md")
_BLOCK = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n\n?)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$"
    r"|(?P<examples><!-- examples -->)",
    re.MULTILINE | re.DOTALL,
)
_ANY = "..."


def rerun(text: str, folder: Path) -> str:
    """The page with what its commands print now, run one after the other in a folder."""

    def block(found: re.Match[str]) -> str:
        """The block as it is, but the output of a console as its commands print it now.

        A file's block is written, and the examples are copied, for the commands that follow.
        """
        if found["examples"]:
            shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
        elif found["file"]:
            path = folder / found["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(found["body"], encoding="utf-8")
        elif found["kind"] == "console":
            start, end = found.start("body") - found.start(), found.end("body") - found.start()
            shown = "".join(_console(found["body"], folder))
            return f"{found[0][:start]}{shown}{found[0][end:]}"
        return found[0]

    return _BLOCK.sub(block, text)


def _console(body: str, folder: Path) -> Iterator[str]:
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        command, _, told = part.partition("\n")
        if not command.startswith("$ "):
            yield part
            continue
        printed = _run(command[2:], folder)
        yield f"{command}\n{told if _is_like(told, printed) else printed}"


def _run(command: str, folder: Path) -> str:
    """What a command line prints, on either stream."""
    home = folder / ".home"
    home.mkdir(exist_ok=True)
    (home / "roofline-lsp").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m roofline_lsp "$@"\n')
    (home / "roofline-lsp").chmod(0o755)
    environment = {
        "PATH": f"{home}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }
    ran = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    lines = (line.rstrip() for line in ran.stdout.splitlines())
    return "".join(f"{line}\n" for line in lines)


def _is_like(told: str, printed: str) -> bool:
    """Whether a told text is what was printed, with ``...`` for any lines."""
    if _ANY not in told.split("\n"):
        return told == printed
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", told, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


def main() -> int:
    """Write or compare; 1 if a page differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("pages", nargs="*", default=PAGES)
    options = parser.parse_args()
    wrong = 0
    for name in options.pages:
        path = ROOT / "docs" / name
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            now = rerun(text, Path(folder))
        if now != text and options.check:
            print(f"docs/{name} does not show what its commands print: run docs/pages.py")
            wrong = 1
        elif now != text:
            path.write_text(now, encoding="utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
