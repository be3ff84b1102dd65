"""How much code a loop's body calls: compilers inline it before they choose what to unroll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from roofline_analysis.device.assigned import children, written_trips
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.language.symbols import last_component
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st

_DEEPEST: Final = 4
"""Calls within one another that are looked into. A limit on the work."""


def _nodes() -> Mapping[str, int]:
    sizes = {
        46: "expf exp2f exp10f",
        85: "exp exp2 exp10 expm1 logf log2f log10f log1pf erff erfcf atanf asinf acosf cbrtf"
        " sinpif cospif",
        180: "sin cos tan sinpi cospi",
        195: "log log2 log10 log1p pow erf erfc atan atan2 asin acos cbrt hypot sinh cosh",
        345: "sinf cosf tanf sincosf powf fmodf lgamma lgammaf tgammaf",
        360: "sincos sincospi",
        500: "fmod remainder",
        1600: "tgamma",
    }
    return {name: size for size, names in sizes.items() for name in names.split()}


LIBRARY_NODES: Final = _nodes()
"""Functions of the mathematical library by how many nodes of syntax they count as.

Read off loops that call them in 4, 8, 16 and 32 trips on a thread's own array, and whether the
array stays in memory with nvcc 13 and Clang 18. Each number lies between the most that is unrolled
whole and the least that is not, for both compilers; functions left out are small."""


def nodes_called(interpreter: DeviceInterpreter, parts: Sequence[object]) -> int:
    """The nodes of all functions that a body calls, each for every call."""
    return sum(_called(interpreter, part, 0) for part in parts)


def _called(interpreter: DeviceInterpreter, node: object, depth: int) -> int:
    total = sum(_called(interpreter, child, depth) for child in children(node))
    if isinstance(node, ex.Call) and isinstance(node.callee, ex.Name):
        total += _size_of(interpreter, node.callee.name, depth)
    return total * written_trips(node) if isinstance(node, st.For) else total


def _size_of(interpreter: DeviceInterpreter, name: str, depth: int) -> int:
    known = LIBRARY_NODES.get(last_component(name))
    if known is not None:
        return known
    if depth >= _DEEPEST:
        return 0
    functions = interpreter.symbols.functions_named(name)
    body = next((each.body for each in functions if each.has_body), None)
    if body is None:
        return 0
    return _called(interpreter, body, depth + 1)
