"""What keeps a study from being made; messages name the thing and the remedy."""

from __future__ import annotations

from roofline_core.program.errors import RooflineError


class StudyError(RooflineError):
    """A study that cannot be made as asked for."""
