"""How a program's files are compiled: macros and include folders from settings and build files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofline_lsp.api.files import Reader
from roofline_lsp.parsers.preprocess import PreprocessOptions
from roofline_lsp.parsers.preprocess.makefile import makefile_hints
from roofline_lsp.settings import Settings

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")


def preprocess_options(
    paths: Sequence[Path], settings: Settings, reader: Reader
) -> PreprocessOptions:
    """Macros and include folders for a program: the settings' own after its Makefile's."""
    defines: list[tuple[str, str]] = []
    include_dirs: list[Path] = []
    folder = paths[0].parent if paths else Path()
    for name in _MAKEFILES:
        text = reader(folder / name)
        if text is not None:
            hinted_defines, hinted_dirs = makefile_hints(text)
            defines.extend(hinted_defines)
            include_dirs.extend(folder / directory for directory in hinted_dirs)
            break
    for define in settings.defines:
        name, _, value = define.partition("=")
        defines.append((name, value if "=" in define else "1"))
    include_dirs.extend(settings.include_dirs)
    return PreprocessOptions(defines=tuple(defines), include_dirs=tuple(include_dirs))
