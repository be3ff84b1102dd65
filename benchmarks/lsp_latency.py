"""How long an editor waits: the language server beside one that knows nothing.

    python benchmarks/lsp_latency.py [FILE.cu] [--rounds N]

Both servers are spoken to over pipes, in turns, so that what else the machine does hits both. The
other server is made with pygls too and answers every hover and lens with a constant; what it takes
is the cost of the protocol. Printed are medians, 95th percentiles, and on Linux the mean CPU time
of the server's process alone, and their ratios to the other server's. On a machine that is busy or
has few processors CPU time is what compares: analyses have a process of their own beside this one.

- start: from starting the process to the answer to ``initialize``
- first hover: from opening the first document to the answer of a hover on its kernel
- open to hover: the same for later documents
- edit to lens: from a change that moves a kernel to the lens at its new place
- hover after edit: the first hover on that text, when the lens is there
- warm hover: a hover on a text that was hovered on before, while nothing is analysed
- key to lens: from a character typed in a kernel of a file of 3,000 lines to the lenses of that
  text; the next key follows the answer

    python benchmarks/lsp_latency.py --typing [FILE.cu] [--rounds N]

measures the last alone: in a file, or in one of 3,000 lines that is made for it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import pickle
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WARM_HOVERS = 400
PAUSE_S = 2.0
"""After which nothing is analysed any more, as while somebody reads."""
KERNEL_SOURCE = """\
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

