"""The SDK: the one module that imports it, when the first question is asked.

Each call is one attempt; waiting and trying again is ``asking``'s. A reply is given as it came,
after what the protocol itself says about it: broken off, cut at the limit, refused.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roofline_advisor import failures
from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.request import TOOL, Request
from roofline_advisor.usage import Usage
from roofline_core.settings import AdvisorSettings

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import Message

OnText = Callable[[int], None]
"""Called with the characters of the reply received so far; 0 while the model thinks."""

_SDK_LOGGERS = ("anthropic", "httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's value, not yet checked against the schema."""

    value: object
    usage: Usage


class Client:
    """Connections to the endpoint of some settings. Belongs to one event loop."""

    def __init__(self, settings: AdvisorSettings) -> None:
        """Imports nothing and connects to nothing."""
        self._settings = settings
        self._client: anthropic.AsyncAnthropic | None = None

    async def ready(self) -> None:
        """Import the SDK, which may take seconds, and look for the key. Raises AdvisorError."""
        await self._connected()

    async def ask(self, request: Request, on_text: OnText = lambda _: None) -> Reply:
        """Ask once. Raises AdvisorError."""
        client = await self._connected(request)
        async with _faults(self._settings):
            async with client.messages.stream(**request.parameters()) as stream:
                count = 0
                async for event in stream:
                    if event.type == "text":
                        count += len(event.text)
                        on_text(count)
                    elif event.type == "input_json":
                        count += len(event.partial_json)
                        on_text(count)
                    elif event.type == "content_block_start" and count == 0:
                        if event.content_block.type in {"thinking", "redacted_thinking"}:
                            on_text(0)
                message = await stream.get_final_message()
            return reply_of(message)

    async def count_tokens(self, request: Request) -> int:
        """How many tokens a request has, as the endpoint counts. Raises AdvisorError."""
        client = await self._connected(request)
        body = request.parameters()
        del body["max_tokens"]
        async with _faults(self._settings):
            counted = await client.messages.count_tokens(**body)
            return int(counted.input_tokens)
        raise AssertionError  # for type checkers: the block returns or raises

    async def submit(self, requests: Mapping[str, Request]) -> str:
        """Hand in a batch, by names for its requests, and give its identifier."""
        client = await self._connected(*requests.values())
        async with _faults(self._settings):
            batch = await client.messages.batches.create(
                requests=[
                    {"custom_id": name, "params": request.parameters()}  # type: ignore[typeddict-item]
                    for name, request in requests.items()
                ]
            )
            return batch.id
        raise AssertionError

    async def progress(self, batch: str) -> tuple[bool, int, int]:
        """Whether a batch has ended, and how many of its requests are done, of how many."""
        client = await self._connected()
        async with _faults(self._settings):
            found = await client.messages.batches.retrieve(batch)
            counts = found.request_counts
            done = counts.succeeded + counts.errored + counts.canceled + counts.expired
            return found.processing_status == "ended", done, done + counts.processing
        raise AssertionError

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Reply | AdvisorError]]:
        """The replies of a batch that has ended, each by its name, in any order."""
        client = await self._connected()
        async with _faults(self._settings):
            async for line in await client.messages.batches.results(batch):
                yield line.custom_id, _result(line.result)

    async def close(self) -> None:
        """Drop the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _connected(self, *requests: Request) -> anthropic.AsyncAnthropic:
        """The connection, for requests that hold no key. Raises AdvisorError."""
        if self._client is None:
            # Importing takes a second of computing; a thread keeps this loop answering meanwhile.
            self._client = await asyncio.to_thread(_connect, self._settings)
        keys = _keys(self._client)
        if any(key in text for request in requests for text in request.texts() for key in keys):
            raise AdvisorError(Fault.MATERIAL, _KEY_INSIDE)
        return self._client


def _connect(settings: AdvisorSettings) -> anthropic.AsyncAnthropic:
    try:
        import anthropic  # noqa: PLC0415 - takes a second, and is for those who ask alone
        import httpx2  # noqa: PLC0415
    except ImportError as error:
        raise AdvisorError(
            Fault.NOT_INSTALLED,
            f"the advisor needs the Python package '{error.name}';"
            " install it with: pip install anthropic",
        ) from None
    for name in _SDK_LOGGERS:
        # At finer levels they write requests down, sources and all.
        logging.getLogger(name).setLevel(logging.WARNING)
    timeout = httpx2.Timeout(settings.timeout_s, connect=settings.connect_timeout_s)
    try:
        made = anthropic.AsyncAnthropic(
            base_url=settings.base_url, timeout=timeout, max_retries=0, open_telemetry=False
        )
    except anthropic.AnthropicError as error:
        raise AdvisorError(Fault.NO_KEY, f"{_NO_KEY} ({type(error).__name__})") from None
    if made.api_key is None and made.auth_token is None and made.credentials is None:
        raise AdvisorError(Fault.NO_KEY, _NO_KEY)
    for key in filter(None, (made.api_key, made.auth_token)):
        variable = next((each for each in _KEY_NAMES if os.environ.get(each) == key), None)
        unfit = failures.unfit_key(key, variable)
        if unfit is not None:
            raise unfit
    return made


_NO_KEY = "there is no key for the model; set ANTHROPIC_API_KEY in the environment"


_KEY_INSIDE = (
    "the text holds the value of the key for the model, so nothing was sent; take it out of the"
    " sources, and have a new key made if others can read them"
)
_SHORTEST_KEY = 8


def _keys(client: anthropic.AsyncAnthropic) -> list[str]:
    """The secrets that the endpoint is shown, and those of the environment."""
    known = (client.api_key, client.auth_token, *map(os.environ.get, _KEY_NAMES))
    return [each for each in known if each is not None and len(each) >= _SHORTEST_KEY]


_KEY_NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


class _faults:  # noqa: N801 - used like a function
    """Turns what the SDK and the transport raise into AdvisorError."""

    def __init__(self, settings: AdvisorSettings) -> None:
        self._settings = settings

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and not isinstance(error, AdvisorError):
            translated = _translated(error, self._settings)
            if translated is not None:
                raise translated from None


def _translated(error: BaseException, settings: AdvisorSettings) -> AdvisorError | None:
    """The AdvisorError for an exception; None if it is not about the request, as cancellation."""
    import anthropic  # noqa: PLC0415 - it is loaded by now
    import httpx2  # noqa: PLC0415

    if not isinstance(error, Exception):
        return None
    if isinstance(error, anthropic.APIStatusError):
        return failures.of_status(error, settings)
    if isinstance(error, (anthropic.APITimeoutError, httpx2.TimeoutException, TimeoutError)):
        return failures.of_timeout(settings)
    if isinstance(error, anthropic.APIConnectionError):
        return failures.of_connection(settings)
    if isinstance(error, httpx2.TransportError):
        return failures.interrupted()
    if isinstance(error, anthropic.CredentialsError):
        return AdvisorError(Fault.NO_KEY, _NO_KEY)
    if isinstance(error, AssertionError):
        # The SDK asserts the order of the events that it puts together.
        return failures.malformed("it is not of the protocol (events are missing)")
    # The SDK leaves to others what it cannot read: pages, cut bodies, events out of order.
    return failures.malformed(f"it is not of the protocol ({type(error).__name__})")


def reply_of(message: Message) -> Reply:
    """The value of a complete message.

    Raises AdvisorError, which holds what was said and what it took, for any other one.
    """
    try:
        return _complete(message)
    except AdvisorError as error:
        error.said = "".join(block.text for block in message.content if block.type == "text")
        error.usage = _usage(message.usage)
        raise


def _complete(message: Message) -> Reply:
    stop = message.stop_reason
    if stop == "max_tokens":
        raise AdvisorError(
            Fault.TRUNCATED,
            "the model's answer was cut at the limit; raise 'advisor.max-output-tokens'",
        )
    if stop == "model_context_window_exceeded":
        raise AdvisorError(
            Fault.TRUNCATED,
            "the question is too long for the model; lower 'advisor.max-source-chars'",
        )
    if stop == "refusal":
        raise AdvisorError(Fault.REFUSED, "the model refuses to answer about this source")
    if stop is None:
        raise failures.interrupted()
    return Reply(_value(message.content), _usage(message.usage))


def _value(content: Sequence[Any]) -> object:
    """The input of the tool, or else the text as JSON."""
    for block in content:
        if block.type == "tool_use" and block.name == TOOL:
            return block.input
    text = "".join(block.text for block in content if block.type == "text").strip()
    if not text:
        raise failures.malformed("it is empty")
    try:
        return json.loads(text)
    except ValueError:
        raise failures.malformed("it is not JSON") from None


def _usage(usage: Any) -> Usage:
    return Usage(
        int(usage.input_tokens or 0),
        int(usage.output_tokens or 0),
        int(usage.cache_creation_input_tokens or 0),
        int(usage.cache_read_input_tokens or 0),
    )


def _result(result: Any) -> Reply | AdvisorError:
    if result.type == "succeeded":
        try:
            return reply_of(result.message)
        except AdvisorError as error:
            return error
    words = {"errored": "failed", "canceled": "was cancelled", "expired": "took too long"}
    return AdvisorError(
        Fault.SERVER, f"the request in the batch {words.get(result.type, 'failed')}; try again"
    )
