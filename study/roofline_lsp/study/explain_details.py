"""What a prediction was computed from, as tables: values, the DRAM traffic of arrays, regions."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from roofline_lsp.api.details import (
    ArrayDetail,
    BoundValue,
    KernelDetails,
    RegionDetail,
)
from roofline_lsp.kernel.precision import Precision
from roofline_lsp.reports.table import aligned
from roofline_lsp.reports.units import UNKNOWN, counted, exact, percent, scaled

MAX_ACCESSES = 6
"""Accesses of an array that are listed."""
MAX_REGIONS = 60
LINE_WIDTH = 110
_TEXT_WIDTH = 60


def launch_lines(details: KernelDetails, root: Path | None) -> list[str]:
    """Where the kernel and the judged launch stand, and the dimensions that the host code has."""
    kernel = place(details.path, details.line, root)
    if details.launch is None:
        return [f"kernel at {kernel}; no launch found"]
    where = place(*details.launch, root)
    which = f"one of {details.launches} launches" if details.launches > 1 else "launch"
    text = f"kernel at {kernel}, {which} at {where}: grid {_dims(details.grid)}, "
    return textwrap.wrap(f"{text}block {_dims(details.block)}", LINE_WIDTH, subsequent_indent="  ")


def details_lines(details: KernelDetails, root: Path | None) -> list[str]:
    """The tables, each with a title and a blank line before it."""
    lines: list[str] = []
    if details.values:
        lines += ["", f"  values ({len(details.values)})", *_value_table(details.values)]
    if details.arrays:
        lines += ["", f"  DRAM traffic of {counted(len(details.arrays), 'array')}"]
        lines += _array_table(details.arrays, root)
    lines += ["", "  regions, their own operations over the whole launch"]
    lines += _region_table(details.regions, root)
    return lines


def place(path: Path | None, line: int | None, root: Path | None) -> str:
    """``main.cu:42``, relative to the program's folder where it is below it."""
    if path is None:
        return UNKNOWN
    shown = path.relative_to(root) if root is not None and path.is_relative_to(root) else path
    return f"{shown}:{line}" if line is not None else str(shown)


def _dims(dims: Sequence[str]) -> str:
    return f"({', '.join(dims)})" if dims else UNKNOWN


def _value_table(values: Sequence[BoundValue]) -> list[str]:
    rows = [[value.name, exact(value.number), _source(value)] for value in values]
    return aligned(rows, right=(1,), indent="    ")


def _source(value: BoundValue) -> str:
    if value.assumed:
        reasons = dict.fromkeys(
            each.why if each.name == value.name else f"{each.name}: {each.why}"
            for each in value.assumed
        )
        return f"assumed: {'; '.join(reasons)}"
    return f"<- {value.origin}" if value.origin is not None else ""


def _array_table(arrays: Sequence[ArrayDetail], root: Path | None) -> list[str]:
    heads = ("space", "size", "distinct read", "read again", "written", "written back")
    rows = [["array", *heads]]
    arrays = sorted(arrays, key=lambda array: -(array.read_bytes + array.write_bytes))
    for array in arrays:
        again = array.read_bytes - array.first_read_bytes
        share = array.write_bytes / array.written_bytes if array.written_bytes else None
        rows.append(
            [
                array.name,
                array.space,
                scaled(array.size_bytes, "B"),
                scaled(array.first_read_bytes, "B"),
                scaled(again, "B") if again else "-",
                scaled(array.written_bytes, "B") if array.written_bytes else "-",
                "-" if share is None else f"{scaled(array.write_bytes, 'B')} ({percent(share)})",
            ]
        )
    lines = aligned(rows, right=range(2, 7), indent="    ")
    accesses = [["access", "", "bytes", "executions", "strides in bytes x extents"]]
    left = 0
    for array in arrays:
        left += max(0, len(array.accesses) - MAX_ACCESSES)
        for access in array.accesses[:MAX_ACCESSES]:
            accesses.append(
                [
                    f"{array.name} {access.kind}",
                    place(access.path, access.line, root),
                    str(access.size_bytes),
                    scaled(access.executions),
                    access.pattern,
                ]
            )
    lines += ["", *aligned(accesses, right=(2, 3), indent="    ")]
    return [*lines, f"    and {left} more"] if left else lines


def _region_table(regions: Sequence[RegionDetail], root: Path | None) -> list[str]:
    used = [p for p in Precision if any(region.operations.get(p) for region in regions)]
    heads = [p.value.upper() if p is not Precision.TENSOR else p.value for p in used]
    rows = [["region", "line", "runs", "each", *heads, "accesses", "what decides"]]
    for region in regions[:MAX_REGIONS]:
        amounts = [
            scaled(amount) if (amount := region.operations.get(precision)) else "-"
            for precision in used
        ]
        rows.append(
            [
                f"{'  ' * region.depth}{region.kind}",
                place(region.path, region.line, root),
                scaled(region.runs),
                _each(region),
                *amounts,
                str(region.accesses or "-"),
                textwrap.shorten(region.text, _TEXT_WIDTH, placeholder=" ..."),
            ]
        )
    lines = aligned(rows, right=range(2, len(used) + 5), indent="    ")
    if len(regions) > MAX_REGIONS:
        lines.append(f"    and {len(regions) - MAX_REGIONS} more")
    return lines


def _each(region: RegionDetail) -> str:
    """``1024 trips``, ``50%``, with ``~`` for a guess."""
    guess = "~" if region.assumed else ""
    if region.kind == "loop":
        return f"{guess}{exact(region.trips)} trips{' unrolled' if region.unrolled else ''}"
    return f"{guess}{percent(region.share)}" if region.kind == "guard" else ""
