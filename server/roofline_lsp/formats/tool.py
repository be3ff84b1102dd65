"""What made a report."""

from __future__ import annotations

import os
import sys

TOOL_NAME = "roofline-lsp"

_BEGINS, _ENDS = "roofline_lsp-", ".dist-info"


def tool_version() -> str:
    """The installed version; ``0+unknown`` where the sources run without being installed.

    It stands in the name of the folder that every installation has. The standard library's reader
    of these folders takes longer to import than Python to start.
    """
    for place in sys.path:
        try:
            names = os.listdir(place or ".")  # noqa: PTH208 - Path takes as long
        except OSError:
            continue
        for name in names:
            if name.startswith(_BEGINS) and name.endswith(_ENDS):
                return name[len(_BEGINS) : -len(_ENDS)]
    return "0+unknown"
