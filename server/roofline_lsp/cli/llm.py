"""``--check --llm``: the model's opinion beside the verdicts that the analysis is not sure of."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roofline_advisor.advice import KernelName
from roofline_advisor.asking import Answer, Asker
from roofline_advisor.batches import ask_all
from roofline_advisor.bench import Bench
from roofline_advisor.classify import opinion
from roofline_advisor.errors import HOPELESS, AdvisorError, Fault
from roofline_advisor.joining import worth_asking
from roofline_advisor.pricing import Preview, preview
from roofline_advisor.protocols import ClassificationCase, questions
from roofline_advisor.request import Request
from roofline_analysis.report.report import FileReport, KernelReport, ModelOpinion
from roofline_core.settings import Settings
from roofline_core.text.units import counted
from roofline_lsp.cli.files import read_regular
from roofline_lsp.cli.progress import ProgressBar

UNSURE = "unsure"
ALL = "all"
CHOICES = (UNSURE, ALL)

Opinions = dict[tuple[Path, str, int], ModelOpinion]


def check_on(settings: Settings) -> None:
    """Raises AdvisorError where a settings file forbids what the command line asks for."""
    if not settings.advisor.enabled:
        raise AdvisorError(
            Fault.OFF,
            "a settings file forbids the advisor ('enabled = false' below [advisor]), so nothing"
            " was sent; the command line does not overrule that",
        )


def with_opinions(
    files: Sequence[FileReport], settings: Settings, which: str, *, progress: bool
) -> list[FileReport]:
    """The reports with what the model says of their kernels; what fails is told, once each.

    Raises AdvisorError where a settings file forbids it.
    """
    check_on(settings)
    cases = _cases(files, settings, which)
    with ProgressBar(sys.stderr, enabled=progress) as bar:
        opinions, failed = asyncio.run(_asked(cases, settings, bar))
    for message, count in failed.items():
        kernels = counted(count, "kernel")
        print(f"roofline-lsp: no opinion on {kernels}: {message}", file=sys.stderr)
    return [
        replace(file, kernels=tuple(_with(kernel, opinions) for kernel in file.kernels))
        for file in files
    ]


def previewed(files: Sequence[FileReport], settings: Settings, which: str) -> Preview:
    """What asking would cost, counted by the endpoint; what is kept costs nothing."""
    check_on(settings)
    return asyncio.run(_previewed(_cases(files, settings, which), settings))


def _cases(files: Sequence[FileReport], settings: Settings, which: str) -> list[ClassificationCase]:
    """The kernels to ask about, each with its program read again for the sources."""
    cases = []
    for file in files:
        wanted = [kernel for kernel in file.kernels if which == ALL or _unsure(kernel, settings)]
        text = read_regular(file.path) if wanted else None
        if text is None:
            continue
        try:
            bench = Bench(file.path, settings)
        except AdvisorError as error:
            print(f"roofline-lsp: no opinion: {error}", file=sys.stderr)
            continue
        reading = bench.read(text)
        for kernel in wanted:
            name = KernelName(kernel.qualified_name, kernel.name_span.line)
            cases.append(ClassificationCase(reading, reading.kernel(name), bench.gpu, settings))
    return cases


def _unsure(kernel: KernelReport, settings: Settings) -> bool:
    return worth_asking(kernel.prediction, settings.advisor)


def _requests(case: ClassificationCase) -> list[Request]:
    """Those of all votes, in order."""
    votes = case.settings.advisor.votes
    return [request for sample in range(votes) for request in questions(case, sample)]


async def _asked(
    cases: Sequence[ClassificationCase], settings: Settings, bar: ProgressBar
) -> tuple[Opinions, dict[str, int]]:
    asker = Asker(settings.advisor, lambda text: print(f"roofline-lsp: {text}", file=sys.stderr))
    requests = [_requests(case) for case in cases]
    flat = [request for each in requests for request in each]
    try:
        answers = await _answers(asker, flat, bar)
    finally:
        await asker.close()
    opinions: Opinions = {}
    failed: dict[str, int] = {}
    at = 0
    for case, each in zip(cases, requests, strict=True):
        mine = answers[at : at + len(each)]
        at += len(each)
        errors = [answer for answer in mine if isinstance(answer, AdvisorError)]
        if errors:
            failed[str(errors[0])] = failed.get(str(errors[0]), 0) + 1
        else:
            given = [answer for answer in mine if isinstance(answer, Answer)]
            opinions[_key(case.kernel)] = opinion(case, given)
    return opinions, failed


async def _answers(
    asker: Asker, requests: Sequence[Request], bar: ProgressBar
) -> list[Answer | AdvisorError]:
    """One by one, or as a batch where there are many that are not kept."""
    kept = [await asker.kept(request) for request in requests]
    missing = kept.count(None)
    if missing >= asker.settings.batch_from:
        note = f"{missing} requests as a batch; if this is ended, the same command collects it"
        print(f"roofline-lsp: {note}", file=sys.stderr)
        try:
            return await ask_all(asker, requests, lambda done, of: bar.show(done, of, "in a batch"))
        except AdvisorError as error:
            return [answer or error for answer in kept]
    done = 0
    hopeless: AdvisorError | None = None
    free = asyncio.Semaphore(asker.settings.concurrency)

    async def one(request: Request) -> Answer | AdvisorError:
        """The answer or the error; after a hopeless error nothing more is asked."""
        nonlocal done, hopeless
        try:
            async with free:
                return hopeless or await asker.ask(request)
        except AdvisorError as error:
            hopeless = error if error.fault in HOPELESS else hopeless
            return error
        finally:
            done += 1
            bar.show(done, len(requests), asker.settings.model)

    return list(await asyncio.gather(*map(one, requests)))


async def _previewed(cases: Sequence[ClassificationCase], settings: Settings) -> Preview:
    asker = Asker(settings.advisor)
    requests = [request for case in cases for request in _requests(case)]
    try:
        missing = [request for request in requests if await asker.kept(request) is None]
        tokens = await asyncio.gather(*map(asker.count_tokens, missing))
    finally:
        await asker.close()
    return preview(
        settings.advisor.model,
        sum(tokens),
        len(missing) * settings.advisor.max_output_tokens,
        requests=len(missing),
        counted=True,
        batch=len(missing) >= settings.advisor.batch_from,
    )


def _key(kernel: KernelReport) -> tuple[Path, str, int]:
    return kernel.path, kernel.qualified_name, kernel.name_span.line


def _with(kernel: KernelReport, opinions: Opinions) -> KernelReport:
    found = opinions.get(_key(kernel))
    return kernel if found is None else replace(kernel, opinion=found)
