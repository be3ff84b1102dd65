"""What made a report."""

from __future__ import annotations

from importlib import metadata

TOOL_NAME = "roofline-lsp"


def tool_version() -> str:
    """The installed version; ``0+unknown`` where the sources run without being installed."""
    try:
        return metadata.version(TOOL_NAME)
    except metadata.PackageNotFoundError:
        return "0+unknown"
