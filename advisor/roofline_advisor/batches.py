"""Many questions handed in as one batch, which costs half and may take a day.

What was handed in is noted in the store of replies, so that a run that is ended and made again
collects the batch instead of paying for it twice.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from roofline_advisor.asking import Answer, Asker
from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.request import Request

_NOTE_DAYS = 25.0
"""Days for which a batch is remembered; the endpoint keeps its results for 29 days."""
_LOOK_EVERY_S = 15.0

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
    lost = AdvisorError(Fault.SERVER, "the batch has no answer to this; try again")
    return [
        answer or found.get(_name(request), lost)
        for request, answer in zip(requests, kept, strict=True)
    ]


async def _batch(
    asker: Asker, missing: dict[str, Request], show: Show, look_every_s: float
) -> dict[str, Answer | AdvisorError]:
    note = "batch-" + hashlib.sha256(" ".join(sorted(missing)).encode()).hexdigest()
    batch = await asyncio.to_thread(asker.cache.get, note)
    if not isinstance(batch, str):
        asker.check_budget()
        batch = await asker.attempt(lambda: asker.client.submit(missing))
        await asyncio.to_thread(asker.cache.put, note, batch, days=_NOTE_DAYS)
    try:
        await _ended(asker, batch, show, look_every_s)
        found: dict[str, Answer | AdvisorError] = {}
        async for name, reply in asker.client.results(batch):
            if name not in missing:
                continue
            try:
                found[name] = (
                    reply
                    if isinstance(reply, AdvisorError)
                    else await asker.keep(missing[name], reply)
                )
            except AdvisorError as error:
                found[name] = error
    except AdvisorError as error:
        if error.fault is Fault.REQUEST:  # it is gone
            await asyncio.to_thread(asker.cache.drop, note)
        raise
    await asyncio.to_thread(asker.cache.drop, note)
    return found


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
