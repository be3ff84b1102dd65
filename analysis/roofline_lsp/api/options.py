"""How a program's files are compiled: macros and include folders from settings and build files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roofline_lsp.api.files import Reader
from roofline_lsp.parsers.preprocess import PreprocessOptions
from roofline_lsp.parsers.preprocess.compile_commands import load_compile_commands
from roofline_lsp.parsers.preprocess.compile_flags import CompileFlags
from roofline_lsp.parsers.preprocess.makefiles import makefile_hints
from roofline_lsp.settings import Settings

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")


def preprocess_options(
    paths: Sequence[Path], settings: Settings, reader: Reader
) -> PreprocessOptions:
    """Macros and include folders for a program.

    They come from ``compile_commands.json`` where the settings name one that lists a file of the
    program, else from the Makefile beside the first file; the settings' own are added to them.
    Raises ``RooflineError`` for a compile_commands.json that cannot be read as one.
    """
    flags = _listed(paths, settings, reader) or _made(paths, reader)
    options = flags.to_options()
    own = tuple(_definition(define) for define in settings.defines)
    return replace(
        options,
        defines=(*options.defines, *own),
        include_dirs=(*options.include_dirs, *settings.include_dirs),
    )


def _listed(paths: Sequence[Path], settings: Settings, reader: Reader) -> CompileFlags | None:
    if settings.compile_commands is None:
        return None
    entries = load_compile_commands(settings.compile_commands, reader)
    for path in paths:
        found = entries.get(path) or entries.get(path.absolute())
        if found is not None:
            return found
    return None


def _made(paths: Sequence[Path], reader: Reader) -> CompileFlags:
    folder = paths[0].parent if paths else Path()
    for name in _MAKEFILES:
        text = reader(folder / name)
        if text is not None:
            return makefile_hints(text, folder)
    return CompileFlags()


def _definition(define: str) -> tuple[str, str]:
    name, given, value = define.partition("=")
    return name, value if given else "1"
