"""roofline-lsp: whether GPU kernels are compute- or bandwidth-bound, told from their source.

``analyze(text, path, settings)`` gives a report; ``python -m roofline_lsp`` is the command. The
analyser is loaded when a name is first asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing it takes longer than all that is here
if TYPE_CHECKING:
    from typing import Any

    from roofline_analysis.api import analyze

    __version__: str

__all__ = ["__version__", "analyze"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    import importlib  # noqa: PLC0415

    value: Any
    if name == "analyze":
        value = importlib.import_module("roofline_analysis.api").analyze
    elif name == "__version__":
        value = importlib.import_module("roofline_lsp.formats.tool").tool_version()
    else:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = value
    return value
