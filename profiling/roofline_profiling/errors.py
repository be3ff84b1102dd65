"""Errors of measurements; their messages name the cause and the remedy."""

from __future__ import annotations

from roofline_core.program.errors import RooflineError


class ReportError(RooflineError):
    """A report that gives no measurement at all: unreadable, foreign, or beyond the limits."""


class StoreError(RooflineError):
    """A measurement store that cannot be read or written."""


class ProfilerError(RooflineError):
    """A profiler is missing or does not work, or could not profile a program."""


class ValidationError(RooflineError):
    """Measurements cannot be compared with predictions as requested."""
