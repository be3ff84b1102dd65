"""What build files say of a program: ``compile_commands.json``, ``CMakeLists.txt``, Makefiles.

Of each file, the first of these that there is:

1. its entry in ``compile_commands.json``: that of the settings, else the one in the nearest folder
   above the file or in that folder's ``build``;
2. a target of a CMake project that has it, the project of the uppermost ``CMakeLists.txt`` first;
3. the Makefile of the nearest folder above it that names the file;
4. what the program's other files are compiled with, if one of these names any of them;
5. the nearest Makefile above it that compiles anything, else the nearest ``CMakeLists.txt``.

Folders are looked at up to the project's root, which version control or a settings file marks, else
a few. No build file outside is read, by whatever link.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roofline_analysis.project.files import Reader
from roofline_analysis.project.paths import absolute, marked_root, spelled_like
from roofline_analysis.project.readable import Readable, levels
from roofline_core.program.asked import asked, asking
from roofline_core.program.records import record
from roofline_core.program.units import Problem, Severity
from roofline_core.settings import SOURCE_SUFFIXES
from roofline_parsers.preprocess.compile_commands import (
    CompileCommandsError,
    CompileDatabase,
    database_bytes,
)
from roofline_parsers.preprocess.compile_flags import CompileFlags, parse_flags
from roofline_parsers.preprocess.makefiles import Makefile
from roofline_parsers.reading.dialects import has_offload

if TYPE_CHECKING:
    from roofline_parsers.preprocess.cmake import CMakeProject

DATABASE: Final = "compile_commands.json"
LISTS: Final = "CMakeLists.txt"
MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")
OFFLOADING: Final = ("Makefile.aomp", "Makefile.clang", "Makefile.nvc")
"""Makefiles for compilers that offload OpenMP to GPUs, beside one for another compiler."""
_MOST_PROJECTS: Final = 8
"""The most CMake projects kept, those used last."""
_MOST_DATABASES: Final = 1000
"""The most places of compilation databases kept by ``forget_oldest``, with what is there."""


@record(frozen=True, slots=True)
class BuildFlags:
    """What build files say of a program's files."""

    common: CompileFlags = CompileFlags()
    """Of files that are not in ``own``, such as headers."""
    own: tuple[tuple[Path, CompileFlags], ...] = ()
    """Of files, in place of the common ones."""
    problems: tuple[Problem, ...] = ()
    """Build files that were not read in full, or not at all."""


class BuildFiles:
    """The build files of one run or editor session, read once. Not thread-safe."""

    def __init__(self) -> None:
        self._projects: dict[Path, CMakeProject] = {}
        self._databases: dict[Path, CompileDatabase | None] = {}
        self._responses: defaultdict[Path, set[str]] = defaultdict(set)
        """What was asked for on behalf of a database: files with options that it names."""

    def invalidate(self, path: Path) -> None:
        """Drop what rests on a file that has changed."""
        if path.suffix.lower() not in SOURCE_SUFFIXES:
            self._databases.clear()  # it may be one, or a file with options that one names
        for top in [top for top, each in self._projects.items() if each.rests_on(path)]:
            del self._projects[top]

    def forget_oldest(self) -> None:
        """Drop the databases that were looked for first, if there are many."""
        for path in list(self._databases)[:-_MOST_DATABASES]:
            del self._databases[path]
            self._responses.pop(path, None)

    def flags(self, paths: Sequence[Path], given: Path | None, reader: Reader) -> BuildFlags:
        """What build files say of a program.

        ``given`` is the ``compile_commands.json`` of the settings. Raises
        ``CompileCommandsError`` if that cannot be read or is malformed.
        """
        if not paths:
            return BuildFlags()
        search = _BuildSearch(self, paths, given, reader)
        own = {path: flags for path in paths if (flags := search.of_file(path)) is not None}
        rest = [path for path in paths if path not in own]
        common, made = search.of_makefile(rest, naming=bool(own))
        own |= made
        if len(own) == len(paths) or (common is None and own):
            common = next(iter(own.values()))
        if common is None:
            common = search.of_folder(paths[0]) or CompileFlags()
        differing = tuple((path, flags) for path, flags in own.items() if flags != common)
        told = "; ".join(search.told)
        problems = (Problem(Severity.NOTE, told, paths[0]),) if told else ()
        return BuildFlags(common, differing, problems)

    def project(self, top: Path, reader: Reader) -> CMakeProject:
        """The CMake project of a folder."""
        found = self._projects.pop(top, None)
        if found is None:
            # Most folders that are checked have no CMake project.
            from roofline_parsers.preprocess.cmake import CMakeProject  # noqa: PLC0415

            found = CMakeProject(top, reader)
        self._projects[top] = found  # the last used is the last
        while len(self._projects) > _MOST_PROJECTS:
            del self._projects[next(iter(self._projects))]
        return found

    def database(self, path: Path, reader: Reader) -> CompileDatabase | None:
        """A compilation database; None where there is none. Raises CompileCommandsError."""
        if path not in self._databases:
            data = reader(path)
            self._databases[path] = None if data is None else CompileDatabase(path, data, reader)
        return self._databases[path]

    def listed(self, path: Path, file: Path, reader: Reader) -> CompileFlags | None:
        """What a compilation database says of a file; None where there is no database or entry.

        Raises CompileCommandsError.
        """
        with asking() as paths:
            database = self.database(path, reader)
            found = None if database is None else database.flags(file)
        responses = self._responses[path]
        responses |= paths
        asked((path, *responses))
        return found


