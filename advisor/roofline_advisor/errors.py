"""What can go wrong between a question and a checked answer, in words for people."""

from __future__ import annotations

from enum import Enum

from roofline_core.program.errors import RooflineError


class Fault(Enum):
    """Why there is no answer."""

    OFF = "off"
    NOT_INSTALLED = "not installed"
    NO_KEY = "no key"
    DENIED = "denied"
    REQUEST = "request"
    """The endpoint takes the request for wrong: unknown model, too long, unknown parameter."""
    RATE = "rate limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    INTERRUPTED = "interrupted"
    """The answer broke off."""
    TRUNCATED = "truncated"
    REFUSED = "refused"
    MALFORMED = "malformed"
    OFF_SCHEMA = "off schema"
    BUDGET = "budget"
    MATERIAL = "material"
    """What was asked about is not there."""


PASSING = frozenset(
    {Fault.RATE, Fault.OVERLOADED, Fault.SERVER, Fault.UNREACHABLE, Fault.INTERRUPTED}
)
"""Faults that another attempt may mend."""

HOPELESS = frozenset(
    {Fault.OFF, Fault.NOT_INSTALLED, Fault.NO_KEY, Fault.DENIED, Fault.UNREACHABLE, Fault.BUDGET}
)
"""Faults that every other request of the same run would meet too."""


class AdvisorError(RooflineError):
    """There is no answer. What the static analysis says stands."""

    def __init__(self, fault: Fault, message: str, *, retry_after_s: float | None = None) -> None:
        """``retry_after_s`` is when the endpoint said to come back."""
        super().__init__(message)
        self.fault = fault
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> tuple[type[AdvisorError], tuple[Fault, str]]:
        """Errors travel between processes."""
        return type(self), (self.fault, str(self))
