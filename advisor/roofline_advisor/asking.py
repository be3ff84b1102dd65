"""Requests to the model: cached replies, joined requests, attempts, the budget, the schema.

One ``Asker`` serves a run or an editor session. It belongs to one event loop; what blocks runs in
threads.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from roofline_advisor import failures
from roofline_advisor.cache import ReplyCache
from roofline_advisor.client import Client, OnText, Reply
from roofline_advisor.errors import PASSING, AdvisorError, Fault
from roofline_advisor.pricing import estimated_tokens
from roofline_advisor.request import Request
from roofline_advisor.schema import problem
from roofline_advisor.usage import Usage
from roofline_core.settings import AdvisorSettings

logger = logging.getLogger(__name__)

T = TypeVar("T")

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 8.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A value that conforms to the request's schema."""

    value: dict[str, Any]
    usage: Usage
    cached: bool
    """Whether the reply came from the cache and cost nothing."""


class Listener(Protocol):
    """A listener to the progress of a request."""

    def text(self, characters: int) -> None:
        """Called with the characters of the reply received so far; 0 while the model thinks."""

    def waiting(self, why: str, seconds: float) -> None:
        """Called before the pause that precedes another attempt."""


class Silent:
    """A listener that does nothing."""

    def text(self, characters: int) -> None:
        """Nothing."""

    def waiting(self, why: str, seconds: float) -> None:
        """Nothing."""


@dataclass(slots=True)
class _Flight:
    """A request in progress and the listeners that wait for it."""

    task: asyncio.Task[Answer]
    listeners: list[Listener]

    def text(self, characters: int) -> None:
        """Tell all listeners how many characters of the reply have come."""
        for listener in self.listeners:
            listener.text(characters)

    def waiting(self, why: str, seconds: float) -> None:
        """Tell all listeners why another attempt follows, and in how many seconds."""
        for listener in self.listeners:
            listener.waiting(why, seconds)


