"""``roofline-lsp init``: a settings file with every setting explained, and files for CI."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.project.files import has_main
from roofline_analysis.project.run_commands import RunCommand, offered_command
from roofline_core.program.errors import RooflineError
from roofline_core.settings import OWN_FILE
from roofline_core.settings.documented import SettingText, settings_told
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.files import collect, read_regular
from roofline_lsp.cli.output import write
from roofline_parsers.reading.gate import has_kernels

_HEAD: Final = """\
# Settings of roofline-lsp for this folder and those below it, for `roofline-lsp check .` and for
# editors. What has a '#' before it is not set: take it off. A table, such as [kernels."gemm*"],
# goes on to the next one, so single settings come first.
"""
_GITHUB: Final = """\
name: roofline

on: pull_request

permissions:
  contents: read

jobs:
  roofline:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # the base of the pull request is compared with
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install --quiet roofline-lsp
      - run: roofline-lsp check . --format github --baseline-commit "$BASE"
        env:
          BASE: ${{ github.event.pull_request.base.sha }}
"""
_GITLAB: Final = """\
roofline:
  stage: test
  image: python:3.12-slim
  rules:
    - if: $CI_MERGE_REQUEST_DIFF_BASE_SHA
  variables:
    GIT_DEPTH: "0" # the base of the merge request is compared with
  before_script:
    - apt-get update -qq && apt-get install -y -qq git
    - python -m pip install --quiet roofline-lsp
  script:
    - >-
      roofline-lsp check . --no-progress --format concise
      --baseline-commit "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
      --also gitlab=gl-code-quality-report.json --also html=roofline.html
  artifacts:
    when: always
    paths: [roofline.html]
    reports:
      codequality: gl-code-quality-report.json
"""
_PRE_COMMIT: Final = """\
repos:
  - repo: local
    hooks:
      - id: roofline-check
        name: roofline-lsp
        entry: roofline-lsp check . --changed-since HEAD --format concise --no-progress
        language: python
        additional_dependencies: [roofline-lsp]
        pass_filenames: false
"""
CI_FILES: Final[Mapping[str, tuple[str, str]]] = {
    "github": (".github/workflows/roofline.yml", _GITHUB),
    "gitlab": (".gitlab-ci.yml", _GITLAB),
    "pre-commit": (".pre-commit-config.yaml", _PRE_COMMIT),
}
"""By name of a service: the file that it reads, and its text."""
_MOST_PROGRAMS: Final = 20


class ExistingFileError(RooflineError):
    """A file that is there already, and is left as it is."""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp init",
        description=f"Write a {OWN_FILE} in which every setting is explained and none is set, with"
        " the command lines that Makefiles, CMake's tests and READMEs tell. Nothing that exists is"
        f" overwritten; with --ci a {OWN_FILE} that is there stays.",
        epilog="examples:\n  roofline-lsp init\n  roofline-lsp init --gpu A100 --ci github\n"
        "  roofline-lsp init --print",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = made.add_argument
    add("folder", nargs="?", type=Path, default=Path(), metavar="FOLDER", help="default: this one")
    add("--gpu", metavar="NAME", help="set this GPU; `roofline-lsp gpus` lists them")
    add(
        "--ci",
        action="append",
        choices=tuple(CI_FILES),
        default=[],
        help="write a file for this service, too; repeatable",
    )
    add("--print", action="store_true", help="print the files instead of writing them")
    return made


def run(argv: Sequence[str]) -> int:
    """Write the files, and return the exit code. Raises RooflineError."""
    options = parser().parse_args(argv)
    folder: Path = options.folder
    if not folder.is_dir():
        raise RooflineError(f"{folder}: there is no such folder")
    if options.gpu is not None:
        _check_gpu(options.gpu)
    files = {OWN_FILE: settings_text(options.gpu, _offered(folder))}
    files |= dict(CI_FILES[each] for each in options.ci)
    if options.print:
        for name, text in files.items():
            write(text if len(files) == 1 else f"# ---- {name}\n{text}")
        return OK
    stays = bool(options.ci) and options.gpu is None and (folder / OWN_FILE).exists()
    if stays:
        del files[OWN_FILE]
    there = [name for name in files if (folder / name).exists()]
    if there:
        raise ExistingFileError(
            f"{folder / there[0]}: is there already, and nothing was written;"
            f" see what it would be: roofline-lsp init --print"
        )
    if stays:
        write(f"{folder / OWN_FILE} stays as it is\n")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(text, path)
        write(f"wrote {path}\n")
    write(f"next: roofline-lsp check {shlex.quote(str(folder))}\n")
    return OK


def _check_gpu(name: str) -> None:
    """Raises UnknownGpuError, with the nearest names."""
    from roofline_hardware_db import find_gpu  # noqa: PLC0415 - for those who ask alone

    find_gpu(name)


def _offered(folder: Path) -> list[tuple[str, RunCommand]]:
    """By path below the folder of a file with ``main``, its command line where one is told."""
    found = []
    for path in collect([str(folder)], exclude=(), gate=has_kernels).files:
        if has_main(read_regular(path) or b""):
            command = offered_command(path, read_regular)
            if command is not None:
                found.append((path.relative_to(folder).as_posix(), command))
        if len(found) == _MOST_PROGRAMS:
            break
    return found


def settings_text(gpu: str | None, offered: Sequence[tuple[str, RunCommand]]) -> str:
    """A settings file that sets a GPU, or nothing, and explains the rest in comments."""
    told = settings_told()
    single = [each for each in told if not each.example.startswith("[")]
    tables = [each for each in told if each.example.startswith("[")]
    blocks = [_HEAD.rstrip("\n")]
    for each in (*single, *tables):
        lines = [f"# {line}" for line in _first(each)]
        if each.field == "gpu" and gpu is not None:
            lines.append(f"gpu = {json.dumps(gpu)}")
        else:
            lines += [f"#{line}" for line in _example(each, offered)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _first(setting: SettingText) -> Iterator[str]:
    """The first paragraph of what a setting means, and its default."""
    lines = setting.meaning.partition("\n\n")[0].replace("``", "'").split("\n")
    default = f" Default: {setting.default}." if setting.default not in ("", "[]") else ""
    yield from (*lines[:-1], f"{lines[-1]}{default}")


def _example(setting: SettingText, offered: Sequence[tuple[str, RunCommand]]) -> list[str]:
    if setting.field != "per_program_args" or not offered:
        return setting.example.split("\n")
    lines = ["[per-program-args]"]
    for path, command in offered:
        shown = json.dumps(shlex.join(command.args))
        lines.append(f"{json.dumps(path)} = {shown}  # from {command.where}")
    return lines