int main() {
    int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    return 0;
}
"""
SERVERS = {
    "roofline-lsp": [sys.executable, "-m", "roofline_lsp", "--stdio"],
    "constant": [sys.executable, str(Path(__file__).resolve()), "--serve-constant"],
}


def serve_constant() -> None:
    """The server to compare with."""
    from lsprotocol import types  # noqa: PLC0415
    from pygls.lsp.server import LanguageServer  # noqa: PLC0415

    server = LanguageServer("constant", "1")

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: LanguageServer, params: types.HoverParams) -> types.Hover:
        """The same text everywhere."""
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "**constant**"))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lens(ls: LanguageServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        """One lens, on the first line."""
        at = types.Position(0, 0)
        return [types.CodeLens(types.Range(at, at), types.Command("constant", ""))]

    server.start_io()


def cpu_ms(process: int) -> float:
    """The CPU time that the threads of a process have taken; 0 where the system does not tell."""
    taken_ns = 0
    for each in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            taken_ns += int(each.read_text(encoding="ascii").split()[0])
    return taken_ns / 1e6


class Connection:
    """A server process, spoken to without a library, so that the client takes no time."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        """Send a notification, or with a number a request."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its answer."""
        self.number += 1
        self.send(method, params, self.number)
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']['message']}")
                return message["result"]

    def receive(self) -> dict[str, Any]:
        """The next message."""
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (header := stream.readline()) != b"\r\n":
            if not header:
                raise SystemExit("the server ended")
            if header.startswith(b"Content-Length:"):
                length = int(header[15:])
        message: dict[str, Any] = json.loads(stream.read(length))
        return message

    def begin(self) -> None:
        """Initialize."""
        capabilities = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self.send("initialized", {})

    def open(self, uri: str, text: str) -> None:
        """Open a document."""
        item = {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})

    def hover(self, uri: str, line: int, character: int) -> Any:
        """Hover at a 0-based place."""
        position = {"line": line, "character": character}
        return self.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})

    def lenses(self, uri: str) -> Any:
        """Ask for the lenses."""
        return self.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})

    def push_down(self, uri: str, version: int) -> None:
        """Put a line in at the top."""
        at = {"line": 0, "character": 0}
        change = {"range": {"start": at, "end": at}, "text": "// pushed down\n"}
        document = {"uri": uri, "version": version}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def end(self) -> None:
        """Shut down."""
        self.ask("shutdown", None)
        self.send("exit", None)
        self.process.wait()


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Milliseconds and result of a call."""
    started = time.perf_counter()
    result = work(*arguments)
    return (time.perf_counter() - started) * 1e3, result


class Subject:
    """One server and what was measured of it, in milliseconds."""

    def __init__(self, name: str, folder: Path, text: str, place: tuple[int, int]) -> None:
        self.name = name
        self.folder = folder
        self.text = text
        self.place = place
        self.times: dict[str, list[float]] = {}
        self.cpu: dict[str, list[float]] = {}
        self.opened = 0
        self.pushed = 0
        """How many lines the kernel of the last document was pushed down."""

    def note(self, what: str, work: Callable[[], Any]) -> Any:
        """Do something and keep the time."""
        before = cpu_ms(self.connection.process.pid) if what != "start" else 0.0
        taken, result = timed(work)
        self.times.setdefault(what, []).append(taken)
        self.cpu.setdefault(what, []).append(cpu_ms(self.connection.process.pid) - before)
        return result

    def start(self) -> None:
        """Start the process and initialize."""
        self.connection = Connection(SERVERS[self.name])
        self.note("start", self.connection.begin)

    def open_and_hover(self, what: str) -> str:
        """Open a new document and hover on its kernel; its URI is returned."""
        self.opened += 1
        self.pushed = 0
        uri = (self.folder / f"benchmark_{self.opened}.cu").as_uri()
        text = f"// document {self.opened}\n{self.text}"

        def work() -> Any:
            """Open the document and wait for the hover."""
            self.connection.open(uri, text)
            return self.connection.hover(uri, self.place[0] + 1, self.place[1])

        if self.note(what, work) is None:
            raise SystemExit(f"{self.name} says nothing about the kernel")
        return uri

    def hover_again(self, uri: str, what: str) -> None:
        """Hover on a document that has been analysed."""
        line = self.place[0] + 1 + self.pushed
        if self.note(what, lambda: self.connection.hover(uri, line, self.place[1])) is None:
            raise SystemExit(f"{self.name} says nothing about the kernel")

    def edit(self, uri: str, version: int) -> None:
        """Push the kernel down and wait for its lens."""
        before = self.connection.lenses(uri)[0]["range"]["start"]["line"]

        def work() -> Any:
            """Push the kernel down a line and wait for the lenses."""
            self.connection.push_down(uri, version)
            return self.connection.lenses(uri)

        self.pushed += 1
        after = self.note("edit to lens", work)[0]["range"]["start"]["line"]
        if self.name != "constant" and after != before + 1:
            raise SystemExit("the lens did not follow the kernel")


LONG_KERNEL = """
// Kernel {n} of many, with a stencil, a reduction in shared memory and calls of helpers.
__device__ float weight_{n}(float x, float y) {{
    float d = x - y;
    return expf(-d * d * {n}.5f) + 0.25f * d;
}}

__global__ void step_{n}(const float *in, float *out, float *sums, int width, int height) {{
    __shared__ float tile[BLOCK];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    float total = 0.0f;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {{
        int at = y * width + x;
        float here = in[at];
        for (int dy = -1; dy <= 1; dy++) {{
            for (int dx = -1; dx <= 1; dx++) {{
                float there = in[at + dy * width + dx];
                total += weight_{n}(here, there) * there;
            }}
        }}
        for (int i = 0; i < {n} + 3; i++) {{
            total = total * 0.99f + here;
        }}
        out[at] = total;
    }}
    tile[threadIdx.x] = total;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {{
        if (threadIdx.x < half) {{
            tile[threadIdx.x] += tile[threadIdx.x + half];
        }}
        __syncthreads();
    }}
    if (threadIdx.x == 0) {{
        sums[blockIdx.y * gridDim.x + blockIdx.x] = tile[0];
    }}
}}

