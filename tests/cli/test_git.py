"""Revisions are read, nothing of a project runs: ``--changed-since`` and ``--baseline-commit``."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_lsp.cli.git import Blob, GitError, Revision, revision, write_files

from .conftest import SAXPY

Run = Callable[..., Any]


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(project: Path) -> Path:
    (project / "src" / "main.cu").write_text(
        '#include "sizes.h"\n' + (project / "src" / "main.cu").read_text()
    )
    (project / "src" / "sizes.h").write_text("#define SIZE 16\n")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    return project


def checked(ran: Any) -> list[str]:
    """The kernels of a concise report."""
    lines = [line for line in ran.out.splitlines() if ": CB" in line or ": BB" in line]
    return sorted(line.split(": ")[1] for line in lines)


def since(run: Run, *more: str) -> Any:
    return run("--check", "src", "--changed-since", "HEAD", "--format", "concise", *more)


def test_nothing_changed_is_nothing_to_do(run: Run, repository: Path) -> None:
    ran = since(run)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "roofline-lsp: no kernel changed since HEAD\n"
    ran = run(
        "--check", "src", "--changed-since", "HEAD", "--format", "json", "--also", "csv=a.csv"
    )
    assert (ran.code, json.loads(ran.out)["files"]) == (0, [])
    assert (repository / "a.csv").read_text(encoding="utf-8").startswith("path,line,kernel,")


def test_changed_kernels_are_checked(run: Run, repository: Path) -> None:
    alone = repository / "alone"
    alone.mkdir()
    (alone / "own.cu").write_text(
        SAXPY.replace("saxpy", "own") + "int main() { own<<<1, 32>>>(32, 1, 0, 0); }\n"
    )
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "second")
    (repository / "src" / "saxpy.cu").write_text("// new\n" + SAXPY)
    ran = run("--check", ".", "--changed-since", "HEAD", "--format", "concise")
    assert "saxpy" in checked(ran)
    assert "own" not in checked(ran)


def test_what_includes_a_changed_header_is_checked(run: Run, repository: Path) -> None:
    (repository / "src" / "sizes.h").write_text("#define SIZE 32\n")
    assert "saxpy" in checked(since(run))  # by way of the host code that launches it


def test_a_new_file_is_checked(run: Run, repository: Path) -> None:
    (repository / "src" / "new.cu").write_text(SAXPY.replace("saxpy", "fresh"))
    assert "fresh" in checked(since(run))


def test_a_changed_build_file_stands_for_its_folder(run: Run, repository: Path) -> None:
    (repository / "src" / "Makefile").write_text("all:\n\techo\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "second")
    assert since(run).out == ""
    (repository / "src" / "Makefile").write_text("all:\n\tnvcc -DX=1\n")
    assert checked(since(run)) == ["polynomial", "saxpy"]


def test_a_revision_is_a_baseline(run: Run, repository: Path) -> None:
    check = ("--check", "src", "--args", "1000000", "--quiet", "--baseline-commit")
    ran = run(*check, "HEAD", "--fail-on", "class,slower,finding")
    assert (ran.code, ran.err) == (0, "")
    (repository / "src" / "saxpy.cu").write_text(
        SAXPY.replace("y[i] = a", "for (int k = 0; k < 4096; k++) y[i] = a")
    )
    ran = run(*check, "main")
    assert ran.code == 1
    assert "fails: src/saxpy.cu:1: saxpy: BB -> CB; time " in ran.err


@pytest.mark.parametrize("option", ["--changed-since", "--baseline-commit"])
@pytest.mark.parametrize(
    "name", ["-x", "--output=src/main.cu", "--upload-pack=touch x", "", "a b", "a\nb"]
)
def test_a_revision_is_no_option(run: Run, repository: Path, option: str, name: str) -> None:
    before = (repository / "src" / "main.cu").read_bytes()
    ran = run("--check", "src", f"{option}={name}")
    assert ran.code == 2
    assert "is no revision; give a branch, a tag or a commit" in ran.err
    assert (repository / "src" / "main.cu").read_bytes() == before


def test_an_unknown_revision_names_the_remedy(run: Run, repository: Path) -> None:
    ran = run("--check", "src", "--changed-since", "origin/gone")
    assert ran.code == 2
    assert "there is no revision 'origin/gone'" in ran.err
    assert "fetch-depth: 0" in ran.err


def test_without_a_repository_git_says_so(run: Run, project: Path) -> None:
    ran = run("--check", "src", "--changed-since", "HEAD")
    assert ran.code == 2
    assert ran.err.startswith("roofline-lsp: git: fatal: not a git repository")


def test_no_command_of_a_project_runs(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything in ``.git/config`` that is a command writes a file if it is run."""
    ran_file = repository.parent / "ran"
    command = repository.parent / "command.sh"
    command.write_text(f'#!/bin/sh\necho "$0 $@" >> {ran_file}\ncat\n')
    command.chmod(0o755)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit"):
        (repository / ".git" / "hooks" / hook).write_text(command.read_text())
        (repository / ".git" / "hooks" / hook).chmod(0o755)
    (repository / ".gitattributes").write_text("*.cu filter=evil diff=evil merge=evil\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--no-verify", "-m", "attributes")
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.editor",
        "core.pager",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "credential.helper",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "pager.ls-tree",
        "pager.rev-parse",
        "uploadpack.packObjectsHook",
        "alias.ls-tree",
        "alias.cat-file",
        "alias.rev-parse",
    ):
        value = f"!{command}" if key.startswith("alias.") else str(command)
        subprocess.run(["git", "config", key, value], cwd=repository, check=True)
    git(repository, "config", "core.hooksPath", str(repository / ".git" / "hooks"))
    git(repository, "config", "remote.origin.url", f"ext::{command} %S")
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "remote.origin.partialclonefilter", "blob:none")
    git(repository, "config", "protocol.ext.allow", "always")
    blob = git(repository, "rev-parse", "HEAD:src/polynomial.cu")
    (repository / "git").write_text(command.read_text())
    (repository / "git").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", os.environ["PATH"])))
    ran_file.unlink(missing_ok=True)

    (repository / "src" / "saxpy.cu").write_text("// changed\n" + SAXPY)
    assert "saxpy" in checked(since(run))
    ran = run("--check", "src", "--baseline-commit", "HEAD", "--quiet")
    assert ran.code == 0, ran.err
    # An object that is not there would be fetched.
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    ran = run("--check", "src", "--baseline-commit", "HEAD", "--quiet")
    assert ran.code == 2
    assert "'src/polynomial.cu' of revision 'HEAD' is not in this copy of the repository" in ran.err
    assert not ran_file.exists(), ran_file.read_text()


