"""Five tasks typed into a real editor in a terminal, and how long each takes.

    python editor-clients/tests/typed_tasks.py neovim|emacs PROJECT

PROJECT is a copy of the tests' project that may be changed; `EDITORS` names the folder that
`install.sh` filled, `ROOFLINE_LSP` the server. For each task prints a line with tabs between:
editor, task, seconds, actions. The keys of an action are typed at once and the next follows when
the editor shows what it waits for, so the seconds are the machine's, without a person's. An action
is a command, a key, or the answer to a question. A task without its result ends the run.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

CLIENTS: Final = Path(__file__).parents[1]
SERVER: Final = os.environ["ROOFLINE_LSP"]
FIRST_FILE: Final = "horner.cu"
"""The file that is open at the beginning: not the one with the slowest kernel."""
SLOWEST: Final = "halves"
FIXED: Final = "v = v * 0.5f + 1.0f;"
TASKS: Final = (
    "find the slowest kernel",
    "see why",
    "apply a fix",
    "compare two GPUs",
    "see what the model would be sent",
)
GPUS: Final = ("A100 SXM4 40GB", "GeForce RTX 3080 10GB")
PATIENCE_S: Final = 60.0
_ESCAPES: Final = re.compile(
    r"\x1b(\[[0-9;?<=>]*[A-Za-z]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|.)"
)


class Screen:
    """A program in a terminal of its own, 150 columns wide."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 150, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color"}
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *words],
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
        )
        os.close(slave)
        self._shown = ""

    def type(self, keys: str) -> None:
        """Type keys; what is looked for by ``shows`` comes after them."""
        self.read()
        self._shown = ""
        os.write(self._master, keys.encode())

    def shows(self, text: str) -> bool:
        """Whether a text was drawn since the last keys."""
        self.read()
        return text in _ESCAPES.sub("", self._shown)

    def number(self, text: str) -> str:
        """The number before a choice of a list."""
        found = re.search(rf"(\d+): {re.escape(text)}", _ESCAPES.sub("", self._shown))
        return found[1] if found else ""

    def read(self) -> None:
        """Take what the program has drawn, so that it is never held up."""
        while select.select([self._master], [], [], 0)[0]:
            try:
                self._shown += os.read(self._master, 65536).decode(errors="replace")
            except OSError:
                return

    def end(self) -> None:
        """End the program and all that it started."""
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
        os.close(self._master)


