"""A program of a tree as the analysis reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from roofline_analysis.api import ProgramAnalysis, ProgramPlace
from roofline_analysis.project.files import has_main, read_file
from roofline_analysis.project.project import ProjectIndex
from roofline_core.settings import Settings
from roofline_parsers.opencl.mentions import kernel_files
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.recording import Compilation, sources_of, write_database
from roofline_profiling.emulate.building import uses_opencl
from roofline_profiling.errors import ProfilerError
from roofline_study.programs import executables

DATABASE: Final = "compile_commands.json"


@dataclass(frozen=True, slots=True)
class AsBuilt:
    """What a program was built from."""

    program: TreeProgram
    sources: tuple[Path, ...]
    """What was compiled, those with ``main`` first; empty where that is not known."""
    database: Path | None
    """The ``compile_commands.json`` of its build."""

    def load(
        self,
        paths: Sequence[Path],
        settings: Settings,
        *,
        argv: Sequence[str] | None,
        profiled_names: Sequence[str] = (),
        root: Path | None = None,
    ) -> ProgramAnalysis:
        """Read the program with the flags of its build; of ``paths`` if that is not known.

        Its data files are below ``root``, or else below its tree.
        """
        units = self.sources or tuple(paths)
        folders = ProjectIndex(self.program.tree).include_dirs(units)
        return ProgramAnalysis.load(
            units,
            replace(settings, compile_commands=self.database),
            argv=argv,
            place=ProgramPlace(folders, root or self.program.tree),
            profiled_names=profiled_names,
        )


def as_built(program: TreeProgram, compilations: Sequence[Compilation], database: Path) -> AsBuilt:
    """A program by how it was compiled, which is written to ``database``. Raises ProfilerError."""
    sources = sources_of(compilations)
    if not sources:
        return AsBuilt(program, units_of(program), None)
    try:
        write_database(compilations, database)
    except OSError as error:
        raise ProfilerError(f"{database}: cannot be written: {error.strerror}") from None
    hosts = sorted(sources, key=lambda path: not has_main(read_file(path) or b""))
    return AsBuilt(program, (*hosts, *kernels_of(program, sources)), database)


def kernels_of(program: TreeProgram, sources: Sequence[Path]) -> tuple[Path, ...]:
    """The files of OpenCL C that a program's hosts read: those that they name, or all there are."""
    if not any(map(uses_opencl, (*sources, *_headers(program)))):
        return ()
    there = sorted(path for path in program.folder.rglob("*.cl") if path.is_file())
    named = {Path(name).name for path in sources for name in kernel_files(read_file(path) or b"")}
    return tuple(path for path in there if path.name in named) or tuple(there)


def _headers(program: TreeProgram) -> list[Path]:
    return [path for path in program.folder.rglob("*") if path.suffix in (".h", ".hpp")]


def units_of(program: TreeProgram) -> tuple[Path, ...]:
    """The files of a program: those of the first executable that its folder is built into."""
    if program.sources:
        return (*program.sources, *kernels_of(program, program.sources))
    made = executables(program.folder, program.tree)
    return made[0].units if made else ()
