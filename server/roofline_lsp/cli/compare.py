"""``roofline-lsp compare``: variants of a kernel side by side."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.api.compare.comparing import compare
from roofline_analysis.api.compare.matching import Side
from roofline_analysis.api.compare.records import VariantComparison
from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.api.tasks import loaded_programs
from roofline_analysis.project.files import Reader
from roofline_analysis.project.paths import project_root
from roofline_analysis.project.project import ProjectIndex
from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record
from roofline_core.settings import PYTHON_SUFFIXES, SOURCE_SUFFIXES, Settings, suggestion
from roofline_lsp.cli.exit_codes import FINDINGS, OK
from roofline_lsp.cli.files import MAX_FILE_BYTES, read_regular
from roofline_lsp.cli.git import RevisionFiles, revision
from roofline_lsp.cli.options import (
    add_judging_options,
    analysis_layer,
    resolved,
)
from roofline_lsp.cli.output import write
from roofline_lsp.formats.style import ColourStyle

MOST_VARIANTS: Final = 8
"""The most that are compared at a time: a wider table is not read."""
_SUFFIXES: Final = SOURCE_SUFFIXES | PYTHON_SUFFIXES
_JUDGED_BY: Final = (
    *("gpu", "gpus", "clock", "ceilings", "rule", "compiler", "args"),
    *("background_gbs", "background_period_ms", "select", "ignore"),
)
"""The settings that hold for all variants, so that nothing but their code differs."""


class NotComparedError(RooflineError):
    """A variant that does not exist or cannot be read."""


@record(frozen=True, slots=True)
class Wanted:
    """One variant as it was asked for."""

    label: str
    path: Path
    revision: str | None
    kernel: str | None
    line: int | None = None


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp compare",
        description="Compare variants of a kernel: class, operations, bytes, time and its terms,"
        " findings that are gone and new, and the lines that differ in what they cost. The first"
        " variant is what the others are held against.",
        allow_abbrev=False,
    )
    made.add_argument(
        "variants",
        nargs="+",
        metavar="FILE[@REV][:KERNEL]",
        help="the file that defines a kernel, as it is or as a Git revision has it, and the"
        " kernel's name or a part of it. FILE:LINE is the kernel around a line. Without a name the"
        " kernels of the same names are compared",
    )
    made.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="default: text"
    )
    made.add_argument("--output", type=Path, metavar="FILE", help="write it here")
    add_judging_options(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Print the comparison, and return the exit code.

    Raises SettingsError, UnknownGpuError, NoSuchKernelError, GitError and NotComparedError.
    """
    options = parser().parse_args(argv)
    if not 2 <= len(options.variants) <= MOST_VARIANTS:
        raise NotComparedError(
            f"{len(options.variants)} given: from 2 to {MOST_VARIANTS} variants are compared, each"
            " as FILE[@REV][:KERNEL]"
        )
    wanted = labelled([taken_apart(text) for text in options.variants])
    comparison = _compared(wanted, options)
    if options.format == "json":
        from roofline_lsp.formats.comparison.document import render as json  # noqa: PLC0415

        write(json(comparison), options.output, data=True)
    elif options.format == "markdown":
        from roofline_lsp.formats.comparison.markdown import render as markdown  # noqa: PLC0415

        write(markdown(comparison), options.output)
    else:
        from roofline_lsp.formats.comparison.text import render  # noqa: PLC0415

        style = ColourStyle.of_stream(sys.stdout) if options.output is None else ColourStyle()
        write(render(comparison, style), options.output)
    broken = any(each.severity.value == "error" for each in comparison.problems)
    return FINDINGS if broken else OK


def taken_apart(what: str) -> Wanted:
    """The parts of ``FILE[@REV][:KERNEL]``.

    The file is the longest beginning before a colon that exists, for names may have colons and
    at-signs, too; of a revision it need not exist any more. Raises NotComparedError.
    """
    if what.startswith("-"):
        raise NotComparedError(f"'{what}' begins like an option; write ./{what} for such a file")
    parts = what.split(":")
    for count in range(len(parts), 0, -1):
        file = Path(":".join(parts[:count]))
        if file.is_file():
            return Wanted(what, file, None, *_kernel_and_line(":".join(parts[count:])))
    at = [place for place, letter in enumerate(what) if letter == "@" and place]
    places = sorted(at, key=lambda place: not Path(what[:place]).is_file())
    for place in places:
        name, _, kernel = what[place + 1 :].partition(":")
        file = Path(what[:place])
        if file.parent.is_dir():
            return Wanted(what, file, name, *_kernel_and_line(kernel))
    raise NotComparedError(_no_file(Path(parts[0])))


