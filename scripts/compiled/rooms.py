"""Which modules a compiled wheel holds as machine code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGES: Final = (
    "core/roofline_core",
    "parsers/roofline_parsers",
    "hardware_db/roofline_hardware_db",
    "analysis/roofline_analysis",
)
"""What is type-checked together. Front ends, which take little of the time, stay as they are."""

_STAY: Final = (
    "roofline_hardware_db",  # data
    "roofline_core.settings",  # asked for its fields and their documentation
    "roofline_core.text",
    "roofline_core.program.records",  # makes classes at run time
    "roofline_core.program.by_node",  # these four derive from dict or bytes
    "roofline_core.program.regular_files",
    "roofline_parsers.openmp.rewrite",
    "roofline_parsers.preprocess.substitution",
    "roofline_analysis.host.options",
    "roofline_parsers.preprocess.cmake",  # copies its objects by copy()
    "roofline_analysis.report",  # written as JSON by their fields' types
    "roofline_analysis.api",
    "roofline_analysis.rules.catalogue",  # asked for their documentation
)


def is_compiled(module: str) -> bool:
    """Whether a module, by its dotted name, becomes machine code."""
    return not any(module == stay or module.startswith(f"{stay}.") for stay in _STAY)


def modules(root: Path) -> Iterator[tuple[str, Path]]:
    """The names and paths of all modules below a folder of packages, without the packages' own.

    An ``__init__`` is run once and has nothing that takes time.
    """
    for path in sorted(root.rglob("*.py")):
        if path.name != "__init__.py":
            yield ".".join(path.relative_to(root).with_suffix("").parts), path
