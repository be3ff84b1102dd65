"""What an analysis reads lies in the project, whatever names and links lead to."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.api import ProjectIndex, analyze
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.project.files import read_file
from roofline_analysis.project.readable import Readable
from roofline_core.settings import Settings, load, merge, resolve
from roofline_parsers.preprocess.compile_commands import CompileCommandsError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links of POSIX")

SECRET = "int stolen_secret = 4711;\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home with a secret."""
    made = tmp_path / "home"
    (made / ".ssh").mkdir(parents=True)
    (made / ".ssh" / "id").write_text(SECRET)
    (made / "notes.txt").write_text(SECRET)
    (made / "other" / "src").mkdir(parents=True)
    (made / "other" / "src" / "private.h").write_text(SECRET)
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made / ".config"))
    return made


@pytest.fixture
def project(home: Path) -> Path:
    made = home / "project"
    (made / "src").mkdir(parents=True)
    (made / ".git").mkdir()
    (made / ".git" / "config").write_text(SECRET)
    (made / ".env").write_text(SECRET)
    return made


def loaded(path: Path, settings: Settings | None = None, **more: Any) -> ProgramAnalysis:
    return ProgramAnalysis.load([path], settings or Settings(), **more)


def program(path: Path, include: str, settings: Settings | None = None) -> ProgramAnalysis:
    """The analysis of a file with one ``#include``."""
    path.write_text(f"{include}\n__global__ void k(float *p) {{ p[0] = 1; }}\n")
    return loaded(path, settings)


def was_read(analysis: ProgramAnalysis) -> bool:
    """Whether the secret is in the program."""
    return any(
        each.name == "stolen_secret"
        for unit in analysis.program.all_units()
        for each in unit.globals
    )


def messages(analysis: ProgramAnalysis) -> list[str]:
    return [each.message for unit in analysis.program.all_units() for each in unit.problems]


OUTSIDE = (
    "leads out of the project and is not read: name its folder with 'include-dirs' in your own"
    " settings, or by -I"
)


@pytest.mark.parametrize(
    "target", ["../../.ssh/id", "../../notes.txt", "../../other/src/private.h"]
)
@pytest.mark.parametrize("way", ["relative", "absolute", "link", "folder link", "link of a link"])
def test_nothing_outside_is_read(project: Path, target: str, way: str) -> None:
    src = project / "src"
    real = os.path.realpath(src / target)
    name = {"relative": target, "absolute": real}.get(way, "secret.h")
    if way == "link":
        (src / "secret.h").symlink_to(real)
    elif way == "folder link":
        (src / "inc").symlink_to(Path(real).parent)
        name = f"inc/{Path(real).name}"
    elif way == "link of a link":
        (src / "one").symlink_to(real)
        (src / "secret.h").symlink_to("one")
    found = program(src / "k.cu", f'#include "{name}"')
    assert not was_read(found)
    assert messages(found) == [f'"{name}" {OUTSIDE}']


@pytest.mark.parametrize("name", ["../.git/config", "../.env", ".hidden/x.h"])
def test_nothing_hidden_is_read(project: Path, name: str) -> None:
    (project / "src" / ".hidden").mkdir()
    (project / "src" / ".hidden" / "x.h").write_text(SECRET)
    found = program(project / "src" / "k.cu", f'#include "{name}"')
    assert not was_read(found)
    (said,) = messages(found)
    assert "is hidden" in said


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/proc/self/cmdline", "/proc/kmsg", "/sys/kernel/notes",
             "/dev/zero", "/dev/stdin", "/proc/self/root/etc/passwd"],
)  # fmt: skip
@pytest.mark.parametrize("linked", [False, True])
def test_nothing_of_the_system_is_read(project: Path, path: str, linked: bool) -> None:
    if linked:
        (project / "src" / "x.h").symlink_to(path)
    found = program(project / "src" / "k.cu", f'#include "{"x.h" if linked else path}"')
    assert [unit.path.name for unit in found.program.all_units()] == ["k.cu"]


def test_a_pipe_holds_nothing_up(project: Path) -> None:
    os.mkfifo(project / "src" / "pipe.h")
    os.mkfifo(project / "Makefile")
    os.mkfifo(project / "src" / "other.cu")
    program(project / "src" / "k.cu", '#include "pipe.h"')
    index = ProjectIndex(project)
    index.build()
    assert read_file(project / "src" / "pipe.h") is None


def test_a_linked_source_is_not_of_the_program(project: Path, home: Path) -> None:
    outside = home / "other" / "host.cu"
    outside.write_text("void k(float *);\nint main() { k<<<1, 7>>>(0); }\n" + SECRET)
    (project / "src" / "host.cu").symlink_to(outside)
    path = project / "src" / "k.cu"
    text = b"__global__ void k(float *p) { p[0] = 1; }\n"
    path.write_bytes(text)
    for index in (None, ProjectIndex(project)):
        report = analyze(text, path, Settings(), project=index)
        (kernel,) = report.kernels
        assert kernel.launches == ()


