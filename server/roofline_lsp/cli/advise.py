"""``roofline-lsp advise``: suggestions for a kernel, checked, as differences of its file."""

from __future__ import annotations

import argparse
import asyncio
import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from roofline_advisor.advice import Advice, Suggestion
from roofline_advisor.asking import Asker
from roofline_advisor.edits import applied
from roofline_advisor.suggest import SuggestionTask, suggest
from roofline_core.text.units import counted
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.kernel_option import add_kernel_options, settings_of, task_of
from roofline_lsp.cli.llm import check_on
from roofline_lsp.cli.options import turned_on
from roofline_lsp.cli.output import write
from roofline_lsp.cli.progress import StatusLine


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp advise",
        description="Ask a language model how to make a kernel faster. This sends the program's"
        " source to it; `roofline-lsp prompt` shows what. Only edits that parse, keep signature"
        " and launches, and are not slower by the static model are shown. No file is changed.",
        allow_abbrev=False,
    )
    add_kernel_options(made)
    made.add_argument("--quiet", action="store_true", help="do not tell what is being done")
    return made


def run(argv: Sequence[str]) -> int:
    """Print suggestions, and return the exit code. Raises SettingsError and AdvisorError."""
    options = parser().parse_args(argv)
    settings = settings_of(options, turned_on())
    check_on(settings)
    task = task_of(options, settings)
    advice = asyncio.run(_advice(task, quiet=options.quiet))
    write("\n".join(_lines(advice, task)) + "\n")
    return OK


async def _advice(task: SuggestionTask, *, quiet: bool) -> Advice:
    def warn(text: str) -> None:
        """Print a warning of the asker's to standard error."""
        print(f"roofline-lsp: {text}", file=sys.stderr)

    asker = Asker(task.settings.advisor, warn)
    with StatusLine(sys.stderr, enabled=not quiet) as line:
        try:
            return await suggest(asker, task, line.show)
        finally:
            await asker.close()


def _lines(advice: Advice, task: SuggestionTask) -> Iterator[str]:
    for at, each in enumerate(advice.suggestions, 1):
        yield f"{at}. {each.title}"
        yield f"   {each.why}"
        yield f"   static model: {each.effect.text()}"
        yield f"   the model expects: {each.claimed}"
        yield f"   {each.compiled}; {each.tested}"
        yield from _difference(each, task.text, task.bench.path)
        yield ""
    for one in advice.rejected:
        yield f"left out: '{one.title}': {one.reason}"
    found = counted(len(advice.suggestions), "suggestion")
    rounds = counted(advice.rounds, "round")
    yield f"{found} for {advice.kernel}, {rounds}, {counted(advice.tokens, 'token')} used"


def _difference(suggestion: Suggestion, text: str, path: Path) -> Iterator[str]:
    return difflib.unified_diff(
        text.splitlines(),
        applied(text, suggestion.edits).splitlines(),
        f"a/{path}",
        f"b/{path}",
        lineterm="",
    )
