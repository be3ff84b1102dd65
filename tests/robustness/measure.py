"""Checks each hostile text with the command and tells what that cost.

    python -m tests.robustness.measure [WORD ...]

With words, only texts whose names hold one of them. Exit status 1 if a text costs more than 5 s of
processor time or 500 MB, or ends in anything but a report.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .texts import all_texts

CPU_LIMIT_S: Final = 60
MEMORY_LIMIT_BYTES: Final = 4_000_000_000
MOST_CPU_S: Final = 5.0
MOST_MB: Final = 500.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of ``--check`` came to."""

    cpu_s: float
    peak_mb: float
    outcome: str

    @property
    def is_fine(self) -> bool:
        """Whether it kept to the limits and ended in a report."""
        return self.cpu_s < MOST_CPU_S and self.peak_mb < MOST_MB and self.outcome.startswith("ok")


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check(path: Path) -> Cost:
    """Run ``--check`` on a file in a process of its own."""
    command = [sys.executable, "-m", "roofline_lsp", "--check", str(path), "--no-progress"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=_limited,  # noqa: PLW1509
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Cost(
        used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3, _outcome(process.returncode, text)
    )


def _outcome(code: int, text: str) -> str:
    if code < 0:
        return f"ended by signal {-code}"
    for sign in ("Traceback", "internal error", "Warning:", "MemoryError"):
        if sign in text:
            where = text.index(sign)
            return text[where : where + 160].replace("\n", " ")
    lines = [line for line in text.splitlines() if ": warning" in line or ": error" in line]
    kernel = "plain" in text or "k0" in text or "__omp" in text
    said = lines[0].split(": ", 1)[-1][:110] if lines else ""
    return f"ok {code}{'' if kernel else ' NO KERNEL'} {said}"


def main(words: list[str]) -> int:
    """Measure the texts and print a line for each."""
    poor = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.cu"
        for name, made in all_texts().items():
            if words and not any(word in name for word in words):
                continue
            path.write_bytes(made().encode("utf-8", "surrogateescape"))
            cost = check(path)
            poor += not cost.is_fine
            mark = " " if cost.is_fine else "!"
            print(
                f"{mark} {name:38} {cost.cpu_s:6.1f} s {cost.peak_mb:7.0f} MB  {cost.outcome}",
                flush=True,
            )
    return 1 if poor else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
