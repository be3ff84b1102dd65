"""What one SM computes in a clock, outside the tensor cores."""

from dataclasses import fields, replace

from roofline_core.program.records import record


@record(frozen=True, slots=True)
class InstructionRates:
    """Results per clock per SM, outside the tensor cores.

    ``fp16`` and ``bf16`` count each half of a packed instruction. ``int32`` is the number of
    32-bit integer instructions, as white papers count INT32 units; ``sfu`` the special functions
    (reciprocal, square root, sine, ...).
    """

    fp64: float | None = None
    fp32: float | None = None
    fp16: float | None = None
    bf16: float | None = None
    int32: float | None = None
    sfu: float | None = None

    def overridden_by(self, other: "InstructionRates") -> "InstructionRates":
        """These rates, with each one that ``other`` knows replaced by it."""
        known = {
            rate.name: value
            for rate in fields(other)
            if (value := getattr(other, rate.name)) is not None
        }
        return replace(self, **known)