class Typist:
    """Types into an editor and counts what it does."""

    def __init__(self, name: str, screen: Screen, ask: Callable[[str], str]) -> None:
        """``ask`` evaluates an expression in the editor and gives its value as a text."""
        self.screen = screen
        self.ask = ask
        self._name = name
        self._actions = 0

    def do(self, keys: str) -> None:
        """One action."""
        self._actions += 1
        self.screen.type(keys)

    def until(self, what: str, condition: Callable[[], bool]) -> None:
        """Wait for what an action leads to. Raises SystemExit where that does not come."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            self.screen.read()
            if time.monotonic() > end:
                raise SystemExit(f"{self._name}: {what}: not within {PATIENCE_S:.0f} s")
            time.sleep(0.02)

    def timed(self, task: str, work: Callable[[Typist], None]) -> None:
        """Do a task and print what it took."""
        self._actions = 0
        started = time.monotonic()
        work(self)
        seconds = time.monotonic() - started
        print(f"{self._name}\t{task}\t{seconds:.2f}\t{self._actions}", flush=True)


def output(words: list[str]) -> str:
    """What a helper program says; nothing where it fails, as while the editor starts."""
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    return ran.stdout.strip() if ran.returncode == 0 else ""


# ---- Neovim

_NVIM_FLOAT: Final = (
    "join(map(filter(nvim_list_wins(), {_, w -> nvim_win_get_config(w).relative != ''}),"
    " {_, w -> join(nvim_buf_get_lines(nvim_win_get_buf(w), 0, -1, v:false), ' ')}), ' ')"
)
_NVIM_LENS: Final = "luaeval('vim.inspect(vim.lsp.codelens.get(0))')"
_NVIM_TEXT: Final = "join(getline(1, '$'), ' ')"


def neovim(scratch: Path, project: Path) -> Typist:
    """Neovim with the plugin and the first file, its lenses shown."""
    program = str(Path(os.environ["EDITORS"]) / "python" / "bin" / "nvim")
    socket = str(scratch / "nvim.sock")
    command = f"lua vim.lsp.config('roofline', {{ cmd = {{ '{SERVER}', '--stdio' }} }})"
    words = [program, "--clean", "--cmd", f"set rtp^={CLIENTS / 'neovim'}", "--cmd", command]
    screen = Screen([*words, "--listen", socket, FIRST_FILE], project)

    def ask(expression: str) -> str:
        return output([program, "--server", socket, "--remote-expr", expression])

    typist = Typist("Neovim", screen, ask)
    typist.until("the lenses", lambda: "-bound" in ask(_NVIM_LENS))
    return typist


def neovim_tasks(typist: Typist) -> dict[str, Callable[[Typist], None]]:
    """What is typed for each task."""
    ask = typist.ask

    def slowest(by: Typist) -> None:
        by.do(":RooflineKernels\r")
        by.until("the list", lambda: ask("&buftype") == "quickfix")
        by.do("\r")
        by.until(
            "the kernel", lambda: ask("expand('%:t') .. expand('<cword>')") == "halves.cuhalves"
        )

    def why(by: Typist) -> None:
        by.do("K")
        by.until("the hover", lambda: "Time is set by" in ask(_NVIM_FLOAT))

    def fix(by: Typist) -> None:
        by.do("]d")
        by.until("the finding", lambda: "0.5" in ask("getline('.')"))
        by.do("gra")
        by.until("the list of actions", lambda: by.screen.shows("Make the literals single"))
        by.do(by.screen.number("Make the literals single") + "\r")
        by.until("the fixed line", lambda: FIXED in ask(_NVIM_TEXT))

    def gpus(by: Typist) -> None:
        by.do(f":RooflineCompareGpus {', '.join(GPUS)}\r")
        by.until("both GPUs", lambda: all(each in ask(_NVIM_TEXT) for each in GPUS))

    def prompt(by: Typist) -> None:
        by.do(":close\r")
        by.do(":RooflinePrompt\r")
        by.until("the prompt", lambda: "You judge GPU kernels" in ask(_NVIM_TEXT))

    return dict(zip(TASKS, (slowest, why, fix, gpus, prompt), strict=True))


# ---- Emacs

_EMACS_TEXTS: Final = (
    "(mapconcat (lambda (w) (with-current-buffer (window-buffer w)"
    ' (buffer-substring-no-properties (point-min) (point-max)))) (window-list) " ")'
)
_EMACS_FRAMES: Final = "(with-current-buffer (window-buffer (selected-window)) %s)"


def emacs(scratch: Path, project: Path) -> Typist:
    """Emacs with eglot and the first file, the server ready."""
    setup = (
        "(progn (require 'package) (package-initialize) (require 'roofline) (require 'server)"
        f' (setq roofline-command \'("{SERVER}" "--stdio") server-socket-dir "{scratch}"'
        " inhibit-startup-screen t eglot-sync-connect 30 make-backup-files nil)"
        " (server-start) (menu-bar-mode -1))"
    )
    words = ["emacs", "-nw", "-q", "-L", str(CLIENTS / "emacs"), "--eval", setup]
    screen = Screen([*words, FIRST_FILE], project)

    def ask(expression: str) -> str:
        socket = str(scratch / "server")
        return output(["emacsclient", "-s", socket, "--eval", _EMACS_FRAMES % expression])

    typist = Typist("Emacs", screen, ask)
    report = '(apply #\'roofline--ask "roofline/report" (roofline--document))'
    ready = f"(and (eglot-current-server) (roofline--kernels {report}) t)"
    typist.until("the server", lambda: ask(ready) == "t")
    return typist


def emacs_tasks(typist: Typist) -> dict[str, Callable[[Typist], None]]:
    """What is typed for each task."""
    ask = typist.ask

    def slowest(by: Typist) -> None:
        by.do("\x1bxroofline-kernels\r")
        by.until("the list", lambda: "halves.cu:3" in ask(_EMACS_TEXTS))
        by.do("\x1bgn")
        place = "(list (buffer-name) (line-number-at-pos))"
        by.until("the kernel", lambda: ask(place) == '("halves.cu" 3)')

    def why(by: Typist) -> None:
        by.do("\x1bxroofline-explain\r")
        by.until("the explanation", lambda: "Time that each resource alone" in ask(_EMACS_TEXTS))

    def fix(by: Typist) -> None:
        by.do("\x1bxflymake-goto-next-error\r")
        by.until("the finding", lambda: "0.5" in ask("(thing-at-point 'line t)"))
        by.do("\x1bxeglot-code-actions\r")
        by.until("the list of actions", lambda: by.screen.shows("Make the literals"))
        by.do("\r")
        by.until("the fixed line", lambda: FIXED in ask(_EMACS_TEXTS))

    def gpus(by: Typist) -> None:
        by.do("\x1bxroofline-compare-gpus\r")
        by.until("the question", lambda: by.screen.shows("GPUs, with commas"))
        by.do(",".join(GPUS) + "\r")
        by.until("both GPUs", lambda: all(each in ask(_EMACS_TEXTS) for each in GPUS))

    def prompt(by: Typist) -> None:
        by.do("\x1bxroofline-show-prompt\r")
        by.until("the prompt", lambda: "You judge GPU kernels" in ask(_EMACS_TEXTS))

    return dict(zip(TASKS, (slowest, why, fix, gpus, prompt), strict=True))


EDITORS: Final = {"neovim": (neovim, neovim_tasks), "emacs": (emacs, emacs_tasks)}


def main() -> None:
    """Start the editor, do the tasks in order, end it."""
    start, tasks = EDITORS[sys.argv[1]]
    project = Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        typist = start(Path(scratch), project)
        try:
            for task, work in tasks(typist).items():
                typist.timed(task, work)
        finally:
            typist.screen.end()


if __name__ == "__main__":
    main()
