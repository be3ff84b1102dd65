"""Nothing of a project, its names or its settings reaches a shell where edits are compiled."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_advisor import confinement
from roofline_advisor.compiling import Compiler
from roofline_advisor.edits import RejectedError
from roofline_advisor.trying import tried
from roofline_core.program.units import Dialect
from roofline_core.settings import PLAIN, AdvisorSettings, Settings

from .kernels import SOURCE

SHELLS = (
    "$(touch${IFS}PWNED)",
    "`touch${IFS}PWNED`",
    '";touch${IFS}PWNED;"',
    "';touch${IFS}PWNED;'",
    ";touch PWNED;",
    "&touch PWNED&",
    "|touch PWNED",
    "\ntouch PWNED\n",
    "$PATH",
    "\\$(touch PWNED)",
    "a b",
)
"""What a shell would run, expand or split."""

TEXT = SOURCE.encode()

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
pytestmark = posix

STAND_IN = """#!/bin/sh
for each in "$PWD" "$TMPDIR" "$@"; do
    [ "$(sh -c "printf %s \\"$each\\"" 2>&1)" = "$each" ] || touch '{mark}'
    [ "$(sh -c "printf %s $each" 2>&1)" = "$each" ] || touch '{mark}'
    printf '%s\\n' "$each" >> '{log}'
    last=$each
done
cat "$last" > /dev/null
"""
"""A compiler that gives each of its words to a shell, as nvcc and hipcc do."""


@pytest.fixture
def compiler_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the stand-in on the path, unconfined; gives the log of its words."""
    made = tmp_path / "bin"
    made.mkdir()
    log = tmp_path / "log"
    for name in ("nvcc", "hipcc", "clang", "clang++"):
        program = made / name
        program.write_text(STAND_IN.format(mark=tmp_path / "PWNED", log=log))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{made}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(confinement, "is_offered", lambda: False)
    return log


def settings(**changes: object) -> Settings:
    return replace(Settings(advisor=AdvisorSettings(test_timeout_s=60.0)), **changes)  # type: ignore[arg-type]


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def unharmed(folder: Path) -> bool:
    return not list(folder.rglob("PWNED"))


async def compiled(
    path: Path, wanted: Settings | None = None, dialect: Dialect = Dialect.CUDA
) -> str:
    return await Compiler(path, dialect, wanted or settings()).check(TEXT, TEXT)


def plain(log: Path) -> bool:
    """Whether every word that the compiler was given is one that a shell leaves as it is."""
    words = log.read_text().split("\n")
    return all(set(word) <= PLAIN for word in words)


