"""Opening files, and moving within them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.inputs.scanning import Cursor
from roofline_analysis.host.inputs.workspace import InputFile
from roofline_analysis.host.state.arguments import label_of, text_of
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import AUTO, ElementPlace, HostFieldPlace
from roofline_analysis.host.state.open_file import (
    COUNT,
    ENDED,
    FAILED,
    FILE,
    NO_NAME,
    POSITION,
    OpenFile,
)
from roofline_analysis.host.values import Aggregate, Origin, Pointer, Scalar, Value
from roofline_core.algebra.symbolic import ZERO, constant
from roofline_core.program.types import Type

PAST_KNOWN: Final = "beyond its first 4 MiB, which are all that is read"
_LONG: Final = Type("long")
_STEPS_OF_A_READ: Final = 3
_BYTES_OF_A_STEP: Final = 256
"""What a read costs in statements, and the bytes of it that cost one more. Limits on the work."""
_APPEND, _AT_END, _READ, _WRITE = 1, 2, 8, 16
"""Bits of ``std::ios`` modes in libstdc++: ``app``, ``ate``, ``in``, ``out``."""


def open_file(
    interpreter: HostInterpreter, label: str, name: str | None, *, reads: bool, writes: bool
) -> Pointer:
    """Open a file of a known or unknown name; one that is not found has unknown content.

    What the program itself writes is not what lies on disk: a file that is opened for writing is
    never read from there, now or later.
    """
    file = InputFile(name or "", missing="" if name else NO_NAME.missing)
    if name is not None:
        if writes:
            interpreter.reading.written.add(name)
        if name in interpreter.reading.written:
            file = InputFile(name, missing="which the program writes itself")
        elif reads:
            file = _found(interpreter, name)
    space = BufferSpace.HOST
    opened = OpenFile(f"file {label}", space, None, Type("FILE"), file=file)
    for index in (POSITION, ENDED, FAILED, COUNT):
        opened.elements[index] = _flag(0)
    interpreter.reading.open_files.append(opened)
    return Pointer(opened, ZERO, Type("FILE"))


def open_stream(interpreter: HostInterpreter, stream: Aggregate, values: Sequence[Value]) -> None:
    """Open a file stream with the arguments of its constructor or of ``open``."""
    if not values:
        return
    given = values[1].value.constant if len(values) > 1 and isinstance(values[1], Scalar) else None
    name = stream.type.name
    mode = int(given) if given is not None else _WRITE if "ofstream" in name else _READ
    opened = open_file(
        interpreter,
        label_of(interpreter, values[0]),
        text_of(values[0]),
        reads="ofstream" not in name,
        writes="ofstream" in name or bool(mode & (_WRITE | _APPEND)),
    )
    interpreter.store(HostFieldPlace(stream, FILE, AUTO), opened)
    storage = opened.buffer
    if mode & _AT_END and isinstance(storage, OpenFile) and storage.file.size_bytes is not None:
        storage.elements[POSITION] = _flag(storage.file.size_bytes)


def _found(interpreter: HostInterpreter, name: str) -> InputFile:
    inputs = interpreter.options.inputs
    if inputs is None:
        return InputFile(name, missing="which was not looked for")
    started = next((f.function.path for f in interpreter.frames if f.function is not None), None)
    return inputs.find(name, started.parent if started is not None else None)


def _flag(number: int) -> Scalar:
    return Scalar(constant(number), "long")


def cursor_of(opened: OpenFile) -> Cursor | None:
    """The place in a file whose content is known; None if either is not."""
    position, file = opened.position, opened.file
    if position is None or file.data is None or file.size_bytes is None:
        return None
    return Cursor(file.data, file.size_bytes, position, bool(opened.ended))


def settle(
    interpreter: HostInterpreter,
    opened: OpenFile,
    cursor: Cursor,
    *,
    failed: bool = False,
    count: int = 0,
) -> None:
    """Note where a read has left a file; reading is paid for in steps, and earns some."""
    before = opened.position or 0
    _put(interpreter, opened, POSITION, cursor.position)
    _put(interpreter, opened, ENDED, int(cursor.ended))
    _put(interpreter, opened, FAILED, int(failed))
    _put(interpreter, opened, COUNT, count)
    interpreter.steps += _STEPS_OF_A_READ + abs(cursor.position - before) // _BYTES_OF_A_STEP
    interpreter.grant_steps_for_reading()


def _put(interpreter: HostInterpreter, opened: OpenFile, index: int, number: int) -> None:
    if opened.element_at(index) != number:
        interpreter.store(ElementPlace(opened, index, _LONG), _flag(number))


def lose(interpreter: HostInterpreter, opened: OpenFile, why: str = "") -> None:
    """From here on it is not known where the program stands in a file."""
    opened.lost = why or "at a place that is not known"
    for index in (POSITION, ENDED, FAILED, COUNT):
        place = ElementPlace(opened, index, _LONG)
        if opened.element_at(index) is not None:
            interpreter.store(place, interpreter.unknown(place.name, opened.lost, "long"))


def lose_all(interpreter: HostInterpreter, why: str) -> None:
    """From here on it is not known where the program stands in any file."""
    for opened in interpreter.reading.open_files:
        lose(interpreter, opened, why)


def origin_of_content(interpreter: HostInterpreter, opened: OpenFile, line: int | None) -> Origin:
    """Where a value came from that was read from a file."""
    return interpreter.origin(f"content of {opened.name}", line)
