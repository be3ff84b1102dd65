"""What an emulation tells beyond a profiler's counts, as text: memory accesses of each launch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_core.text.units import percent, scaled, significant
from roofline_profiling.emulate.opcodes import Space
from roofline_profiling.measurement import Measurement


def accesses_text(launches: Iterable[Measurement]) -> str:
    """A paragraph for each launch with memory accesses; empty where none has any."""
    return "".join(
        f"  {parse_profiled_name(each.kernel).base_name}: {'; '.join(parts)}\n"
        for each in launches
        if (parts := list(_parts(each)))
    )


def _parts(launch: Measurement) -> Iterator[str]:
    for space in Space:
        requests = launch.memory.get(f"{space.value}_requests")
        if requests:
            yield f"{space.value} {', '.join(_figures(launch, space, requests))}"
    if launch.registers is not None and launch.occupancy is not None:
        registers = f"{launch.registers:.0f} registers"
        yield f"{registers}, theoretical occupancy {percent(launch.occupancy)}"


def _figures(launch: Measurement, space: Space, requests: float) -> Iterator[str]:
    held = {
        name: launch.memory.get(f"{space.value}_{name}", 0.0)
        for name in ("sectors", "passes", "conflicts", "atomics")
    }
    yield f"{scaled(requests)} requests"
    if held["sectors"]:
        yield f"{significant(held['sectors'] / requests)} sectors each"
    if space is Space.SHARED and held["passes"]:
        share = held["conflicts"] / held["passes"]
        yield f"{scaled(held['passes'])} passes, {percent(share)} of them by bank conflicts"
    if held["atomics"]:
        yield f"{scaled(held['atomics'])} of them atomic"
