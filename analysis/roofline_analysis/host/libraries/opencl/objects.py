"""OpenCL's objects as the abstract execution sees them: programs, kernels, and all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.state.access import deref
from roofline_analysis.host.state.arguments import text_of
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, ElementPlace, Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import Aggregate, OpaqueValue, Origin, Pointer, Text, Value
from roofline_core.algebra.symbolic import ZERO
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Function

_MAX_SOURCES: Final = 16
"""The most strings of one program that are read."""


@dataclass(slots=True, eq=False)
class ClObject(Storage):
    """What a handle (``cl_queue``, ``cl::Context``) refers to; handles share it."""

    kind: str = ""
    """``kernel``, ``program``, ``queue``, ``context``, ``device``, ``platform``, ``event`` ..."""


@dataclass(slots=True, eq=False)
class ProgramObject(ClObject):
    """A program: what is known of where its source comes from."""

    hints: tuple[str, ...] = ()
    """Names and texts that its source was given by."""
    options: Value | None = None
    """The build options, once they were given."""


@dataclass(slots=True, eq=False)
class KernelObject(ClObject):
    """A kernel with the arguments set so far."""

    functions: tuple[Function, ...] = ()
    """The kernels it may be, best first; empty where the program's files have none such."""
    arguments: Storage = field(
        default_factory=lambda: Storage("arguments", BufferSpace.HOST, None, AUTO)
    )
    by_name: bool = False
    """Whether only the name of its handle says so."""


def handle(made: ClObject) -> Pointer:
    """The handle of an object."""
    return Pointer(made, ZERO, Type(f"_cl_{made.kind}"), made.origin)


def new_object(kind: str, origin: Origin | None = None) -> Pointer:
    """A new object of which nothing matters but that it is there."""
    return handle(
        ClObject(f"a {kind}", BufferSpace.HOST, None, Type(f"_cl_{kind}"), origin, kind=kind)
    )


def object_of(value: Value | None) -> ClObject | None:
    """The object that a handle refers to; None for any other value."""
    if isinstance(value, Pointer) and isinstance(value.buffer, ClObject):
        return value.buffer
    return None


def kernel_of(interpreter: HostInterpreter, value: Value | None) -> KernelObject | None:
    """The kernel that a handle, or a pointer to one, refers to."""
    for _ in range(2):
        found = object_of(value)
        if found is not None:
            return found if isinstance(found, KernelObject) else None
        if not isinstance(value, Pointer) or value.buffer is None:
            return None
        value = deref(interpreter, value).get()
    return None


def program_of(value: Value | None) -> ProgramObject | None:
    """The program that a handle refers to."""
    found = object_of(value)
    return found if isinstance(found, ProgramObject) else None


def set_argument(
    interpreter: HostInterpreter, kernel: KernelObject, position: int, value: Value
) -> None:
    """Set a kernel's argument, so that an undecided branch around can undo it."""
    interpreter.store(ElementPlace(kernel.arguments, position, AUTO), value)


def make_kernel(
    interpreter: HostInterpreter, program: Value | None, name: Value, line: int
) -> Value:
    """The kernel of a name in a program; opaque where the name is not known."""
    text = text_of(name)
    if text is None:
        label = name.name if isinstance(name, OpaqueValue) else "a text"
        return OpaqueValue(
            f"the kernel named by {label}", "its name is not known", Type("cl_kernel")
        )
    made = program_of(program)
    functions = kernels_named(interpreter, text, made.hints if made is not None else ())
    return _kernel(interpreter, text, functions, line)


def _kernel(
    interpreter: HostInterpreter, name: str, functions: Iterable[Function], line: int
) -> Pointer:
    origin = interpreter.origin(f"kernel '{name}'", line)
    found = tuple(functions)
    return handle(
        KernelObject(
            name, BufferSpace.HOST, None, Type("_cl_kernel"), origin, kind="kernel", functions=found
        )
    )


def all_kernels(interpreter: HostInterpreter, program: Value | None, line: int) -> list[Pointer]:
    """All kernels of a program, in the order of its source."""
    made = program_of(program)
    hints = made.hints if made is not None else ()
    kernels = [
        f
        for f in interpreter.symbols.all_functions
        if f.is_kernel and f.dialect is Dialect.OPENCL and f.has_body
    ]
    in_text = [
        f for f in kernels if f.path == interpreter.path and any(f.name in hint for hint in hints)
    ]
    hinted = in_text or [f for f in kernels if _hinted(f, hints)] or kernels
    names = dict.fromkeys(f.name for f in hinted)
    return [
        _kernel(interpreter, name, kernels_named(interpreter, name, hints)[:1], line)
        for name in names
    ]


def kernels_named(
    interpreter: HostInterpreter, name: str, hints: Sequence[str] = ()
) -> list[Function]:
    """OpenCL kernels of a name: those the program was seen to be made of, then the nearest."""
    found = [
        f
        for f in interpreter.symbols.functions.get(name, ())
        if f.is_kernel and f.dialect is Dialect.OPENCL and f.has_body
    ]
    if len(found) > 1:
        here = interpreter.path
        found.sort(key=lambda f: (not _hinted(f, hints), _distance(f.path, here)))
    return found


def _hinted(function: Function, hints: Sequence[str]) -> bool:
    stem = function.path.stem
    return any(stem in hint for hint in hints)


def _distance(path: Path, here: Path | None) -> int:
    if here is None or path == here:
        return 0
    if path.parent == here.parent:
        return 1
    return 2 + (here.parent not in path.parents)


def source_hints(
    interpreter: HostInterpreter, sources: Value, count: int | None
) -> tuple[str, ...]:
    """What names the source of a program: file names, variables, the text itself."""
    found: list[str] = []
    if isinstance(sources, Text):
        return (sources.value,)
    for position in range(min(count or 1, _MAX_SOURCES)):
        place = deref(interpreter, sources, integer(position))
        found.extend(_named(place.get()))
        found.append(place.name)
    found.extend(_named(sources))
    return tuple(dict.fromkeys(text for text in found if text))


def _named(value: Value | None) -> list[str]:
    if isinstance(value, Text):
        return [value.value]
    if isinstance(value, OpaqueValue):
        return [value.name, value.why]
    if isinstance(value, Pointer) and isinstance(value.buffer, Storage):
        origin = value.origin.text if value.origin is not None else ""
        return [value.buffer.name, value.buffer.text or "", origin]
    if isinstance(value, Aggregate):
        return [text for inner in value.fields.values() for text in _named(inner)]
    return []
