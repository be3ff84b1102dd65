"""What a line of a kernel is for that has no cost of its own, and where its cost was charged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from roofline_analysis.report.report import KernelReport
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.documents.source_places import SourcePlaces

_BARRIER: Final = re.compile(
    r"\b(?:__sync\w+|barrier|work_group_barrier|sub_group_barrier|__threadfence\w*|mem_fence)\s*\("
)
_SET: Final = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?:\s*\[[^\]=]*\])?\s*"
    r"(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"
)
_STEP: Final = re.compile(r"(?:\+\+|--)\s*(?P<name>[A-Za-z_]\w*)")
_DECLARED: Final = re.compile(
    r"(?:[A-Za-z_][\w:<>]*[\s*&]+)+(?P<name>[A-Za-z_]\w*)(?:\s*\[[^\]]*\])*\s*;"
)
_CONTROL: Final = re.compile(r"(?:\}\s*)?(?:else|if|for|while|do|switch|case|default|return)\b")
_MOST_USES: Final = 3
_LONGEST: Final = 400
"""The characters of a line that are looked at. A limit on the work."""


def role_text(
    kernel: KernelReport,
    line: int,
    places: SourcePlaces,
    costs: Mapping[int, str],
    style: MarkupStyle,
) -> str:
    """What a line without cost computes and for which lines, of a kernel that it is in.

    ``costs`` are the words for what each line of the kernel costs, by line.
    """
    name = style.code(kernel.base_name)
    code = places.code(line)[:_LONGEST]
    if not code.strip("{}();, "):
        return f"No operations and no bytes of {name} are on this line"
    first, last = places.statement(line)
    charged = [each for each in range(first, last + 1) if each != line and each in costs]
    if charged:
        where = ", ".join(_place(each, costs) for each in charged[:_MOST_USES])
        return f"Part of the statement of line {first} of {name}; its cost is charged to {where}"
    if _BARRIER.search(code):
        return (
            f"A barrier of {name}: no operations and no bytes; what threads wait here is in the"
            " kernel's latency"
        )
    found = [
        f"{style.code(each)} is {_uses(each, line, kernel, places, costs)}" for each in _names(code)
    ]
    start = f"No cost of {name} is charged to this line"
    if found:
        return f"{start}: {'; '.join(found)}"
    if _CONTROL.match(code):
        return f"{start}: compilers decide it beforehand or fold it into the code around it"
    return start


def _names(code: str) -> Iterator[str]:
    """The variables that a line gives values to or declares, each once."""
    found = [*_SET.finditer(code), *_STEP.finditer(code)]
    found = found or list(_DECLARED.finditer(code))
    yield from dict.fromkeys(each["name"] for each in sorted(found, key=lambda each: each.start()))


def _uses(
    name: str, line: int, kernel: KernelReport, places: SourcePlaces, costs: Mapping[int, str]
) -> str:
    """``used on line 22 (DRAM >99%) and line 23 (INT 15%), where its cost is charged``."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    lines = [
        each for each in range(line + 1, kernel.span.end_line + 1) if word.search(places.code(each))
    ]
    paying = list(dict.fromkeys(at for each in lines for at in _paying(each, line, places, costs)))
    if not paying:
        return "not used by what costs anything" if lines else "not used further on"
    shown = [_place(each, costs) for each in paying[:_MOST_USES]]
    more = f" and {len(paying) - _MOST_USES} more" if len(paying) > _MOST_USES else ""
    return f"charged where it is used: {', '.join(shown)}{more}"


def _paying(used: int, line: int, places: SourcePlaces, costs: Mapping[int, str]) -> Iterator[int]:
    """Where the cost of a line that uses something is charged: there, or in its statement."""
    first, last = (used, used) if used in costs else places.statement(used)
    yield from (at for at in range(first, last + 1) if at in costs and at != line)


def _place(line: int, costs: Mapping[int, str]) -> str:
    return f"line {line} ({costs[line]})" if costs[line] else f"line {line}"
