"""What can go wrong when ceilings are measured or read."""

from roofline_core.program.errors import RooflineError


class MeasurementError(RooflineError):
    """No ceilings: a compiler or GPU is missing, a step failed, or the file of them is broken."""