def check_given(database: Path | None, readable: Readable) -> None:
    """Raises CompileCommandsError for a database of a project's settings outside the project."""
    if database is not None and readable(database):
        raise CompileCommandsError(
            f"{database}: leads out of the project, whose settings file names it; name it in your"
            " own settings"
        )


class _Below:
    """A reader of the files below a folder, by their real paths."""

    def __init__(self, root: str, reader: Reader) -> None:
        """``root`` is a real path with a separator at its end."""
        self._root = root
        self._reader = reader
        self._real_folders: dict[Path, str] = {}

    def __call__(self, path: Path) -> bytes | None:
        """The bytes of a file; None for one that is elsewhere."""
        asked((path,))
        try:
            real = self._real(path)
        except (OSError, ValueError):  # a null character, say
            return None
        return self._reader(path) if real.startswith(self._root) else None

    def _real(self, path: Path) -> str:
        if path.name in ("", "..") or path.is_symlink():
            return os.path.realpath(path)
        folder = self._real_folders.get(path.parent)
        if folder is None:
            folder = self._real_folders[path.parent] = os.path.realpath(path.parent)
        return os.path.join(folder, path.name)  # noqa: PTH118


class _BuildSearch:
    """The search for one program's build files; each kind is looked up once for each folder."""

    def __init__(
        self, files: BuildFiles, paths: Sequence[Path], given: Path | None, reader: Reader
    ) -> None:
        self.told: dict[str, None] = {}
        self._files = files
        self._paths = paths
        self._given = given
        self._reader = reader
        self._known_levels: dict[Path, tuple[Path, ...]] = {}
        self._home = absolute(paths[0]).parent
        root = os.path.realpath(self._levels(self._home)[-1])
        self._below = _Below(f"{root.rstrip(os.sep)}{os.sep}", reader)

    def _levels(self, folder: Path) -> tuple[Path, ...]:
        """A folder and those above it that may have its build files, the nearest first."""
        found = self._known_levels.get(folder)
        if found is None:
            found = self._known_levels[folder] = levels(folder, marked_root(folder))
        return found

    # ---- Single files

    def of_file(self, path: Path) -> CompileFlags | None:
        """What a database or a target of a CMake project says of a file."""
        file = absolute(path)
        listed = self._listed(path, file)
        if listed is not None:
            return self._spelled(listed)
        for top in reversed(self._levels(file.parent)):
            if self._below(top / LISTS) is not None:
                found = self._asked(top, file)
                if found is not None and found[1]:
                    return self._spelled(found[0])
        return None

    def _listed(self, path: Path, file: Path) -> CompileFlags | None:
        if self._given is not None:
            database = self._files.database(self._given, self._reader)
            if database is None:
                database = CompileDatabase(self._given, database_bytes(self._given), self._reader)
                return database.flags(path) or database.flags(file)
            listed = self._files.listed(self._given, path, self._reader)
            return listed or self._files.listed(self._given, file, self._reader)
        for folder in self._levels(file.parent):
            for place in (folder / DATABASE, folder / "build" / DATABASE):
                try:
                    flags = self._files.listed(place, file, self._below)
                except CompileCommandsError as error:
                    self.told[str(error)] = None
                    continue
                if flags is not None:
                    return flags
        return None

    def _asked(self, top: Path, file: Path) -> tuple[CompileFlags, bool] | None:
        """What a CMake project says of a file, and whether a target has it."""
        project = self._files.project(top, self._below)
        found = project.file(file, self._below)
        asked(project.probed)  # some of it perhaps for a program before
        self._tell(top / LISTS, project.limits)
        return None if found is None else (parse_flags(found.arguments, top), found.named)

    # ---- Programs

    def of_makefile(
        self, files: Sequence[Path], *, naming: bool
    ) -> tuple[CompileFlags | None, dict[Path, CompileFlags]]:
        """A Makefile's flags for all files, and those of files with a rule of their own.

        ``naming``: only a Makefile that names one of the files.
        """
        makefile = self._makefile(files, naming)
        if makefile is None:
            return None, {}
        common = self._spelled(makefile.flags())
        own = {}
        for path in files:
            alone = makefile.own_flags(path.name)
            if alone is not None and (alone.defines or alone.float_math != common.float_math):
                both = dict.fromkeys((*common.defines, *alone.defines))
                own[path] = replace(common, defines=tuple(both), float_math=alone.float_math)
            elif alone is None and (flags := makefile.rule_flags(absolute(path))) is not None:
                own[path] = self._spelled(flags)
        return common, own

    def _makefile(self, files: Sequence[Path], naming: bool) -> Makefile | None:
        """The nearest Makefile that names a file; else the nearest that compiles anything."""
        if not files:
            return None
        nearest = None
        for folder in self._levels(self._home):
            text = self._text(folder)
            if text is None:
                continue
            makefile = Makefile(text, folder, self._below)
            self._tell(folder / MAKEFILES[-1], tuple(makefile.limits))
            if any(makefile.names(absolute(path)) for path in files):
                return makefile
            if nearest is None and (folder == self._home or makefile.builds()):
                nearest = makefile
        return None if naming else nearest

    def _text(self, folder: Path) -> bytes | None:
        """A folder's Makefile; of a program that offloads, that of a compiler which can."""
        for name in OFFLOADING:
            text = self._below(folder / name)
            if text is not None and any(
                has_offload(self._reader(path) or b"") for path in self._paths
            ):
                return text
        texts = (self._below(folder / name) for name in MAKEFILES)
        return next((text for text in texts if text is not None), None)

    def of_folder(self, path: Path) -> CompileFlags | None:
        """What the CMake project of the nearest folder says of a file that no target has."""
        file = absolute(path)
        for top in reversed(self._levels(file.parent)):
            if self._below(top / LISTS) is not None:
                found = self._asked(top, file)
                if found is not None:
                    return self._spelled(found[0])
        return None

    # ---- Details

    def _tell(self, file: Path, limits: Sequence[str]) -> None:
        for limit in limits:
            self.told[f"'{file}' is read in part: {limit}"] = None

    def _spelled(self, flags: CompileFlags) -> CompileFlags:
        """Flags with folders spelled as the program's files are: from the root or relative."""
        if self._paths[0].is_absolute():
            return flags
        asked = self._paths[0]
        folders = tuple(spelled_like(asked, folder) for folder in flags.include_dirs)
        forced = tuple(spelled_like(asked, file) for file in flags.forced_includes)
        return replace(flags, include_dirs=folders, forced_includes=forced)