def test_ones_own_include_folders_are_read(project: Path, home: Path) -> None:
    folder = home / "other" / "src"
    own = Settings(include_dirs=(folder,))
    assert was_read(program(project / "src" / "k.cu", '#include "private.h"', own))
    theirs = replace(own, from_project=frozenset({"include_dirs"}))
    found = program(project / "src" / "k.cu", '#include "private.h"', theirs)
    assert not was_read(found)
    assert messages(found) == [f'"private.h" {OUTSIDE}']


def test_a_projects_settings_do_not_widen_it(project: Path) -> None:
    (project / "roofline.toml").write_text('include-dirs = ["../other/src"]\n')
    settings = resolve(project / "src")
    assert not was_read(program(project / "src" / "k.cu", '#include "private.h"', settings))
    (project / "roofline.toml").write_text('compile-commands = "../c.json"\n')
    (project.parent / "c.json").write_text("[]")
    with pytest.raises(CompileCommandsError, match="name it in your own settings"):
        program(project / "src" / "k.cu", "", resolve(project / "src"))
    own = merge(load(project / "roofline.toml", shared=False))
    program(project / "src" / "k.cu", "", own)


def test_flags_of_build_files_do_not_widen_it(project: Path, home: Path) -> None:
    folder = home / "other" / "src"
    (project / "src" / "Makefile").write_text(
        f"all:\n\tnvcc -I{folder} -include {folder}/private.h k.cu\n"
    )
    found = program(project / "src" / "k.cu", '#include "private.h"')
    assert not was_read(found)


@pytest.mark.parametrize("name", ["../common/h.h", "../../include/h.cuh", "../foo-cuda/bar.h"])
def test_a_file_without_a_project_includes_sources_around_it(home: Path, name: str) -> None:
    folder = home / "x" / "y" / "foo-omp"
    folder.mkdir(parents=True)
    header = Path(os.path.normpath(folder / name))
    header.parent.mkdir(parents=True)
    header.write_text(SECRET)
    assert was_read(program(folder / "k.cu", f'#include "{name}"'))


@pytest.mark.parametrize("name", ["../../../.ssh/id", "../../../notes.txt", "../../data.txt"])
def test_a_file_without_a_project_includes_nothing_else(home: Path, name: str) -> None:
    folder = home / "x" / "y" / "z"
    folder.mkdir(parents=True)
    (home / "x" / "data.txt").write_text(SECRET)
    assert not was_read(program(folder / "k.cu", f'#include "{name}"'))


@pytest.mark.parametrize("name", [".ssh/id", "notes.txt"])
def test_a_home_is_no_project(home: Path, name: str) -> None:
    (home / ".git").mkdir()
    assert not was_read(program(home / "k.cu", f'#include "{name}"'))


def test_a_folder_of_everybody_is_no_project(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    (tmp_path / "token").write_text(SECRET)
    (tmp_path / "h.h").write_text(SECRET)
    assert not was_read(program(tmp_path / "k.cu", '#include "token"'))
    assert was_read(program(tmp_path / "k.cu", '#include "h.h"'))


@pytest.mark.parametrize("repository", [True, False])
def test_a_settings_file_does_not_part_a_project(project: Path, repository: bool) -> None:
    (project / "common").mkdir()
    (project / "common" / "h.h").write_text(SECRET)
    (project / "src" / "roofline.toml").write_text('include-dirs = ["../common"]\n')
    if not repository:
        (project / ".git" / "config").unlink()
        (project / ".git").rmdir()
    for include in ('#include "h.h"', '#include "../common/h.h"'):
        assert was_read(program(project / "src" / "k.cu", include, resolve(project / "src")))


def test_links_within_a_project_are_followed(project: Path) -> None:
    (project / "real").mkdir()
    (project / "real" / "h.h").write_text(SECRET)
    (project / "src" / "inc").symlink_to(project / "real")
    assert was_read(program(project / "src" / "k.cu", '#include "inc/h.h"'))


def test_a_project_that_is_reached_by_a_link(project: Path, home: Path) -> None:
    (project / "src" / "h.h").write_text(SECRET)
    (home / "elsewhere").symlink_to(project)
    assert was_read(program(home / "elsewhere" / "src" / "k.cu", '#include "h.h"'))


def test_a_file_that_was_asked_for_is_read(project: Path, home: Path) -> None:
    real = home / "other" / "real.cu"
    real.write_text(SECRET)
    (project / "src" / "k.cu").symlink_to(real)
    assert was_read(loaded(project / "src" / "k.cu"))


def test_results_do_not_depend_on_what_was_read_before(project: Path, home: Path) -> None:
    from roofline_analysis.api import AnalysisCache

    cache = AnalysisCache()
    header = home / "other" / "src" / "private.h"
    here, there = project / "src" / "k.cu", home / "other" / "src" / "k.cu"
    for path in (here, there):
        path.write_text(f'#include "{header}"\n')
    for path, expected in ((there, True), (here, False), (there, True)):
        assert was_read(loaded(path, cache=cache)) is expected


def test_equal_folders_are_equal(project: Path) -> None:
    one = Readable([project / "src" / "a.cu"])
    other = Readable([project / "src" / "b.cu"], project)
    assert one == other
    assert hash(one) == hash(other)
    assert one != Readable([project.parent / "other" / "c.cu"])
