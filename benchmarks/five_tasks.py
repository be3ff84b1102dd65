"""How long five tasks take: in the terminal, and in an editor, of which the protocol is spoken.

    python benchmarks/five_tasks.py [--rounds N]

The tasks: find the slowest kernel; see why; apply a fix; compare two GPUs; see what a language
model would be sent. Each is what a person does, with the answer that they look for checked, so a
time without the answer is none. In the terminal each command is a process of its own and no report
is kept of earlier ones (``first``), or those of the round before are (``again``). In the editor a
server is started for each round, and the times are from the request, or from opening the file, to
the answer; drawing is the editor's. Printed are medians of all rounds, in seconds, with the steps.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsp_latency import SERVERS, Connection

EXAMPLES = Path(__file__).parents[1] / "examples"
SERIES = """\
#include <cstdlib>

__global__ void series(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = 1.0 + v * (1.0 + v * (0.5 + v * (0.16666667 + v * 0.041666668)));
    }
}

int main() {
    float *x, *y;
    cudaMalloc(&x, 16777216 * sizeof(float));
    cudaMalloc(&y, 16777216 * sizeof(float));
    series<<<65536, 256>>>(x, y, 16777216);
    return 0;
}
"""
FIXED = "y[i] = 1.0f + v * (1.0f + v * (0.5f + v * (0.16666667f + v * 0.041666668f)));"
SLOWEST = "mandelbrot"
TASKS = (
    "find the slowest kernel",
    "see why",
    "apply a fix",
    "compare two GPUs",
    "see what the model would be sent",
)


class Times:
    """Seconds by task and way."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, str], list[float]] = {}

    def note(self, task: str, way: str, work: Callable[[], Any]) -> Any:
        """Do a task and keep its time."""
        started = time.perf_counter()
        result = work()
        self.seconds.setdefault((task, way), []).append(time.perf_counter() - started)
        return result


def expect(holds: bool, task: str, got: object) -> None:
    """Raises SystemExit where a task did not give its answer."""
    if not holds:
        raise SystemExit(f"{task}: not the answer: {str(got)[:2000]}")


# ---- Terminal


