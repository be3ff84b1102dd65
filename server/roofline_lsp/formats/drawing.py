"""Drawings as files: SVG as it is, or PNG by way of an optional package."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Final

from roofline_core.program.errors import RooflineError
from roofline_lsp.formats.strangers import visible

SUFFIXES: Final = (".svg", ".png")


class DrawingError(RooflineError):
    """A drawing that cannot be made or written."""


def check_drawing(path: Path) -> None:
    """Raise DrawingError for a file that cannot become a drawing, before the work is done."""
    if path.suffix.lower() not in SUFFIXES:
        raise DrawingError(f"{path}: a plot is an .svg or a .png file")
    if path.suffix.lower() == ".png":
        _renderer(path)


def write_drawing(svg: str, path: Path) -> None:
    """Write SVG text, as PNG of twice its size where the name says so. Raises DrawingError."""
    try:
        if path.suffix.lower() == ".png":
            path.write_bytes(_renderer(path).svg_to_bytes(svg_string=visible(svg), zoom=2))
        else:
            path.write_text(visible(svg), encoding="utf-8")
    except OSError as error:
        raise DrawingError(f"{path}: cannot be written: {error.strerror}") from None


def _renderer(path: Path) -> Any:
    try:
        return importlib.import_module("resvg_py")
    except ImportError:
        raise DrawingError(
            f"{path}: drawing PNG takes a package: pip install 'roofline-lsp[png]'; or name an .svg"
        ) from None
