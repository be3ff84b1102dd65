"""Many questions handed in as one batch, which costs half and may take a day.

What was handed in is noted in the store of replies, so that a run that is ended and made again
collects the batch instead of paying for it twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from roofline_advisor.asking import Answer, Asker
from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.request import Request

_NOTE_DAYS = 25.0
"""Days for which a batch is remembered; the endpoint keeps its results for 29 days."""
_LOOK_EVERY_S = 15.0
_NOTE = "batch-of-"
"""With a request's name, what its batch is noted under."""

Show = Callable[[int, int], None]
"""Called with the number of finished requests and of all requests."""


async def ask_all(
    asker: Asker,
    requests: Sequence[Request],
    show: Show = lambda _, __: None,
    *,
    look_every_s: float = _LOOK_EVERY_S,
) -> list[Answer | AdvisorError]:
    """The answers in order; what is kept is not asked again.

    Raises AdvisorError where the batch as a whole cannot be handed in or followed.
    """
    kept = [await asker.kept(request) for request in requests]
    missing = {
        _name(request): request
        for request, answer in zip(requests, kept, strict=True)
        if answer is None
    }
    found = await _batch(asker, missing, show, look_every_s) if missing else {}
    return [answer or found[_name(request)] for request, answer in zip(requests, kept, strict=True)]


async def _batch(
    asker: Asker, missing: dict[str, Request], show: Show, look_every_s: float
) -> dict[str, Answer | AdvisorError]:
    """The answers to what is not kept, in as many batches as the budget has room for at a time."""
    found: dict[str, Answer | AdvisorError] = {}
    for batch, names in (await _handed_in(asker, missing)).items():
        asked = {name: missing[name] for name in names}
        found |= await _collected(asker, batch, asked, show, look_every_s)
    rest = {name: request for name, request in missing.items() if name not in found}
    while rest:
        count = asker.affordable(list(rest.values()))
        asked = dict(list(rest.items())[: max(count, 1)])
        try:
            async with asker.within_budget(list(asked.values())):
                found |= await _handed(asker, asked, show, look_every_s)
        except AdvisorError as error:
            if error.fault is not Fault.BUDGET:
                raise
            return {**dict.fromkeys(rest, error), **found}
        rest = {name: request for name, request in rest.items() if name not in asked}
    return found


async def _handed_in(asker: Asker, missing: dict[str, Request]) -> dict[str, list[str]]:
    """The requests that an earlier run handed in, by their batch."""
    found: dict[str, list[str]] = {}
    for name in missing:
        batch = await asyncio.to_thread(asker.cache.get, _NOTE + name)
        if isinstance(batch, str):
            found.setdefault(batch, []).append(name)
    return found


async def _handed(
    asker: Asker, asked: dict[str, Request], show: Show, look_every_s: float
) -> dict[str, Answer | AdvisorError]:
    """Hand in a batch, note it, and wait for its answers."""
    batch = await asker.attempt(lambda: asker.client.submit(asked))
    for name in asked:
        await asyncio.to_thread(asker.cache.put, _NOTE + name, batch, days=_NOTE_DAYS)
    return await _collected(asker, batch, asked, show, look_every_s)


async def _collected(
    asker: Asker, batch: str, asked: dict[str, Request], show: Show, look_every_s: float
) -> dict[str, Answer | AdvisorError]:
    """The answers of a batch, once it has ended."""
    found: dict[str, Answer | AdvisorError] = {}
    try:
        await _ended(asker, batch, show, look_every_s)
        async for name, reply in asker.client.results(batch):
            if name not in asked:
                continue
            if isinstance(reply, AdvisorError):
                asker.spent.tokens += reply.usage.total if reply.usage is not None else 0
                found[name] = reply
                continue
            try:
                found[name] = await asker.keep(asked[name], reply)
            except AdvisorError as error:
                found[name] = error
    except AdvisorError as error:
        if error.fault is Fault.REQUEST:  # it is gone
            await _forget(asker, asked)
        raise
    await _forget(asker, asked)
    lost = AdvisorError(Fault.SERVER, "the batch has no answer to this; try again")
    return {**dict.fromkeys(asked, lost), **found}


async def _forget(asker: Asker, asked: dict[str, Request]) -> None:
    for name in asked:
        await asyncio.to_thread(asker.cache.drop, _NOTE + name)


async def _ended(asker: Asker, batch: str, show: Show, look_every_s: float) -> None:
    while True:
        ended, done, of = await asker.attempt(lambda: asker.client.progress(batch))
        show(done, of)
        if ended:
            return
        await asyncio.sleep(look_every_s)


def _name(request: Request) -> str:
    """A request's name in the form that the endpoint accepts: at most 64 characters."""
    return request.key()[:40]