def test_no_file_is_written_elsewhere(repository: Path, tmp_path: Path) -> None:
    """A tree may hold names that no checkout makes: those are left out, and links are."""
    (repository / "link.cu").symlink_to("/etc/passwd")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "link")
    found = revision(repository, "HEAD")
    assert "link.cu" not in found.blobs
    into = tmp_path / "into"
    write_files(found, lambda _: True, into)
    written = {path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()}
    assert written == set(found.blobs)

    blob = found.blobs["src/saxpy.cu"].object
    tree = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        cwd=repository,
        input=b"100644 ..\0" + bytes.fromhex(blob) + b"100644 ok.cu\0" + bytes.fromhex(blob),
        capture_output=True,
        check=True,
    ).stdout.decode()
    commit = git(repository, "commit-tree", tree.strip(), "-m", "hostile")
    assert set(revision(repository, commit).blobs) == {"ok.cu"}


def test_too_much_is_refused(tmp_path: Path) -> None:
    blobs = {name: Blob(name, "0" * 40, 3 * 10**9) for name in ("a", "b")}
    huge = Revision(tmp_path, "HEAD", "0" * 40, blobs)
    with pytest.raises(GitError, match="more than 4 GB of files; compare with a file instead"):
        write_files(huge, lambda _: True, tmp_path)
