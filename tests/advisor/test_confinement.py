"""What a confined program can still do: its folder, what it was given, and nothing else."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from roofline_advisor import confinement
from roofline_advisor.compiling import Compiler
from roofline_advisor.confinement import ProcessLimits, confined, limited, of_compilers, of_tests
from roofline_core.program.units import Dialect
from roofline_core.settings import Settings

from .kernels import SOURCE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits of POSIX")
confining = pytest.mark.skipif(not confinement.is_offered(), reason="needs Landlock")

SMALL = ProcessLimits(cpu_s=5, memory_bytes=2**30, file_bytes=10_000, processes=50)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "own"
    made.mkdir()
    return made


def python(code: str, folder: Path, *, wanted: ProcessLimits = SMALL, free: bool = False) -> str:
    """What Python code prints, confined or only limited, and its errors' names."""
    program = [shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable]
    command = [
        *program,
        "-I",
        "-S",
        "-c",
        f"try:\n {code}\nexcept Exception as e:\n print(type(e).__name__)",
    ]
    made = limited(command, wanted) if free else confined(command, wanted, folder, [folder])
    done = subprocess.run(made, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip() or f"ended with {done.returncode}"


@confining
def test_it_reads_what_it_is_given_alone(folder: Path, tmp_path: Path) -> None:
    (folder / "mine").write_text("mine")
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    assert python("print(open('mine').read())", folder) == "mine"
    for path in (
        tmp_path / "secret",
        "link",
        "/proc/self/environ",
        "/proc/1/environ",
        "/etc/passwd",
    ):
        assert python(f"print(open('{path}').read())", folder) == "PermissionError"
    assert python("import os; print(os.listdir('..'))", folder) == "PermissionError"


@confining
def test_it_writes_below_its_folder_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("as it was")
    assert python("open('made', 'w').write('x'); print('done')", folder) == "done"
    for path in (tmp_path / "theirs", tmp_path / "new", "/tmp/new-of-a-test", "/usr/new"):
        assert python(f"open('{path}', 'w').write('x')", folder) == "PermissionError"
    assert python("import os; os.truncate('../theirs', 0)", folder) == "PermissionError"
    assert python("import os; os.unlink('../theirs')", folder) == "PermissionError"
    assert (tmp_path / "theirs").read_text() == "as it was"


@confining
def test_it_runs_nothing_that_it_wrote(folder: Path) -> None:
    code = (
        "open('made', 'w').write('#!/bin/sh\\necho ran'); import os; os.chmod('made', 0o755);"
        " import subprocess; subprocess.run(['./made'])"
    )
    assert python(code, folder) == "PermissionError"


@confining
def test_it_has_no_network(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2); print('open')"
        assert python(code, folder, free=True) == "open"
        assert python(code, folder) in {"PermissionError", "ConnectionRefusedError", "OSError"}


@pytest.mark.parametrize("free", [False, True])
def test_limits_hold(folder: Path, free: bool) -> None:
    def said(code: str) -> str:
        return python(code, folder, free=free)

    assert said("x = bytearray(2 * 2**30)") == "MemoryError"
    assert said("f = open('big', 'wb'); f.write(b'x' * 20_000); f.flush()") != ""
    assert (folder / "big").stat().st_size <= 10_000
    spinning = python(
        "while True: pass", folder, wanted=ProcessLimits(1, None, 10_000, 50), free=free
    )
    assert spinning == "ended with -9"


def test_limits_are_never_raised(folder: Path) -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE)[1])"
    assert python(code, folder, free=True) == "0"
    inner = json.dumps({"limits": {"RLIMIT_CORE": 10**6}})
    command = limited([sys.executable, "-I", "-S", str(confinement._HELPER), inner, sys.executable,
                       "-c", code], SMALL)  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "0"


def test_where_the_system_confines_nothing_limits_hold(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confinement, "is_offered", lambda: False)
    command = confined(["/bin/true"], SMALL, folder, [])
    assert json.loads(command[4]) == {"limits": SMALL.by_name()}


def test_what_is_told_of_tests_leaves_gpus_their_address_space() -> None:
    assert of_tests(60.0).memory_bytes is None
    assert of_compilers(60.0).memory_bytes is not None


@confining
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
async def test_a_source_cannot_have_the_compiler_read_outside(tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("#define FOUND 1\n")
    project = tmp_path / "project"
    project.mkdir()
    (project / "own.h").write_text("#define OWN 1\n")
    (project / "link.h").symlink_to(secret)
    (project / ".git").mkdir()
    (project / "src").mkdir()
    (project / "src" / "roofline.toml").write_text("")
    for name, wanted in (
        ("../own.h", "compiled with nvcc"),
        ("../link.h", "not compiled: nvcc does not compile the file as it is"),
        (str(secret), "not compiled: nvcc does not compile the file as it is"),
        ("../../secret.h", "not compiled: nvcc does not compile the file as it is"),
    ):
        text = f'#include "{name}"\n{SOURCE}'.encode()
        compiler = Compiler(project / "src" / "k.cu", Dialect.CUDA, Settings())
        assert await compiler.check(text, text) == wanted