void run_{n}(const float *in, float *out, float *sums, int width, int height) {{
    dim3 grid((width + BLOCK - 1) / BLOCK, height);
    for (int t = 0; t < 10; t++) {{
        step_{n}<<<grid, BLOCK>>>(in, out, sums, width, height);
    }}
}}
"""
LONG_MAIN = """
int main(int argc, char **argv) {{
    int width = 1 << 12, height = 1 << 10;
    float *in, *out, *sums;
    cudaMalloc(&in, sizeof(float) * width * height);
    cudaMalloc(&out, sizeof(float) * width * height);
    cudaMalloc(&sums, sizeof(float) * height * (width / BLOCK + 1));
{calls}
    return 0;
}}
"""


def long_source(lines: int = 3000) -> str:
    """A program in one file of about as many lines."""
    count = lines // (LONG_KERNEL.count("\n") + 1)
    kernels = "".join(LONG_KERNEL.format(n=n) for n in range(count))
    calls = "\n".join(f"    run_{n}(in, out, sums, width, height);" for n in range(count))
    head = "#include <cuda_runtime.h>\n#define BLOCK 256\n"
    return head + kernels + LONG_MAIN.format(calls=calls)


def typed_texts(text: str, rounds: int) -> list[tuple[int, int, str]]:
    """Line, column and character of each key: a statement that is typed again and again.

    It is typed at the start of a line in the middle of the file, behind a line that ends a
    statement in a kernel.
    """
    lines = text.split("\n")
    kernels = [i for i, line in enumerate(lines) if re.match(r".*__global__ .*[({,]\s*$", line)]
    after = kernels[len(kernels) // 2]
    line = next(i for i in range(after, len(lines)) if lines[i].rstrip().endswith(";")) + 1
    keys = "".join(f"float added{n} = {n}.0f * blockIdx.x; " for n in range(rounds // 30 + 1))
    return [(line, column, key) for column, key in enumerate(keys[:rounds])]


def measure_typing(text: str, folder: Path, rounds: int) -> list[float]:
    """Milliseconds from each key to the lenses, through the real server's standard streams."""
    connection = Connection(SERVERS["roofline-lsp"])
    connection.begin()
    uri = (folder / "benchmark_typed.cu").as_uri()
    connection.open(uri, text)
    count = len(connection.lenses(uri))
    taken = []
    for version, (line, column, key) in enumerate(typed_texts(text, rounds), 2):
        at = {"line": line, "character": column}
        change = {"range": {"start": at, "end": at}, "text": key}
        document = {"uri": uri, "version": version}
        content = {"textDocument": document, "contentChanges": [change]}

        def work(content: dict[str, Any] = content) -> Any:
            """Send one key and wait for the lenses."""
            connection.send("textDocument/didChange", content)
            return connection.lenses(uri)

        spent, lenses = timed(work)
        if len(lenses) != count:
            raise SystemExit(f"{len(lenses)} lenses instead of {count}")
        taken.append(spent)
    connection.end()
    return taken


