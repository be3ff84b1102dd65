"""Files of Git revisions: read as they were, and nothing of a repository's settings obeyed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_lsp.cli.git import GitError, RevisionFiles, revision

Run = Callable[..., Any]

KERNEL = """\
#include "factor.h"
__global__ void scale(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < TIMES; k++) x[i] = x[i] * 2.0f;
}
void go(float *x) { scale<<<4096, 256>>>(x); }
"""
MOST = 1_000_000


def git(*words: str, folder: Path | None = None) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *who, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel whose header was changed after the tag ``before``, and then on disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    git("init", "-q", "-b", "main")
    (tmp_path / "src").mkdir()
    for times, tag in ((1, "before"), (2, "after")):
        (tmp_path / "src" / "factor.h").write_text(f"#define TIMES {times}\n")
        (tmp_path / "src" / "scale.cu").write_text(KERNEL)
        git("add", ".")
        git("commit", "-q", "-m", tag)
        git("tag", tag)
    (tmp_path / "src" / "factor.h").write_text("#define TIMES 3\n")
    return tmp_path


def test_a_file_is_read_as_the_revision_has_it(repository: Path) -> None:
    header = repository / "src" / "factor.h"
    with RevisionFiles(revision(repository / "src", "before"), MOST) as found:
        assert found.read(header) == b"#define TIMES 1\n"
        assert found.read(header) == b"#define TIMES 1\n"
        assert found.read(repository / "src" / "none.h") is None
        assert found.owns(header)
        assert not found.owns(repository.parent / "other.h")
        assert set(found.paths()) == {header, repository / "src" / "scale.cu"}
    with RevisionFiles(revision(repository, "HEAD"), 3) as short:
        assert short.read(header) is None


def test_headers_are_of_the_revision_too(repository: Path, run: Run) -> None:
    argv = ("compare", "src/scale.cu@before", "src/scale.cu@HEAD", "src/scale.cu")
    found = json.loads(run(*argv, "--format", "json").out)
    (kernel,) = found["kernels"]
    # One multiplication for each time and each of 4096 * 256 threads.
    counts = [each["operations"]["sp"] for each in kernel["variants"]]
    assert counts == [times * (1 << 20) for times in (1, 2, 3)]
    assert [each["revision"] for each in kernel["variants"]] == ["before", "HEAD", None]


def test_a_file_that_is_gone_is_found_in_its_revision(repository: Path, run: Run) -> None:
    git("rm", "-q", "-f", "src/factor.h", "src/scale.cu")
    (repository / "src").mkdir(exist_ok=True)
    (repository / "src" / "new.cu").write_text(KERNEL.replace("TIMES", "4").split("\n", 1)[1])
    found = json.loads(run("compare", "src/scale.cu@before", "src/new.cu", "--format", "json").out)
    counts = [v["operations"]["sp"] for v in found["kernels"][0]["variants"]]
    assert counts == [1 << 20, 4 << 20]


def test_nothing_is_written(repository: Path, run: Run) -> None:
    def state() -> dict[str, tuple[int, int]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_size)
            for path in repository.rglob("*")
        }

    before = state()
    assert run("compare", "src/scale.cu@before", "src/scale.cu@after").code == 0
    assert state() == before


@pytest.mark.parametrize(
    "name",
    [
        "-h",
        "--output=x",
        "",
        "a b",
        "a\nb",
        "HEAD:src/scale.cu",
        ":/before",
        "before..after",
        "$(x)",
    ],
)
def test_names_that_are_no_revisions_are_refused(repository: Path, name: str) -> None:
    with pytest.raises(GitError, match="is no revision; give"):
        revision(repository, name)


def test_what_is_not_there_is_told(repository: Path, run: Run) -> None:
    with pytest.raises(GitError, match="there is no revision 'nowhere'"):
        revision(repository, "nowhere")
    with pytest.raises(GitError, match="not a git repository"):
        revision(repository.parent, "HEAD")
    ran = run("compare", "src/scale.cu", "src/scael.cu@before")
    assert ran.code == 2
    assert "revision 'before' has no such file; did you mean 'scale.cu'?" in ran.err


def test_without_git_it_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join(("", ".", str(repository))))
    (repository / "git").write_text("#!/bin/sh\ntouch ran\n")
    (repository / "git").chmod(0o755)
    with pytest.raises(GitError, match="not on the PATH"):
        revision(repository, "HEAD")
    assert not (repository / "ran").exists()


def test_links_of_a_revision_are_not_followed(repository: Path) -> None:
    (repository / "secret.h").symlink_to("/etc/hostname")
    git("add", ".")
    git("commit", "-q", "-m", "link")
    with RevisionFiles(revision(repository, "HEAD"), MOST) as found:
        assert found.read(repository / "secret.h") is None


def test_settings_of_a_repository_run_nothing(repository: Path, run: Run) -> None:
    """Hooks, monitors, filters, and fetching what a partial clone lacks."""
    mark = repository.parent / "ran"
    program = repository.parent / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    blob = git("rev-parse", "before:src/factor.h")
    (repository / ".gitattributes").write_text("* filter=evil diff=evil\n")
    git("add", ".gitattributes")
    git("commit", "-q", "-m", "attributes")
    for key, value in (
        ("core.fsmonitor", str(program)),
        ("core.sshCommand", str(program)),
        ("core.pager", str(program)),
        ("core.alternateRefsCommand", str(program)),
        ("credential.helper", f"!{program}"),
        ("filter.evil.smudge", str(program)),
        ("diff.evil.textconv", str(program)),
        ("protocol.allow", "always"),
        ("protocol.ext.allow", "always"),
        ("remote.origin.url", f"ext::{program}"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
    ):
        git("config", key, value)
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with RevisionFiles(revision(repository, "HEAD"), MOST) as found:
        assert found.read(repository / "src" / "scale.cu") == KERNEL.encode()
    with RevisionFiles(revision(repository, "before"), MOST) as lacking:
        assert lacking.read(repository / "src" / "scale.cu") == KERNEL.encode()
        with pytest.raises(GitError, match="of revision 'before' is not in this copy"):
            lacking.read(repository / "src" / "factor.h")
    assert run("compare", "src/scale.cu@HEAD", "src/scale.cu@before").code == 2
    assert not mark.exists()
    # The settings are such that Git alone would run it.
    subprocess.run(
        ["git", "cat-file", "blob", blob], cwd=repository, check=False, capture_output=True
    )
    assert mark.exists()
