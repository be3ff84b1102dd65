"""Programs with a part of their sources taken away, as code of a library often comes.

A tool sees one file of a project: headers are not found, nothing calls the kernels, or what they
call is defined elsewhere. Such programs are made from complete ones, whose kernels are measured.
"""

from __future__ import annotations

import enum
import re
import shutil
from pathlib import Path
from typing import Final

from roofline_analysis.project.files import HEADER_SUFFIXES
from roofline_core.settings import SOURCE_SUFFIXES
from roofline_parsers.cuda.extents import function_extents


class Hidden(enum.Enum):
    """What is taken away."""

    HEADERS = "headers"
    """The program's own header files."""
    HOSTS = "hosts"
    """Every function that only the host runs, launches included; in OpenMP a ``main`` without
    target regions."""
    CALLEES = "callees"
    """Every function that device code calls; in OpenMP all but ``main`` and those with target
    regions."""


_TARGET: Final = re.compile(rb"#\s*pragma\s+omp\s+[^\n]*\btarget\b")
_NOT_BLANK: Final = re.compile(rb"[^\r\n]")


def hide(program: Path, copy: Path, hidden: Hidden) -> None:
    """Write ``program``'s folder tree to ``copy``, which must not exist, without what is hidden."""
    shutil.copytree(program, copy)
    for path in sorted(copy.rglob("*")):
        suffix = path.suffix.lower()
        if not path.is_file() or suffix not in SOURCE_SUFFIXES:
            continue
        if hidden is Hidden.HEADERS:
            if suffix in HEADER_SUFFIXES:
                path.unlink()
        else:
            path.write_bytes(without(path.read_bytes(), hidden))


def without(source: bytes, hidden: Hidden) -> bytes:
    """The source with blanks for the functions that ``hidden`` names; lines stay."""
    text = bytearray(source)
    offloads = _TARGET.search(source) is not None
    for start, end in function_extents(source):
        function = source[start:end]
        if _is_hidden(function, hidden, offloads=offloads):
            text[start:end] = _NOT_BLANK.sub(b" ", function)
    return bytes(text)


def _is_hidden(function: bytes, hidden: Hidden, *, offloads: bool) -> bool:
    head = function.partition(b"{")[0]
    if b"__global__" in head or _TARGET.search(function):
        return False
    if offloads:
        is_main = re.search(rb"\bmain\s*\(", head) is not None
        return is_main is (hidden is Hidden.HOSTS)
    on_device = b"__device__" in head
    return on_device if hidden is Hidden.CALLEES else not on_device
