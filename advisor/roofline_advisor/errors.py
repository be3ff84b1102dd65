"""Errors between a question and a checked answer; their messages are for users."""

from __future__ import annotations

from enum import Enum

from roofline_advisor.usage import Usage
from roofline_core.program.errors import RooflineError


class Fault(Enum):
    """The kind of reason for a missing answer."""

    OFF = "off"
    NOT_INSTALLED = "not installed"
    NO_KEY = "no key"
    DENIED = "denied"
    REQUEST = "request"
    """The endpoint rejects the request: unknown model, too long, unknown parameter."""
    RATE = "rate limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    INTERRUPTED = "interrupted"
    """The answer was cut off."""
    TRUNCATED = "truncated"
    REFUSED = "refused"
    MALFORMED = "malformed"
    OFF_SCHEMA = "off schema"
    BUDGET = "budget"
    MATERIAL = "material"
    """The subject of the question does not exist."""


PASSING = frozenset(
    {Fault.RATE, Fault.OVERLOADED, Fault.SERVER, Fault.UNREACHABLE, Fault.INTERRUPTED}
)
"""Faults after which another attempt may succeed."""

HOPELESS = frozenset(
    {Fault.OFF, Fault.NOT_INSTALLED, Fault.NO_KEY, Fault.DENIED, Fault.UNREACHABLE, Fault.BUDGET}
)
"""Faults that would also stop every other request of the run."""


class AdvisorError(RooflineError):
    """There is no answer. The results of the static analysis remain valid.

    Where the model did answer, with what cannot be used, ``said`` is its text and ``usage`` what it
    took. They do not travel between processes, and no message quotes them.
    """

    def __init__(self, fault: Fault, message: str, *, retry_after_s: float | None = None) -> None:
        """``retry_after_s`` is when the endpoint said to come back."""
        super().__init__(message)
        self.fault = fault
        self.retry_after_s = retry_after_s
        self.said: str | None = None
        self.usage: Usage | None = None

    def __reduce__(self) -> tuple[type[AdvisorError], tuple[Fault, str]]:
        """Errors travel between processes."""
        return type(self), (self.fault, str(self))
