"""A suggested edit compiled, and tried by a person's own command, on copies.

The only module that starts programs: compilers that are found, and the command that a person set.
What they run with has no key in its environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_advisor.edits import RejectedError
from roofline_core.program.units import Dialect
from roofline_core.settings import SKIPPED_FOLDERS, Settings
from roofline_hardware_db import find_gpu

_MOST_FILES = 2_000
_MOST_BYTES = 50_000_000
_LONGEST_OUTPUT = 1_500


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of running a program."""

    code: int | None
    """The exit code; None where it took too long."""
    output: str
    """The end of its output."""


class Compiler:
    """Compiles texts of one file with the compiler found for its dialect."""

    def __init__(self, path: Path, dialect: Dialect, settings: Settings) -> None:
        """Looks for a compiler on the path; ``name`` is None where there is none."""
        self._path = path
        self._settings = settings
        self._command = _command(path, dialect, settings) if settings.advisor.compile else None
        self.name = None if self._command is None else Path(self._command[0]).name
        self._usable: bool | None = None

    async def check(self, original: bytes, edited: bytes) -> str:
        """What is known of an edited text, in words; raises RejectedError if it does not compile.

        A file that does not even compile as it is says nothing about an edit.
        """
        if self._command is None:
            return "not compiled: there is no compiler for it here"
        if self._usable is None:
            self._usable = (await self._compile(original)).code == 0
        if not self._usable:
            return f"not compiled: {self.name} does not compile the file as it is"
        ran = await self._compile(edited)
        if ran.code is None:
            return f"not compiled: {self.name} took too long"
        if ran.code != 0:
            raise RejectedError(f"{self.name} does not compile it: {ran.output}")
        return f"compiled with {self.name}"

    async def _compile(self, text: bytes) -> Ran:
        assert self._command is not None
        with tempfile.TemporaryDirectory(prefix="roofline-lsp-") as folder:
            file = Path(folder) / self._path.name
            file.write_bytes(text)
            defines = [f"-D{define}" for define in self._settings.defines]
            folders = [f"-I{each}" for each in (self._path.parent, *self._settings.include_dirs)]
            command = [*self._command, *defines, *folders, str(file)]
            limit_s = self._settings.advisor.test_timeout_s
            ran = await run(command, cwd=Path(folder), limit_s=limit_s)
            return Ran(ran.code, ran.output.replace(f"{folder}{os.sep}", ""))


def _command(path: Path, dialect: Dialect, settings: Settings) -> list[str] | None:
    """How to compile a file without making a program of it."""
    if dialect is Dialect.CUDA and (nvcc := shutil.which("nvcc")):
        name = find_gpu(settings.gpu).architecture.name
        architecture = [f"-arch={name}"] if name.startswith("sm_") else []
        return [nvcc, "--ptx", *architecture, "-x", "cu", "-o", os.devnull]
    if dialect is Dialect.HIP and (hipcc := shutil.which("hipcc")):
        return [hipcc, "-fsyntax-only"]
    clang = shutil.which("clang++") or shutil.which("clang")
    if clang is None:
        return None
    if dialect is Dialect.CUDA:
        return [clang, "-x", "cuda", "-fsyntax-only", "--cuda-device-only"]
    if dialect is Dialect.OPENCL and path.suffix.lower() in {".cl", ".clh"}:
        return [clang, "-x", "cl", "-cl-std=CL2.0", "-fsyntax-only"]
    if dialect is Dialect.OPENMP:
        return [clang, "-fopenmp", "-fsyntax-only"]
    return None


async def tried(path: Path, edited: bytes, settings: Settings) -> str:
    """Run the person's command on a copy of the file's folder with the edit made.

    Gives what is known then, in words. Raises RejectedError where the command fails.
    """
    command = settings.advisor.test_command
    if command is None:
        return "not tested: set 'advisor.test-command' to have it tested"
    words = shlex.split(command)
    if not words or not path.parent.is_dir():
        return "not tested: there is no folder to test it in"
    with tempfile.TemporaryDirectory(prefix="roofline-lsp-") as folder:
        copy = Path(folder) / path.parent.name
        if not await asyncio.to_thread(_copied, path.parent, copy):
            return "not tested: its folder is too large to copy"
        (copy / path.name).write_bytes(edited)
        ran = await run(words, cwd=copy, limit_s=settings.advisor.test_timeout_s)
    if ran.code is None:
        raise RejectedError(f"the test command took longer than {_limit(settings)}")
    if ran.code != 0:
        raise RejectedError(f"the test command fails with {ran.code}: {ran.output}")
    return "the test command passes"


def _limit(settings: Settings) -> str:
    return f"{settings.advisor.test_timeout_s:g} s"


def _copied(source: Path, target: Path) -> bool:
    """Copy a folder as far as it is no version control, environment or build; False if large."""
    files = size = 0
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        files += len(names)
        size += sum((Path(folder) / name).lstat().st_size for name in names)
        if files > _MOST_FILES or size > _MOST_BYTES:
            return False
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*SKIPPED_FOLDERS))
    return True


async def run(command: Sequence[str], *, cwd: Path, limit_s: float) -> Ran:
    """Run a program with nothing to read, and end it and its children when it is too slow."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=_environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Ran(127, f"'{command[0]}' cannot be run: {error.strerror}")
    try:
        async with asyncio.timeout(limit_s):
            output, _ = await process.communicate()
        return Ran(process.returncode, _end_of(output))
    except TimeoutError:
        return Ran(None, "")
    finally:
        if process.returncode is None:
            _end(process)
            await process.wait()


def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}


def _end_of(output: bytes) -> str:
    return output.decode("utf-8", "replace").strip()[-_LONGEST_OUTPUT:]