@dataclass(slots=True)
class Spent:
    """The tokens that a run or an editor session has used, across changes of its settings."""

    tokens: int = 0
    reserved: int = 0
    """The most that the requests under way may use."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    """Told when reserved tokens are free again."""


class Asker:
    """Sends requests. Methods raise AdvisorError where there is no answer."""

    def __init__(
        self,
        settings: AdvisorSettings,
        warn: Callable[[str], None] = logger.warning,
        spent: Spent | None = None,
    ) -> None:
        """Connects to nothing yet. ``warn`` is told what goes wrong beside the answers.

        ``spent`` is shared by the askers of one session.
        """
        self.settings = settings
        self.cache = ReplyCache(settings, warn)
        self.client = Client(settings)
        self.spent = spent or Spent()
        self._free = asyncio.Semaphore(settings.concurrency)
        self._one_at_the_cache = asyncio.Lock()
        self._flights: dict[str, _Flight] = {}

    async def ask(self, request: Request, listener: Listener | None = None) -> Answer:
        """The answer to a request, from the cache if it is there.

        Who asks what is being asked already waits for the same answer. When all who wait are
        cancelled, so is the request.
        """
        self._check_on()
        listener = listener or Silent()
        key = request.key()
        flight = self._flights.get(key)
        if flight is None:
            flight = _Flight(asyncio.ensure_future(self._answer(request, key)), [])
            self._flights[key] = flight
            flight.task.add_done_callback(lambda task: self._landed(key, task))
        flight.listeners.append(listener)
        try:
            return await asyncio.shield(flight.task)
        except asyncio.CancelledError:
            flight.listeners.remove(listener)
            if not flight.listeners:
                if self._flights.get(key) is flight:
                    del self._flights[key]  # who asks from now on asks anew
                flight.task.cancel()
            raise

    async def kept(self, request: Request) -> Answer | None:
        """The answer from the cache; None if it is not there. Sends nothing."""
        found = await self._blocking(self.cache.get, request.key())
        return _answer(found, request, cached=True) if found is not None else None

    async def keep(self, request: Request, reply: Reply) -> Answer:
        """Check and cache a reply that was received otherwise, such as in a batch."""
        self.spent.tokens += reply.usage.total
        entry = _entry(reply)
        answer = _answer(entry, request, cached=False)
        if answer is None:
            raise _off_schema(reply, request)
        await self._blocking(self.cache.put, request.key(), entry)
        return answer

    async def count_tokens(self, request: Request) -> int:
        """How many tokens a request has, as the endpoint counts them."""
        self._check_on()
        return await self._tried(lambda: self.client.count_tokens(request), Silent())

    async def close(self) -> None:
        """Close the connections and the cache."""
        for flight in list(self._flights.values()):
            flight.task.cancel()
        await self.client.close()
        await self._blocking(self.cache.close)

    async def attempt(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run a client operation in the time limit; repeat it where another attempt may help."""
        self._check_on()
        return await self._tried(work, Silent())

    def affordable(self, requests: Sequence[Request]) -> int:
        """How many of the first requests the budget does for, whatever they use."""
        most = self.settings.budget_tokens
        left = most - self.spent.tokens - self.spent.reserved
        used = itertools.accumulate(map(_most_tokens, requests))
        return sum(not most or wanted <= left for wanted in used)

    @asynccontextmanager
    async def within_budget(self, requests: Sequence[Request]) -> AsyncIterator[None]:
        """Hold what requests may use at most, while they are under way.

        Waits for requests that may leave enough. Raises AdvisorError where the budget of this run
        or session does not do for them.
        """
        most, spent = self.settings.budget_tokens, self.spent
        wanted = sum(map(_most_tokens, requests))
        async with spent.changed:
            while most and spent.tokens + spent.reserved + wanted > most:
                if not spent.reserved:
                    raise _over_budget(spent.tokens, wanted, most)
                await spent.changed.wait()
            spent.reserved += wanted
        try:
            yield
        finally:
            spent.reserved -= wanted
            async with spent.changed:
                spent.changed.notify_all()

    def _check_on(self) -> None:
        if not self.settings.enabled:
            raise AdvisorError(Fault.OFF, OFF)

    async def _answer(self, request: Request, key: str) -> Answer:
        found = await self.kept(request)
        if found is not None:
            return found
        async with self._free, self.within_budget([request]):
            heard = self._flights[key] if key in self._flights else Silent()
            on_text: OnText = heard.text
            try:
                reply = await self._tried(lambda: self.client.ask(request, on_text), heard)
            except AdvisorError as error:
                self.spent.tokens += error.usage.total if error.usage is not None else 0
                raise
        return await self.keep(request, reply)

    async def _tried(self, work: Callable[[], Awaitable[T]], listener: Listener) -> T:
        """Try as often as the settings say, as long as the time limit and the endpoint allow.

        Importing the SDK comes before the time limit.
        """
        await self.client.ready()
        ends = time.monotonic() + self.settings.timeout_s
        for attempt in range(self.settings.retries + 1):
            try:
                async with asyncio.timeout(max(ends - time.monotonic(), 0.001)):
                    return await work()
            except TimeoutError:
                raise failures.of_timeout(self.settings) from None
            except AdvisorError as error:
                pause = _pause(error, attempt)
                last = attempt == self.settings.retries
                if error.fault not in PASSING or last or time.monotonic() + pause > ends:
                    raise
                listener.waiting(str(error), pause)
                await asyncio.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _landed(self, key: str, task: asyncio.Task[Answer]) -> None:
        if key in self._flights and self._flights[key].task is task:
            del self._flights[key]
        if not task.cancelled():
            task.exception()  # seen, even if all who waited are gone

    async def _blocking(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a cache operation in a thread, one at a time."""
        async with self._one_at_the_cache:
            return await asyncio.to_thread(work, *arguments)


def _most_tokens(request: Request) -> int:
    """What a request may use; its input is estimated, rather too high."""
    return estimated_tokens(request) + request.max_tokens


def _over_budget(spent: int, wanted: int, most: int) -> AdvisorError:
    return AdvisorError(
        Fault.BUDGET,
        f"the budget of {most} tokens does not do for what comes next, up to {wanted} tokens after"
        f" {spent}; see 'advisor.budget-tokens' and 'advisor.max-output-tokens'",
    )


OFF = (
    "the advisor is off, so nothing was sent; set 'advisor.enabled' to true in your editor or in"
    " your own settings file to have sources sent to a language model"
)


def _pause(error: AdvisorError, attempt: int) -> float:
    """What the endpoint says, else ever longer, with chance so that clients do not come at once."""
    if error.retry_after_s is not None:
        return error.retry_after_s
    longest = min(_FIRST_WAIT_S * 2.0**attempt, _LONGEST_WAIT_S)
    return longest * random.uniform(0.5, 1.0)


def _entry(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    tokens = (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_write_tokens,
        usage.cache_read_tokens,
    )
    return {"value": reply.value, "tokens": list(tokens)}


def _answer(entry: object, request: Request, *, cached: bool) -> Answer | None:
    """An entry as an answer; None for one that does not conform, as from another version."""
    if not isinstance(entry, Mapping):
        return None
    value, tokens = entry.get("value"), entry.get("tokens")
    if problem(value, request.schema) is not None or not isinstance(value, dict):
        return None
    known = isinstance(tokens, list) and len(tokens) == 4 and all(type(n) is int for n in tokens)
    return Answer(value, Usage(*tokens) if known and tokens else Usage(0, 0), cached)


def _off_schema(reply: Reply, request: Request) -> AdvisorError:
    why = problem(reply.value, request.schema) or "'reply' must be of type object"
    error = AdvisorError(
        Fault.OFF_SCHEMA, f"the model's answer is not of the form asked for: {why}"
    )
    error.said, error.usage = json.dumps(reply.value, ensure_ascii=False), reply.usage
    return error
