"""What the drivers' own tools call the GPUs of this machine.

Only asked where the system's own files tell nothing, as under WSL and Windows. A tool that is not
there, fails or takes too long tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

LONGEST_S = 3.0
"""How long a tool may take; ``nvidia-smi`` takes a second where the driver must be loaded."""

Run = Callable[[Sequence[str]], str]
"""Runs a program and gives what it prints; empty where it gives nothing of use."""

_QUERY = ("--query-gpu=pci.device_id,name", "--format=csv,noheader")
_WSL = Path("/usr/lib/wsl/lib/nvidia-smi")
"""Where WSL has it, which is not on the PATH of every login."""
_ROCMINFO = ("rocminfo",)
_FIELD = r"(?m)^\s*(Marketing Name|Device Type):\s*(.*?)\s*$"


def reported_names(run: Run | None = None) -> Iterator[str]:
    """Names and ids that ``nvidia-smi`` (it asks NVML) and ``rocminfo`` report, GPU by GPU.

    For each NVIDIA GPU its PCI id and then its name: the first one that is known is meant.
    """
    run = run or _output
    for line in run((_nvidia_smi(), *_QUERY)).splitlines():
        device, _, name = line.partition(",")
        if name.strip():
            yield f"{device.strip()}|{name.strip()}"
    name = ""
    for label, value in re.findall(_FIELD, run(_ROCMINFO)):
        if label == "Marketing Name":
            name = value
        elif value == "GPU" and name:
            yield name


def _nvidia_smi() -> str:
    from shutil import which  # noqa: PLC0415 - as subprocess below

    return str(_WSL) if which("nvidia-smi") is None and _WSL.exists() else "nvidia-smi"


def _output(command: Sequence[str]) -> str:
    import subprocess  # noqa: PLC0415 - takes longer to import than to find a GPU without it

    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace")
