"""Ctrl-C ends the server in a terminal and says nothing."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

START = """\
import signal, sys
from roofline_lsp.cli.entry import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell runs tests aside
sys.argv = ["roofline-lsp", "--stdio"]
sys.exit(main())
"""
SERVER = (sys.executable, "-c", START)
WAITS = "roofline-lsp: waits for an editor on standard input; Ctrl-C ends it\r\n"
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"processId":null}}'
)


@pytest.mark.parametrize("after_s", [0.0, 0.3, 0.6, 1.2])
def test_ctrl_c_in_a_terminal_ends_it_silently(after_s: float) -> None:
    """Also while the process that analyses, or the protocol, is still being imported."""
    terminal, end = pty.openpty()
    command = ["setsid", "--ctty", *SERVER]
    server = subprocess.Popen(command, stdin=end, stdout=end, stderr=end)
    os.close(end)
    shown = _shown(terminal, until=WAITS)
    time.sleep(after_s)
    os.write(terminal, b"\x03")
    assert server.wait(60) == 130
    assert shown + _shown(terminal) in (WAITS, WAITS + "^C")
    os.close(terminal)


def test_an_interrupt_ends_a_server_that_waits_for_its_client() -> None:
    server = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(INITIALIZE), INITIALIZE))
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length: ")
    server.send_signal(signal.SIGINT)
    assert server.wait(60) == 130
    server.stdin.close()
    server.stdout.close()


DEAF = """\
import signal, time
from roofline_lsp.server.session.main import ended_by_interrupts
class Worker:
    def stop(self): print("stopped", flush=True)
signal.signal(signal.SIGINT, signal.default_int_handler)
with ended_by_interrupts(Worker()):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # no signal wakes this thread
    print("waits", flush=True)
    time.sleep(60)
"""


def test_an_interrupt_needs_no_main_thread_that_wakes_up() -> None:
    """Python's handler does not run while that thread waits, as after a signal just before it."""
    process = subprocess.Popen((sys.executable, "-c", DEAF), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "waits\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert process.stdout.read() == "stopped\n"
    process.stdout.close()


def test_what_hears_of_interrupts_is_put_back() -> None:
    ended = """\
import signal, threading
from roofline_lsp.server.session.main import ended_by_interrupts
signal.signal(signal.SIGINT, signal.default_int_handler)
with ended_by_interrupts(None):
    assert threading.active_count() == 2
assert threading.active_count() == 1
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert signal.set_wakeup_fd(-1) == -1
"""
    subprocess.run((sys.executable, "-c", ended), check=True, timeout=60)


def _shown(terminal: int, until: str | None = None) -> str:
    """What the terminal shows from now on: up to a text, or until nothing writes to it."""
    shown = b""
    while until is None or not shown.decode().endswith(until):
        assert select.select([terminal], [], [], 60)[0]
        try:
            new = os.read(terminal, 4096)
        except OSError:  # as Linux says that the last writer is gone
            break
        if not new:
            break
        shown += new
    return shown.decode()