def command(folder: Path, *words: str) -> str:
    """What ``roofline-lsp`` prints."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / ".cache"), "NO_COLOR": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "roofline_lsp", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ran.stdout


TERMINAL: dict[str, tuple[tuple[str, ...], str]] = {
    TASKS[0]: (("check", "."), rf"time +class.*\n *\S+ \S+ +CB +\S+ +{SLOWEST}"),
    TASKS[1]: (("check", f"{SLOWEST}.cu", "--format", "full"), r"time: DP arithmetic"),
    TASKS[2]: (("check", "series.cu", "--fix", "--inexact-fixes"), r"fixed 1 finding in 1 file"),
    TASKS[3]: (("check", "gemm_naive.cu", "--what-if", "A100,RTX 4090"), r"A100 \wB \| RTX 4090"),
    TASKS[4]: (("prompt", "saxpy.cu"), r"(?s)saxpy.*y\[i\] = a \* x\[i\]"),
}
"""The words of each command, and what its answer has."""


def terminal(times: Times, folder: Path) -> None:
    """All tasks, twice."""
    for way in ("terminal, first", "terminal, again"):
        (folder / "series.cu").write_text(SERIES)
        for task, (words, answer) in TERMINAL.items():
            out = times.note(task, way, lambda words=words: command(folder, *words))
            expect(re.search(answer, out) is not None, task, out)
        expect(FIXED in (folder / "series.cu").read_text(), TASKS[2], "the file")


# ---- Editor


class Opened:
    """A server with a project, as an editor has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.connection = Connection(SERVERS["roofline-lsp"])
        self.connection.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder.as_uri(),
                "capabilities": {"textDocument": {"hover": {"contentFormat": ["markdown"]}}},
            },
        )
        self.connection.send("initialized", {})

    def uri(self, name: str) -> str:
        """Of a file of the project."""
        return (self.folder / name).as_uri()

    def open(self, name: str) -> dict[str, Any]:
        """Open a file: the document for requests."""
        self.connection.open(self.uri(name), (self.folder / name).read_text())
        return {"textDocument": {"uri": self.uri(name)}}

    def slowest(self) -> str:
        """The kernel with the longest time of all files."""
        found: list[tuple[float, str]] = []
        for path in sorted(self.folder.glob("*.cu")):
            report = self.connection.ask("roofline/report", self.open(path.name))
            for file in report["files"]:
                for kernel in file["kernels"]:
                    time_ns = kernel["prediction"]["time_ns"] or 0.0
                    found.append((time_ns, kernel["base_name"]))
        return max(found)[1]

    def why(self) -> str:
        """The hover on the slowest kernel's name."""
        lines = (self.folder / f"{SLOWEST}.cu").read_text().split("\n")
        line = next(at for at, text in enumerate(lines) if f"void {SLOWEST}(" in text)
        column = lines[line].index(SLOWEST) + 1
        answer = self.connection.hover(self.uri(f"{SLOWEST}.cu"), line, column)
        return str(answer)

    def fix(self) -> str:
        """The text after the quick fix of the finding's line, and the lens that follows it."""
        document = {"textDocument": {"uri": self.uri("series.cu")}}
        lines = SERIES.split("\n")
        line = next(at for at, text in enumerate(lines) if "y[i]" in text)
        place = {"line": line, "character": 10}
        context = {"diagnostics": [], "only": ["quickfix"]}
        actions = self.connection.ask(
            "textDocument/codeAction",
            {**document, "range": {"start": place, "end": place}, "context": context},
        )
        action = next(each for each in actions if "RL201" in each["title"])
        edits = next(iter(action["edit"].get("changes", {}).values()), None) or [
            each for change in action["edit"]["documentChanges"] for each in change["edits"]
        ]
        edits.sort(key=lambda each: -each["range"]["start"]["character"])
        for edit in edits:
            start, end = edit["range"]["start"], edit["range"]["end"]
            text = lines[start["line"]]
            new = text[: start["character"]] + edit["newText"] + text[end["character"] :]
            lines[start["line"]] = new
        self.connection.send(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri("series.cu"), "version": 2},
                "contentChanges": [{"text": "\n".join(lines)}],
            },
        )
        return "\n".join(lines) + str(self.connection.lenses(self.uri("series.cu")))

    def gpus(self) -> list[str | None]:
        """The class of a kernel on two GPUs."""
        answers = self.connection.ask(
            "roofline/compareGpus",
            {"textDocument": {"uri": self.uri("gemm_naive.cu")}, "gpus": ["A100", "RTX 4090"]},
        )
        return [each["files"][0]["kernels"][0]["prediction"]["class"] for each in answers]

    def prompt(self) -> str:
        """What would be sent about a kernel."""
        lines = (self.folder / "saxpy.cu").read_text().split("\n")
        line = next(at for at, text in enumerate(lines) if "void saxpy(" in text) + 1
        arguments = [self.uri("saxpy.cu"), "saxpy", line]
        call = {"command": "roofline.showPrompt", "arguments": arguments}
        return str(self.connection.ask("workspace/executeCommand", call))


def editor(times: Times, folder: Path) -> None:
    """All tasks in one session; the first is timed from opening the files."""
    (folder / "series.cu").write_text(SERIES)
    opened = times.note("start the server", "editor", lambda: Opened(folder))
    found = times.note(TASKS[0], "editor", opened.slowest)
    expect(found == SLOWEST, TASKS[0], found)
    why = times.note(TASKS[1], "editor", opened.why)
    expect("DP" in why and "Compute-bound" in why, TASKS[1], why)
    fixed = times.note(TASKS[2], "editor", opened.fix)
    expect(FIXED in fixed and "Bandwidth-bound" in fixed, TASKS[2], fixed)
    classes = times.note(TASKS[3], "editor", opened.gpus)
    expect(all(each in ("CB", "BB") for each in classes), TASKS[3], classes)
    prompt = times.note(TASKS[4], "editor", opened.prompt)
    expect("y[i] = a * x[i]" in prompt, TASKS[4], prompt)
    opened.connection.end()


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    times = Times()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) / "project"
            shutil.copytree(EXAMPLES, folder)
            terminal(times, folder)
            editor(times, folder)
    ways = ("terminal, first", "terminal, again", "editor")
    print(f"seconds, medians of {rounds} rounds".ljust(36) + "".join(f"{way:>18}" for way in ways))
    for task in (*TASKS, "start the server"):
        cells = (times.seconds.get((task, way)) for way in ways)
        row = "".join(f"{statistics.median(each):18.2f}" if each else " " * 18 for each in cells)
        print(f"{task:36}{row}")
    for task, (words, _) in TERMINAL.items():
        print(f"  {task}: roofline-lsp {' '.join(words)}")


if __name__ == "__main__":
    main()
