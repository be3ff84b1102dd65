"""Drawings as files: SVG as it is, PNG and PDF by way of optional packages."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Final

from roofline_core.program.errors import RooflineError
from roofline_lsp.formats.strangers import visible

SUFFIXES: Final = (".svg", ".png", ".pdf")


class DrawingError(RooflineError):
    """A drawing that cannot be made or written."""


def check_drawing(path: Path) -> None:
    """Raise DrawingError for a file that cannot become a drawing, before the work is done."""
    if path.suffix.lower() not in SUFFIXES:
        raise DrawingError(f"{path}: a plot is an .svg, a .png or a .pdf file")
    if path.suffix.lower() == ".png":
        _renderer(path)
    if path.suffix.lower() == ".pdf":
        pyplot_for(path)


def write_drawing(svg: str, path: Path) -> None:
    """Write SVG text, as PNG of twice its size or as PDF where the name says so.

    Raises DrawingError.
    """
    try:
        if path.suffix.lower() == ".png":
            path.write_bytes(_renderer(path).svg_to_bytes(svg_string=visible(svg), zoom=2))
        elif path.suffix.lower() == ".pdf":
            from roofline_lsp.formats.svg_pdf import write_pdf  # noqa: PLC0415 - few runs need it

            write_pdf(pyplot_for(path), visible(svg), path)
        else:
            path.write_text(visible(svg), encoding="utf-8")
    except OSError as error:
        raise DrawingError(f"{path}: cannot be written: {error.strerror}") from None


def pyplot_for(path: Path) -> Any:
    """The module ``pyplot`` of matplotlib, to draw a file. Raises DrawingError without it."""
    try:
        matplotlib = importlib.import_module("matplotlib")
        matplotlib.use("Agg")
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise DrawingError(
            f"{path}: drawing PDF takes a package: pip install 'roofline-lsp[plot]';"
            " or name an .svg"
        ) from None


def _renderer(path: Path) -> Any:
    try:
        return importlib.import_module("resvg_py")
    except ImportError:
        raise DrawingError(
            f"{path}: drawing PNG takes a package: pip install 'roofline-lsp[png]'; or name an .svg"
        ) from None
