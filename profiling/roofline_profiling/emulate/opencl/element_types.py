"""OpenCL C's types of elements and vectors, as the library's text is made of them."""

from __future__ import annotations

from typing import Final

WIDTHS: Final = (2, 3, 4, 8, 16)
"""Of vectors."""
SIGNED: Final = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}
"""Unsigned types by signed ones."""
WHOLE: Final = tuple(name for pair in SIGNED.items() for name in pair)
BITS: Final = {"char": 8, "short": 16, "int": 32, "long": 64, "float": 32, "double": 64}
SPACES: Final = ("__global", "__local", "__private")
"""Kinds of memory that can be written."""
HEX: Final = "0123456789abcdef"
"""Names of a vector's elements after an ``s``."""
