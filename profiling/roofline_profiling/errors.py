"""What goes wrong with measurements, in sentences that name the thing and the remedy."""

from __future__ import annotations

from roofline_core.program.errors import RooflineError


class ReportError(RooflineError):
    """A report that gives no measurement at all: unreadable, foreign, or beyond the limits."""


class StoreError(RooflineError):
    """A measurement store that cannot be read or written."""


class ProfilerError(RooflineError):
    """A profiler that is missing or refuses its service, or a program that it could not profile."""


class ValidationError(RooflineError):
    """Measurements that cannot be held against predictions as asked."""
