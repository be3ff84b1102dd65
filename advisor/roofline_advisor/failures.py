"""Exceptions of the SDK and the transport as messages, which quote nothing of a request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.request import endpoint
from roofline_core.settings import AdvisorSettings

if TYPE_CHECKING:
    import anthropic

_SECRET = re.compile(r"(?i)(sk-[\w-]{6,}|bearer\s+\S+|[A-Za-z0-9_\-]{40,})")
_LONGEST_QUOTE = 200


def of_status(error: anthropic.APIStatusError, settings: AdvisorSettings) -> AdvisorError:
    """An answer with an error status, or an error in the middle of a stream."""
    status = error.status_code
    said = _quoted(error.api_message)
    kind = error.type
    if status == 401 or kind == "authentication_error":
        return AdvisorError(
            Fault.DENIED,
            "the model's endpoint does not accept the key (401); check ANTHROPIC_API_KEY",
        )
    if status == 402 or kind == "billing_error":
        return AdvisorError(
            Fault.DENIED,
            f"the account of the key lacks payment or credit (402){said}; see to its billing",
        )
    if status == 403 or kind == "permission_error":
        return AdvisorError(
            Fault.DENIED,
            "the key has no permission for this endpoint or the model"
            f" '{settings.model}' (403){said}; choose another with 'advisor.model', or have the"
            " account allow it",
        )
    if status == 429 or kind == "rate_limit_error":
        after = _retry_after(error)
        when = f"; it says to wait {after:.0f} s" if after is not None else ""
        return AdvisorError(
            Fault.RATE, f"the model's endpoint limits the rate (429){when}", retry_after_s=after
        )
    if status == 529 or kind == "overloaded_error":
        return AdvisorError(
            Fault.OVERLOADED,
            "the model is overloaded (529); try again later",
            retry_after_s=_retry_after(error),
        )
    if status in {408, 409} or status >= 500 or kind in {"api_error", "timeout_error"}:
        return AdvisorError(
            Fault.SERVER,
            f"the model's endpoint failed ({status}); try again later",
            retry_after_s=_retry_after(error),
        )
    if status == 404:
        return AdvisorError(
            Fault.REQUEST,
            f"the endpoint has no model '{settings.model}' (404){said}; see 'advisor.model' and"
            " 'advisor.base-url'",
        )
    if status == 413:
        return AdvisorError(
            Fault.REQUEST, "the request is too long (413); lower 'advisor.max-source-chars'"
        )
    hint = "; try 'advisor.structure' as \"tool\"" if "output_config" in said else ""
    return AdvisorError(Fault.REQUEST, f"the endpoint refuses the request ({status}){said}{hint}")


def of_connection(settings: AdvisorSettings) -> AdvisorError:
    """No connection at all."""
    named = endpoint(settings)
    where = "the model's endpoint" + (f" ({named})" if named else "")
    return AdvisorError(
        Fault.UNREACHABLE, f"{where} cannot be reached; check the network and 'advisor.base-url'"
    )


def of_timeout(settings: AdvisorSettings) -> AdvisorError:
    """The reply did not arrive completely in time."""
    return AdvisorError(
        Fault.TIMEOUT,
        f"the model did not answer within {settings.timeout_s:g} s; see 'advisor.timeout-s'",
    )


def unfit_key(key: str, name: str | None) -> AdvisorError | None:
    """A key that no request can carry, from the environment's variable ``name``; None if it can."""
    if "\n" in key or "\r" in key:
        held = "a line break"
    elif any(ord(each) < 32 or ord(each) == 127 for each in key):
        held = "a control character"
    elif not key.isascii():
        held = "a character that is not ASCII"
    else:
        return None
    where = f" in {name}" if name is not None else ""
    return AdvisorError(
        Fault.NO_KEY, f"the key holds {held}, so nothing was sent; take it out of the key{where}"
    )


def interrupted() -> AdvisorError:
    """A stream that ended before the reply was complete."""
    return AdvisorError(Fault.INTERRUPTED, "the model's answer broke off; try again")


def malformed(why: str) -> AdvisorError:
    """An answer that violates the protocol."""
    return AdvisorError(Fault.MALFORMED, f"the model's answer cannot be read: {why}")


def _retry_after(error: anthropic.APIStatusError) -> float | None:
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e6 else None


def _quoted(message: str | None) -> str:
    """The endpoint's own words, shortened, without what could be a key."""
    if not message:
        return ""
    line = " ".join(_SECRET.sub("...", message).split())
    return f": {line[:_LONGEST_QUOTE]}"
