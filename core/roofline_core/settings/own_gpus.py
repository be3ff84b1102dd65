"""``[gpus.NAME]`` of the settings: GPUs of a person's own, and what differs on their machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, get_args

from roofline_core.program.records import record

CeilingKind = Literal["spec", "measured"]

CEILING_KINDS: tuple[CeilingKind, ...] = get_args(CeilingKind)
"""Every value of ``Settings.ceilings``."""

FIGURES = (
    "sm_count",
    "base_clock_mhz",
    "boost_clock_mhz",
    "tensor_clock_mhz",
    "memory_gb",
    "memory_bandwidth_gbs",
    "l2_mb",
    "l3_mb",
    "pcie_generation",
    "pcie_lanes",
    "c2c_bandwidth_gbs",
)
"""Figures of a GPU that settings can replace, by the names the hardware database gives them."""

MEASURED = (
    "fp64_tflops",
    "fp32_tflops",
    "fp16_tflops",
    "int32_tops",
    "tensor_fp16_tflops",
    "memory_bandwidth_gbs",
)
"""Ceilings that can be measured, by the names the hardware database gives them."""

LEAST_FIGURE = 1e-6
MOST_FIGURE = 1e9
"""No figure of a GPU is beyond these in its unit; products of some of them stay doubles."""

_WHOLE = frozenset({"sm_count", "pcie_lanes"})


@record(frozen=True, slots=True)
class OwnGpu:
    """One GPU of the settings: which one it is like, and what is different."""

    name: str
    """What ``gpu`` says to choose it; a name of the database changes that GPU."""
    like: str | None = None
    """The GPU of the database whose figures it has. None: its own name."""
    file: Path | None = None
    """A GPU file that describes it, in place of ``like``."""
    clock_cap_mhz: float | None = None
    """The highest clock that a power cap or a locked clock leaves."""
    figures: tuple[tuple[str, float], ...] = ()
    """Figures that replace those of the database."""
    measured: tuple[tuple[str, float], ...] = ()
    """Ceilings that benchmarks reached, used where ``ceilings`` is ``measured``."""


Wrong = Callable[[str, str, object], Exception]
"""Makes the error for a key, what it must be, and what was given."""


def read_own_gpu(
    name: str, table: Mapping[str, object], folder: Path, spelt: Callable[[str], str], wrong: Wrong
) -> OwnGpu:
    """The GPU that a table of the settings describes.

    ``spelt`` gives the spelling of a key in this origin. Raises what ``wrong`` makes.
    """
    known = {spelt(key): key for key in ("like", "file", "clock_cap_mhz", "measured", *FIGURES)}
    values: dict[str, object] = {}
    for key, value in table.items():
        field = known.get(key)
        if field is None:
            raise wrong(key, f"one of {', '.join(known)}", key)
        values[field] = value
    if "like" in values and "file" in values:
        raise wrong(spelt("file"), "left out where 'like' is given", values["file"])
    measured = values.get("measured", {})
    if not isinstance(measured, Mapping):
        raise wrong("measured", "a table", measured)
    return OwnGpu(
        name,
        _text(values, "like", wrong),
        None if (file := _text(values, "file", wrong)) is None else folder / Path(file),
        _optional(values, "clock_cap_mhz", spelt, wrong),
        _numbers(values, FIGURES, spelt, wrong),
        _numbers(_unspelt(measured, spelt, wrong), MEASURED, spelt, wrong),
    )


def _unspelt(
    table: Mapping[str, object], spelt: Callable[[str], str], wrong: Wrong
) -> dict[str, object]:
    known = {spelt(key): key for key in MEASURED}
    for key in table:
        if key not in known:
            raise wrong(f"measured.{key}", f"one of {', '.join(known)}", key)
    return {known[key]: value for key, value in table.items()}


def _text(values: Mapping[str, object], key: str, wrong: Wrong) -> str | None:
    value = values.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise wrong(key, "a text that is not empty", value)
    return value


def _optional(
    values: Mapping[str, object], key: str, spelt: Callable[[str], str], wrong: Wrong
) -> float | None:
    return _number(key, values[key], spelt, wrong) if key in values else None


def _numbers(
    values: Mapping[str, object],
    keys: tuple[str, ...],
    spelt: Callable[[str], str],
    wrong: Wrong,
) -> tuple[tuple[str, float], ...]:
    return tuple((key, _number(key, values[key], spelt, wrong)) for key in keys if key in values)


def _number(key: str, value: object, spelt: Callable[[str], str], wrong: Wrong) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise wrong(spelt(key), "a number above 0", value)
    if not LEAST_FIGURE <= value <= MOST_FIGURE:
        raise wrong(spelt(key), f"a number from {LEAST_FIGURE:g} to {MOST_FIGURE:g}", value)
    if key in _WHOLE:
        if value != int(value):
            raise wrong(spelt(key), "a whole number", value)
        return int(value)
    return float(value)
