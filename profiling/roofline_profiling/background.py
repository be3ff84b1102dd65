"""This program's own commands in a process of their own, for a server that must not wait."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CLI = (sys.executable, "-P", "-m", "roofline_lsp.cli.main")
"""``-P``: modules in the folder that it runs in must not shadow Python's."""
_MOST_SHOWN = 4000


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended and what it printed, each at most a few thousand characters."""

    code: int
    out: str
    err: str


async def run_command(argv: Sequence[str], folder: Path, *, limit_s: float) -> Finished:
    """Run ``roofline-lsp`` with arguments. Raises OSError, and TimeoutError after ending it."""
    process = await asyncio.create_subprocess_exec(
        *CLI,
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    try:
        async with asyncio.timeout(limit_s):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    return Finished(process.returncode or 0, _text(out), _text(err))


def _text(content: bytes) -> str:
    return content[-_MOST_SHOWN:].decode("utf-8", "replace").strip()