@pytest.mark.parametrize("dialect", [Dialect.CUDA, Dialect.HIP, Dialect.OPENMP])
@pytest.mark.parametrize("shell", SHELLS)
async def test_names_of_files_and_folders(
    compiler_log: Path, tmp_path: Path, shell: str, dialect: Dialect
) -> None:
    folder = made(tmp_path / f"p{shell}")
    said = await compiled(folder / f"k{shell}.cu", dialect=dialect)
    assert said.startswith("compiled with ")
    assert plain(compiler_log)
    assert unharmed(tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
async def test_include_folders(compiler_log: Path, tmp_path: Path, shell: str) -> None:
    folder = made(tmp_path / f"include{shell}")
    said = await compiled(tmp_path / "k.cu", settings(include_dirs=(folder,)))
    assert said.startswith("compiled with ")
    assert plain(compiler_log)
    assert unharmed(tmp_path)


@pytest.mark.parametrize("shell", [each for each in SHELLS if each not in {"a b", "|touch PWNED"}])
@pytest.mark.parametrize("define", ["X={}", "F(x)={}", "X(a)=1{}2"])
async def test_defines(compiler_log: Path, tmp_path: Path, define: str, shell: str) -> None:
    value = define.format(shell)
    said = await compiled(tmp_path / "k.cu", settings(defines=(value,)))
    if said.startswith("compiled"):
        assert plain(compiler_log)
    else:
        assert said.startswith("not compiled: ")
        assert "'defines'" in said
        assert not list(tmp_path.glob(compiler_log.name))  # noqa: ASYNC240
    assert unharmed(tmp_path)


async def test_a_refused_define_is_named_with_its_setting(
    compiler_log: Path, tmp_path: Path
) -> None:
    said = await compiled(tmp_path / "k.cu", settings(defines=("A=1", "X=$(id)")))
    assert said == (
        "not compiled: 'X=$(id)' in 'defines' holds '$', which is not handed to compilers; write"
        " it without, or as a #define in the source"
    )


async def test_defines_are_in_force(compiler_log: Path, tmp_path: Path) -> None:
    header = tmp_path / "seen"
    stand_in = tmp_path / "bin" / "nvcc"
    stand_in.write_text(f"#!/bin/sh\ncat macros.h > '{header}'\n")
    wanted = settings(defines=("N", "T=unsigned int", "F(x)=((x) + 1)", "EMPTY="))
    assert (await compiled(tmp_path / "k.cu", wanted)).startswith("compiled")
    assert header.read_text() == (
        "#define N 1\n#define T unsigned int\n#define F(x) ((x) + 1)\n#define EMPTY \n"
    )


@pytest.mark.parametrize(
    ("field", "value"), [("defines", ("N=1",)), ("include_dirs", (Path("/usr/include"),))]
)
async def test_a_projects_settings_need_consent(
    compiler_log: Path, tmp_path: Path, field: str, value: object
) -> None:
    shared = settings(**{field: value}, from_project=frozenset({field}))
    said = await compiled(tmp_path / "k.cu", shared)
    assert said.startswith(f"not compiled: '{field.replace('_', '-')}' is set by the project")
    assert "'advisor.project-flags'" in said
    assert not list(tmp_path.glob(compiler_log.name))  # noqa: ASYNC240
    agreed = replace(shared, advisor=replace(shared.advisor, project_flags=True))
    assert (await compiled(tmp_path / "k.cu", agreed)).startswith("compiled")


async def test_the_copy_is_in_a_folder_of_ones_own(
    compiler_log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    stand_in = tmp_path / "bin" / "nvcc"
    stand_in.write_text(f"#!/bin/sh\nstat -c %a . > '{seen}'\nenv >> '{seen}'\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-of-the-person")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-secret")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    await compiled(tmp_path / "k.cu")
    mode, *environment = seen.read_text().splitlines()
    assert mode == "700"
    assert not [line for line in environment if "secret" in line]
    (path,) = [line for line in environment if line.startswith("PATH=")]
    assert "." not in path.removeprefix("PATH=").split(os.pathsep)


async def test_a_compiler_in_the_current_folder_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("nvcc", "clang", "clang++"):
        (project / name).write_text("#!/bin/sh\ntouch PWNED\n")
        (project / name).chmod(0o755)
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}relative")
    assert Compiler(project / "k.cu", Dialect.CUDA, settings()).name is None


async def test_what_is_said_of_other_files_is_not_handed_on(
    compiler_log: Path, tmp_path: Path
) -> None:
    stand_in = tmp_path / "bin" / "nvcc"
    stand_in.write_text(
        "#!/bin/sh\ngrep -q BROKEN kernel.cu || exit 0\n"
        "echo '/home/me/.ssh/id(1): error: identifier \"hunter2\" is undefined'\n"
        "echo '  PRIVATE KEY LINE'\n"
        'echo \'kernel.cu(3): error: struct "hunter2" and "rows" do not fit\'\n'
        "exit 1\n"
    )
    compiler = Compiler(tmp_path / "k.cu", Dialect.CUDA, settings())
    with pytest.raises(RejectedError) as raised:
        await compiler.check(TEXT, TEXT + b"\n// BROKEN")
    assert str(raised.value) == (
        'nvcc does not compile it: k.cu(3): error: struct "..." and "rows" do not fit'
    )


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize("shell", ["$(touch${{IFS}}{0})", "`touch${{IFS}}{0}`"])
async def test_with_the_real_compiler(tmp_path: Path, shell: str) -> None:
    payload = shell.format(tmp_path / "PWNED")
    said = await compiled(tmp_path / "k.cu", settings(defines=(f"X={payload}",)))
    assert said.startswith("not compiled: ")
    folder = tmp_path / "i$(touch${IFS}PWNED)"
    folder.mkdir()
    (folder / "own.h").write_text("#define OWN 1\n")
    text = b'#include "own.h"\n#if !OWN || N != 3\n#error no\n#endif\n' + TEXT
    wanted = settings(defines=("N=3",), include_dirs=(folder,))
    compiler = Compiler(folder / "k`touch PWNED`.cu", Dialect.CUDA, wanted)
    assert await compiler.check(text, text) == "compiled with nvcc"
    assert unharmed(tmp_path)


def with_test(command: str) -> Settings:
    return settings(advisor=AdvisorSettings(test_command=command, test_timeout_s=30.0))


async def test_the_tested_file_is_a_copy_even_where_it_is_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside.cu"
    outside.write_text("// the person's\n")
    project = tmp_path / "p$(touch PWNED)"
    project.mkdir()
    path = project / "k.cu"
    path.symlink_to(outside)
    said = await tried(path, b"// edited\n", with_test("grep -q edited k.cu"))
    assert said == "the test command passes"
    assert outside.read_text() == "// the person's\n"
    assert unharmed(tmp_path)


async def test_pipes_in_the_folder_do_not_hold_the_copy_up(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("// old\n")
    os.mkfifo(tmp_path / "pipe")
    said = await tried(tmp_path / "k.cu", b"// edited\n", with_test("grep -q edited k.cu"))
    assert said == "the test command passes"
