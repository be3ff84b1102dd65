"""One file that the program has open.

The place in a file and its flags are elements of the file's buffer, so that an undecided branch
that reads is undone and joined as any other memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from roofline_analysis.host.inputs.workspace import InputFile
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.values import Aggregate, Pointer, Scalar, Value
from roofline_core.algebra.operations import truncated

FILE: Final = "file"
"""The field of a stream object that points to its open file."""
POSITION, ENDED, FAILED, COUNT = range(4)
"""The elements of an open file: the place in it, and what the last operation met."""
NO_NAME: Final = InputFile("", missing="of which the name is not known")


@dataclass(slots=True, eq=False)
class OpenFile(Storage):
    """What a ``FILE *`` points to, and what a stream reads from."""

    file: InputFile = field(default=NO_NAME)
    lost: str = ""
    """Why the place in the file is not known, where it is not."""

    @property
    def described(self) -> str:
        """The file, in messages: ``file 'x', which was not found``."""
        why = self.file.missing or (self.lost if self.position is None else "")
        return f"{self.name}{', ' if why else ''}{why}"

    @property
    def source(self) -> str:
        """What is read, in messages: ``content of file 'x', which was not found``."""
        return f"content of {self.described}"

    @property
    def position(self) -> int | None:
        """How many bytes lie before the next read; None if not known."""
        return self.element_at(POSITION)

    def element_at(self, index: int) -> int | None:
        """The place or a flag; None if it is not known."""
        held = self.elements.get(index)
        return truncated(held.value.constant) if isinstance(held, Scalar) else None

    @property
    def failed(self) -> bool | None:
        """Whether the last operation failed, as a stream's ``fail``; None if not known."""
        number = self.element_at(FAILED)
        return None if number is None else bool(number)

    @property
    def ended(self) -> bool | None:
        """Whether the end was met, as ``feof`` says; None if not known."""
        number = self.element_at(ENDED)
        return None if number is None else bool(number)

    @property
    def last_count(self) -> int | None:
        """The characters that the last unformatted input took; None if not known."""
        return self.element_at(COUNT)


def file_of(value: Value | None) -> OpenFile | None:
    """The open file of a ``FILE *`` or of a stream object; None for other values."""
    if isinstance(value, Aggregate):
        value = value.fields.get(FILE)
    if isinstance(value, Pointer):
        value = value.buffer
    return value if isinstance(value, OpenFile) else None
