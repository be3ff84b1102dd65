"""What every command runs within: what goes wrong becomes a message and an exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

from roofline_core.program.crash import crash_reason, listen
from roofline_core.program.errors import RooflineError
from roofline_lsp.cli.exit_codes import FAILED, INTERRUPTED, OK
from roofline_lsp.cli.output import plain_streams
from roofline_lsp.formats.error_file import REMEDY, keep_error


def guarded(work: Callable[[], int]) -> int:
    """Do the work of a command and return its exit code, or that of what went wrong."""
    # Syntax trees are many small objects that live long: collecting by the default threshold
    # visits them over and over, which doubled the time of a run.
    gc.set_threshold(1_000_000, 20, 100)
    listen(keep_error)
    with plain_streams():
        return _told(work)


def _told(work: Callable[[], int]) -> int:
    try:
        return work()
    except RooflineError as error:
        print(f"roofline-lsp: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has seen enough. Python would complain again when it flushes at
        # exit, so standard output is pointed at nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except Exception as error:
        print(f"roofline-lsp: internal error: {crash_reason(error)}; {REMEDY}", file=sys.stderr)
        return FAILED
