"""What is found in a program, for comparing a broken text with the whole one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from roofline_core.program.statements import Offload
from roofline_core.program.units import Function, Program, TranslationUnit


def kernels_of(program: Program, path: Path) -> Counter[tuple[str, int]]:
    """Name and line of each kernel that a file defines, every body of the program read.

    An offloaded region counts as a kernel, its directive's line being where it stands; the line
    that is part of its name is left out.
    """
    found: Counter[tuple[str, int]] = Counter()
    for unit in program.all_units():
        offloads = any(f.is_kernel and f.name.startswith("__omp") for f in unit.functions)
        for function in functions_of(unit):
            body = function.body
            if unit.path != path:
                continue
            if function.is_kernel and body is not None:
                name = re.sub(r"_l\d+$", "", function.name)
                found[name, function.name_span.line] += 1
            for node in nodes(body) if offloads else ():
                if isinstance(node, Offload):
                    assert node.kernel.has_body
                    found["region", node.directive.line] += 1
    return found


def functions_of(unit: TranslationUnit) -> Iterator[Function]:
    """Free functions and methods."""
    yield from unit.functions
    for struct in unit.structs:
        yield from struct.methods


def nodes(root: object) -> Iterator[object]:
    """Every node of the kernel model below ``root``."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif is_dataclass(node):
            yield node
            stack.extend(getattr(node, item.name) for item in fields(node))
