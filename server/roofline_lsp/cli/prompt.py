"""``roofline-lsp prompt``: exactly what would be sent about a kernel; nothing is sent."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence

from roofline_advisor.asking import Asker
from roofline_advisor.pricing import estimated_tokens, preview
from roofline_advisor.protocols import ClassificationCase, questions
from roofline_advisor.request import Request
from roofline_advisor.shown import bodies, shown
from roofline_advisor.suggest import SuggestionTask
from roofline_core.settings import PROTOCOLS, Settings, validate
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.kernel_option import add_kernel_options, settings_of, task_of
from roofline_lsp.cli.llm import check_on
from roofline_lsp.cli.options import turned_on
from roofline_lsp.cli.output import write


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp prompt",
        description="Show every text that would be sent to a language model about a kernel, and"
        " what that may cost. Nothing is sent.",
        allow_abbrev=False,
    )
    add_kernel_options(made)
    made.add_argument("--protocol", choices=PROTOCOLS, help="how the class is asked for")
    made.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="json: the requests' bodies, byte for byte; text shows control characters escaped",
    )
    made.add_argument(
        "--count",
        action="store_true",
        help="have the endpoint count the tokens; this does send the texts",
    )
    return made


def run(argv: Sequence[str]) -> int:
    """Print it, and return the exit code. Raises SettingsError and AdvisorError."""
    options = parser().parse_args(argv)
    given = {} if options.protocol is None else {"protocol": options.protocol}
    layer = validate({"advisor": given}, origin="command line", folder=options.file.parent)
    counting = (turned_on(),) if options.count else ()
    settings = settings_of(options, layer, *counting)
    task = task_of(options, settings)
    case = ClassificationCase(task.reading, task.kernel, task.bench.gpu, settings)
    if options.format == "json":
        write(json.dumps(bodies(task, case), indent=2, ensure_ascii=False) + "\n", data=True)
        return OK
    requests = [*questions(case), task.request()]
    write(f"{shown(task, case)}\n{_cost(requests, settings, task, count=options.count)}\n")
    return OK


def _cost(
    requests: Sequence[Request], settings: Settings, task: SuggestionTask, *, count: bool
) -> str:
    if count:
        check_on(settings)
        tokens = asyncio.run(_counted(requests, settings))
    else:
        tokens = [estimated_tokens(request) for request in requests]
    advisor = settings.advisor
    found = preview(
        advisor.model,
        sum(tokens),
        advisor.max_output_tokens * len(requests),
        requests=len(requests),
        counted=count,
    )
    return f"For {task.kernel.title}, each once: {found.text()}."


async def _counted(requests: Sequence[Request], settings: Settings) -> list[int]:
    asker = Asker(settings.advisor)
    try:
        return list(await asyncio.gather(*map(asker.count_tokens, requests)))
    finally:
        await asker.close()