def report_typing(text: str, folder: Path, rounds: int) -> None:
    """Print the median and the 90th percentile of the milliseconds from key to lens."""
    taken = sorted(measure_typing(text, folder, rounds))
    p50, p90 = taken[len(taken) // 2], taken[len(taken) * 9 // 10]
    lines = text.count("\n")
    of = f"({lines} lines, {len(taken)} keys)"
    print(f"{'key to lens':16}{p50:13.1f} ms p50{p90:10.1f} ms p90  {of}")


def measure(text: str, folder: Path, place: tuple[int, int], rounds: int) -> list[Subject]:
    """Both servers with their times: cold starts, then hovers and edits in turn."""
    subjects = [Subject(name, folder, text, place) for name in SERVERS]
    for _ in range(max(rounds // 10, 3)):
        for subject in subjects:
            subject.start()
            uri = subject.open_and_hover("first hover")
            subject.connection.end()
    for subject in subjects:
        subject.start()
        subject.open_and_hover("first hover")
    for _ in range(rounds):
        for subject in subjects:
            uri = subject.open_and_hover("open to hover")
            for version in range(2, 5):
                subject.edit(uri, version)
                subject.hover_again(uri, "hover after edit")
    uris = [subject.open_and_hover("open to hover") for subject in subjects]
    time.sleep(PAUSE_S)
    for _ in range(WARM_HOVERS):
        for subject, uri in zip(subjects, uris, strict=True):
            subject.hover_again(uri, "warm hover")
    for subject in subjects:
        subject.connection.end()
    return subjects


def percentile_95(taken: list[float]) -> float:
    """The time that one of twenty is above."""
    return sorted(taken)[len(taken) * 95 // 100]


def stages(text: str, folder: Path) -> dict[str, float]:
    """What an edit costs in the worker and on the way to it and back, in milliseconds."""
    from roofline_core.settings import Settings  # noqa: PLC0415
    from roofline_lsp.server.documents.text_buffer import TextBuffer  # noqa: PLC0415
    from roofline_lsp.server.worker.api_analyser import ApiAnalyser  # noqa: PLC0415
    from roofline_lsp.server.worker.jobs import Analyse  # noqa: PLC0415
    from roofline_lsp.server.worker.main import Worker  # noqa: PLC0415

    worker = Worker(ApiAnalyser())
    found: dict[str, list[float]] = {}
    for version in range(12):
        source = "// pushed down\n" * version + text
        taken, buffer = timed(TextBuffer, source, "utf-16")
        found.setdefault("split into lines", []).append(taken)
        job = Analyse(1, folder / "benchmark.cu", buffer.text.encode(), Settings())
        taken, body = timed(pickle.dumps, job)
        sent, job = timed(pickle.loads, body)
        found.setdefault("job to the worker", []).append(taken + sent)
        taken, answer = timed(worker.do, job)
        found.setdefault("analysis" if version else "first analysis", []).append(taken)
        taken, body = timed(pickle.dumps, answer)
        sent, _ = timed(pickle.loads, body)
        found.setdefault("report back", []).append(taken + sent)
    return {name: statistics.median(taken) for name, taken in found.items()}


def report(subjects: list[Subject], costs: dict[str, float]) -> None:
    """Print what both servers take side by side, then the stages of an edit, in ms."""
    own, other = subjects
    print(f"{'':22}{own.name:>16}{other.name:>14}{'ratio':>9}")
    figures = {"p50": statistics.median, "p95": percentile_95, "CPU": statistics.fmean}
    for what in own.times:
        for name, figure in figures.items():
            both = [each.cpu if name == "CPU" else each.times for each in subjects]
            ours, theirs = (figure(each[what]) for each in both)
            if theirs > 0:
                row = f"{ours:13.2f} ms{theirs:11.2f} ms{ours / theirs:9.2f}"
                print(f"{what:17}{name:5}{row}")
    print("\nStages of an edit")
    for name, cost in costs.items():
        print(f"  {name:20}{cost:10.2f} ms")


def main() -> None:
    """Serve as the constant server, or measure and print what the options ask for."""
    parser = argparse.ArgumentParser(description="How long an editor waits for the server.")
    parser.add_argument("file", type=Path, nargs="?", help="a CUDA source instead of the built-in")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--typing", action="store_true", help="only type in a long file")
    parser.add_argument("--serve-constant", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve_constant:
        serve_constant()
        return
    text = KERNEL_SOURCE
    folder = Path("/nonexistent/benchmark")
    if options.file is not None:
        text = options.file.read_text(encoding="utf-8", errors="replace")
        folder = options.file.resolve().parent
    if options.typing:
        report_typing(text if options.file else long_source(), folder, max(options.rounds, 50))
        return
    kernel = re.search(r"__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)", text)
    if kernel is None:
        raise SystemExit("no kernel found in the file")
    line = text.count("\n", 0, kernel.start(1))
    place = (line, kernel.start(1) - (text.rfind("\n", 0, kernel.start(1)) + 1))
    report(measure(text, folder, place, options.rounds), stages(text, folder))
    print()
    report_typing(long_source(), Path("/nonexistent/benchmark"), max(options.rounds, 50))


if __name__ == "__main__":
    main()
