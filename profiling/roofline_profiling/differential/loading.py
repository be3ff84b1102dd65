"""A program of a tree as the analysis reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from roofline_analysis.api import ProgramAnalysis
from roofline_analysis.project.files import has_main, read_file
from roofline_analysis.project.project import ProjectIndex
from roofline_core.settings import Settings
from roofline_profiling.differential.discovery import TreeProgram
from roofline_profiling.differential.recording import Compilation, sources_of, write_database
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
        self, paths: Sequence[Path], settings: Settings, *, argv: Sequence[str] | None
    ) -> ProgramAnalysis:
        """Read the program with the flags of its build; of ``paths`` if that is not known."""
        units = self.sources or tuple(paths)
        folders = ProjectIndex(self.program.tree).include_dirs(units)
        return ProgramAnalysis.load(
            units,
            replace(settings, compile_commands=self.database),
            argv=argv,
            include_dirs=folders,
            root=self.program.tree,
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
    return AsBuilt(
        program,
        tuple(sorted(sources, key=lambda path: not has_main(read_file(path) or b""))),
        database,
    )


def units_of(program: TreeProgram) -> tuple[Path, ...]:
    """The files of a program: those of the first executable that its folder is built into."""
    if program.sources:
        return program.sources
    made = executables(program.folder, program.tree)
    return made[0].units if made else ()
