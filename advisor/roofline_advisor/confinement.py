"""What compilers and test commands may do: limits, and on Linux no network and few files.

``confined_start.py`` takes the rights away; this module says which are left.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_HELPER: Final = Path(__file__).with_name("confined_start.py")
_SYSTEM: Final = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/dev/urandom",
    "/dev/zero",
)
"""Where programs, their libraries and headers are."""
_TOOLKITS: Final = ("CUDA_HOME", "CUDA_PATH", "ROCM_PATH", "HIP_PATH", "HIP_CLANG_PATH")
"""Variables with the folder of a toolkit."""
_LISTS: Final = ("LD_LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")
"""Variables with folders of libraries and headers."""
_KEPT: Final = (*_TOOLKITS, *_LISTS, "HIP_PLATFORM", "SYSTEMROOT", "COMSPEC", "INCLUDE", "LIB")
"""Variables that a compiler gets; secrets of any name are not among them."""

_GIB: Final = 2**30


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What one process of a program may use. None: no limit."""

    cpu_s: int
    memory_bytes: int | None
    file_bytes: int
    processes: int
    """How many more than there are."""

    def by_name(self) -> dict[str, int]:
        """The limits by the names that the system has for them."""
        found = {
            "RLIMIT_CPU": self.cpu_s,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NPROC": self.processes,
            "RLIMIT_CORE": 0,
        }
        return found if self.memory_bytes is None else {**found, "RLIMIT_AS": self.memory_bytes}


def of_compilers(seconds: float) -> ProcessLimits:
    """The limits of a compiler."""
    return ProcessLimits(int(seconds) + 1, 16 * _GIB, _GIB, 256)


def of_tests(seconds: float) -> ProcessLimits:
    """The limits of a test command: GPU programs reserve more memory than any machine has."""
    return ProcessLimits((os.cpu_count() or 1) * (int(seconds) + 1), None, 16 * _GIB, 4096)


@cache
def is_offered() -> bool:
    """Whether the system confines programs for people without privileges."""
    if sys.platform != "linux":
        return False
    from roofline_advisor.confined_start import landlock_version  # noqa: PLC0415 - loads ctypes

    return landlock_version() > 0


def limited(command: Sequence[str], limits: ProcessLimits) -> list[str]:
    """The command line that runs a command, by its full path, within limits."""
    return _started(command, {"limits": limits.by_name()})


def confined(
    command: Sequence[str], limits: ProcessLimits, folder: Path, readable: Iterable[Path]
) -> list[str]:
    """The same for a compiler, which writes below ``folder`` alone.

    It reads ``readable`` and the system's programs, libraries and headers, and runs the system's
    programs alone. Where the system confines nothing, the limits are all that holds.
    """
    if not is_offered():
        return limited(command, limits)
    return _started(
        command,
        {
            "limits": limits.by_name(),
            "runnable": [*_SYSTEM, *_toolkit_folders(command[0])],
            "readable": list(map(str, readable)),
            "writable": [str(folder), "/dev/null"],
        },
    )


def _started(command: Sequence[str], wanted: dict[str, object]) -> list[str]:
    if sys.platform == "win32":
        return list(command)
    return [sys.executable, "-I", "-S", str(_HELPER), json.dumps(wanted), *command]


def _toolkit_folders(program: str) -> list[str]:
    """The folders of a compiler that is not where the system's are."""
    named = [os.environ[name] for name in _TOOLKITS if os.environ.get(name)]
    named += [each for name in _LISTS for each in os.environ.get(name, "").split(os.pathsep)]
    real = Path(os.path.realpath(program))
    found = [Path(program).parent, real.parent, real.parent.parent, *map(Path, filter(None, named))]
    home = Path(os.path.realpath(Path.home()))
    return [str(each) for each in found if each.is_absolute() and each not in (home, *home.parents)]


def program_path() -> str:
    """The person's folders of programs, without those that depend on the current folder."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(each for each in folders if os.path.isabs(each))  # noqa: PTH117


def compiler_environment(folder: Path) -> dict[str, str]:
    """The environment of a compiler that works in a folder."""
    kept = {name: value for name in _KEPT if (value := os.environ.get(name))}
    scratch = str(folder)
    return {
        **kept,
        "PATH": program_path(),
        "HOME": scratch,
        "TMPDIR": scratch,
        "TEMP": scratch,
        "TMP": scratch,
        "LC_ALL": "C",
    }


def person_environment() -> dict[str, str]:
    """The person's environment without the model's key."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
