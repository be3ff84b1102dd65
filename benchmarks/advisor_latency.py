"""Whether an endpoint that hangs is felt in an editor.

    python benchmarks/advisor_latency.py [--rounds N]

Two sessions of the language server are spoken to in turns, so that what else the machine does hits
both. In one the advisor is off. In the other it is on and its endpoint, a socket on loopback, takes
requests and never answers; suggestions and opinions are being waited for all the while. Printed are
medians and the 90th percentile in milliseconds of a hover on an unchanged document, and from a
change to the lenses of the changed text.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from lsp_latency import KERNEL_SOURCE, SERVERS, Connection, timed


class Hung:
    """An endpoint that accepts connections and says nothing."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.connections: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            self.connections.append(self._socket.accept()[0])


class Session:
    """One server with one document."""

    def __init__(self, folder: Path, advisor: dict[str, Any]) -> None:
        self.connection = Connection(SERVERS["roofline-lsp"])
        capabilities = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
        self.connection.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": capabilities,
                "initializationOptions": {"advisor": advisor},
            },
        )
        self.connection.send("initialized", {})
        self.uri = (folder / "saxpy.cu").as_uri()
        self.connection.open(self.uri, KERNEL_SOURCE)
        self.connection.hover(self.uri, 2, 18)
        self.version = 1
        self.times: dict[str, list[float]] = {"hover": [], "change to lenses": []}

    def suggest(self) -> None:
        """Ask for suggestions without waiting for them."""
        self.connection.number += 1
        self.connection.send(
            "workspace/executeCommand",
            {"command": "roofline.suggestOptimizations", "arguments": [self.uri, "saxpy", 3]},
            self.connection.number,
        )

    def measure(self) -> None:
        """One hover and one change."""
        line = 2 + self.version - 1
        taken, found = timed(self.connection.hover, self.uri, line, 18)
        if found is None:
            raise SystemExit("nothing is said about the kernel")
        self.times["hover"].append(taken)
        self.version += 1

        def change() -> Any:
            """Push the kernel down a line and wait for the lenses."""
            self.connection.push_down(self.uri, self.version)
            return self.connection.lenses(self.uri)

        taken, _ = timed(change)
        self.times["change to lenses"].append(taken)


def main() -> None:
    """Print the milliseconds of hovers and changes without an advisor and with one that hangs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    os.environ.update(ANTHROPIC_API_KEY="none", NO_PROXY="127.0.0.1")
    hung = Hung()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        on = {
            "enabled": True,
            "baseUrl": hung.url,
            "askBelow": 1.0,
            "timeoutS": 3600,
            "retries": 0,
            "cacheDir": str(folder / "replies"),
        }
        sessions = {"off": Session(folder, {"enabled": False}), "hung": Session(folder, on)}
        sessions["hung"].suggest()
        while len(hung.connections) < 2:  # the opinion and the suggestions are under way
            sessions["hung"].connection.lenses(sessions["hung"].uri)
        for _ in range(options.rounds):
            for session in sessions.values():
                session.measure()
        for what in ("hover", "change to lenses"):
            for state, session in sessions.items():
                taken = sorted(session.times[what])
                p50, p90 = statistics.median(taken), taken[len(taken) * 9 // 10]
                print(f"{what:17} advisor {state:5} {p50:6.2f} ms  p90 {p90:6.2f} ms")
        sys.stdout.flush()
        for session in sessions.values():
            session.connection.process.kill()


if __name__ == "__main__":
    main()
