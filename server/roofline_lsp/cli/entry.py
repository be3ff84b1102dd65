"""The command's start: what need not import anything does not."""

from __future__ import annotations

import gc
import sys

_INTERRUPTED = 130
"""As ``exit_codes`` has it, which is not imported yet."""


def main() -> int:
    """Run the command line of this process and return the exit code."""
    try:
        code = _run()
    except KeyboardInterrupt:  # while what would have caught it was imported
        return _INTERRUPTED
    gc.freeze()  # the interpreter's last collection would look at all that lives until the end
    return code


def _run() -> int:
    if sys.argv[1:] == ["--version"]:
        from roofline_lsp.formats.tool import tool_version  # noqa: PLC0415

        print(f"roofline-lsp {tool_version()}")
        return 0
    if sys.argv[1:] == ["--stdio"]:
        from roofline_lsp.cli.guarding import guarded  # noqa: PLC0415

        return guarded(_serve)
    from roofline_lsp.cli.main import main as run  # noqa: PLC0415

    return run()


def _serve() -> int:
    from roofline_lsp.cli.serving import serve  # noqa: PLC0415

    return serve()
