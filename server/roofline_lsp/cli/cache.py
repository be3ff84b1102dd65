"""``roofline-lsp cache``: what is kept of the model's replies."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from roofline_advisor.cache import ReplyCache
from roofline_core.text.units import counted, scaled, significant
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.options import resolved
from roofline_lsp.cli.output import write


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp cache",
        description="Tell what is kept of a language model's replies, or forget it.",
        allow_abbrev=False,
    )
    made.add_argument("action", choices=("info", "clear"), help="tell what is kept, or forget it")
    made.add_argument("--config", type=Path, metavar="FILE", help="a settings file to use")
    return made


def run(argv: Sequence[str]) -> int:
    """Show or clear the cache, and return the exit code.

    Raises SettingsError, and RooflineError if the cache is in use.
    """
    options = parser().parse_args(argv)
    settings = resolved(Path.cwd(), file=options.config).advisor
    cache = ReplyCache(settings, lambda text: print(f"roofline-lsp: {text}", file=sys.stderr))
    try:
        if options.action == "clear":
            write(f"{cache.folder}: {counted(cache.clear(), 'entry', 'entries')} deleted\n")
            return OK
        info = cache.info()
    finally:
        cache.close()
    lines = [
        f"folder   {info.folder}",
        f"entries  {info.entries}",
        f"size     {scaled(info.size_bytes, 'B')} of at most {scaled(info.most_bytes, 'B')}",
        f"kept     {significant(info.keep_days)} days",
        *(f"damaged  {path}" for path in info.set_aside),
    ]
    write("\n".join(lines) + "\n")
    return OK