def labelled(wanted: Sequence[Wanted]) -> list[Wanted]:
    """The same with labels as short as tell them apart: kernels of one file by their names.

    Two that are the same are numbered.
    """
    files = [_path_tails([each.path for each in wanted])[each.path] for each in wanted]
    sources = {(each.path, each.revision) for each in wanted}
    of_one_file = len(sources) == 1 and all(each.kernel for each in wanted)
    labels: list[str] = []
    for each, file in zip(wanted, files, strict=True):
        where = file if each.revision is None else f"{file}@{each.revision}"
        what = each.kernel or each.line
        label = str(each.kernel) if of_one_file else f"{where}:{what}" if what else where
        same = sum(known == label or known.startswith(f"{label} (") for known in labels)
        labels.append(f"{label} ({same + 1})" if same else label)
    return [replace(each, label=label) for each, label in zip(wanted, labels, strict=True)]


def _path_tails(paths: Sequence[Path]) -> dict[Path, str]:
    """Each path with as many folders as all of them need to be told apart."""
    different = set(paths)
    for count in range(1, max(len(path.parts) for path in different)):
        tails = {path: Path(*path.parts[-count:]).as_posix() for path in different}
        if len(set(tails.values())) == len(different):
            return tails
    return {path: path.as_posix() for path in different}


def _kernel_and_line(text: str) -> tuple[str | None, int | None]:
    return (None, int(text)) if text.isdecimal() else (text or None, None)


def _no_file(file: Path) -> str:
    if file.is_dir():
        return f"{file}: is a folder; name the file that defines the kernel"
    names = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
    near = suggestion(file.name, names)
    return f"{file}: there is no such file{near}; FILE[@REV][:KERNEL] is expected"


def _compared(wanted: Sequence[Wanted], options: argparse.Namespace) -> VariantComparison:
    folder = wanted[0].path.parent
    settings = resolved(folder, analysis_layer(options), file=options.config)
    with contextlib.ExitStack() as stack:
        programs: dict[tuple[Path, str | None], ProgramAnalysis] = {}
        sides = []
        for each in wanted:
            key = (each.path, each.revision)
            if key not in programs:
                reader = _reader(each, stack)
                same = each.path.parent == folder  # its warnings have been told
                own = settings if same else _settings(settings, each, options)
                programs[key] = _loaded(each, reader, own)
            analysis = programs[key]
            sides.append(
                Side(each.label, analysis, each.path, each.kernel, each.revision, each.line)
            )
        try:
            return compare(sides)
        except RooflineError:
            raise
        except Exception as error:
            message = f"internal error, please report it: {crash_reason(error)}"
            raise NotComparedError(message) from error


def _settings(first: Settings, wanted: Wanted, options: argparse.Namespace) -> Settings:
    """What a variant's own project says of its sources, judged by what holds for the first."""
    own = resolved(wanted.path.parent, analysis_layer(options), file=options.config)
    return replace(own, **{name: getattr(first, name) for name in _JUDGED_BY})


class _Source:
    """Reads a variant's files: of a revision what the repository has of them, else the disk's."""

    def __init__(self, revised: RevisionFiles | None) -> None:
        self.revised = revised

    def __call__(self, path: Path) -> bytes | None:
        if self.revised is not None and self.revised.owns(path):
            return self.revised.read(path)
        return read_regular(path)


def _reader(wanted: Wanted, stack: contextlib.ExitStack) -> _Source:
    if wanted.revision is None:
        if read_regular(wanted.path) is None:
            raise NotComparedError(f"{wanted.path}: cannot be read as text")
        return _Source(None)
    of = revision(wanted.path.parent, wanted.revision)
    revised = stack.enter_context(RevisionFiles(of, MAX_FILE_BYTES))
    if revised.read(wanted.path) is None:
        names = [each.name for each in revised.paths() if each.suffix in _SUFFIXES]
        near = suggestion(wanted.path.name, names)
        raise NotComparedError(
            f"{wanted.path}: revision '{wanted.revision}' has no such file{near}"
        )
    return _Source(revised)


def _loaded(wanted: Wanted, source: _Source, settings: Settings) -> ProgramAnalysis:
    files = [wanted.path]
    if source.revised is not None:  # what is gone since then is on no disk to be found
        was = (each for each in source.revised.paths() if each.suffix.lower() in _SUFFIXES)
        files += (each for each in was if not each.exists())
    reader: Reader = source
    project = ProjectIndex(
        project_root(wanted.path.parent), files=files, exclude=settings.exclude, reader=reader
    )
    try:
        ((analysis, _),) = loaded_programs([wanted.path], settings, project, reader)
    except RooflineError:
        raise
    except Exception as error:
        message = f"{wanted.path}: internal error, please report it: {crash_reason(error)}"
        raise NotComparedError(message) from error
    return analysis
