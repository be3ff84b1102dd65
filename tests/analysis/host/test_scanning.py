"""What is scanned agrees with the C library, which is asked where it is glibc."""

from __future__ import annotations

import ctypes
import platform
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roofline_analysis.host.inputs.scanning import (
    Cursor,
    PastKnownError,
    Scanned,
    Taken,
    scan,
)

PIECES = (
    "%d %i %u %x %o %f %lf %s %c %3d %2s %*d %*s %n %[a-c] %[^,] %5[0-9] %ld %hhd %hd %4f %2c %%"
).split()
SIZES = {
    "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4,
    "unsigned int": 4, "long": 8, "unsigned long": 8, "float": 4, "double": 8,
}  # fmt: skip


def holds(buffer: bytes, taken: Taken) -> bool:
    """Whether the C library stored what was taken."""
    if taken.text is not None:
        return buffer.startswith(taken.text + (b"\0" if taken.terminated else b""))
    assert taken.number is not None
    size = SIZES[taken.type_name]
    if taken.type_name in ("float", "double"):
        stored = struct.unpack("<f" if size == 4 else "<d", buffer[:size])[0]
        near = abs(stored - taken.number) <= 1e-5 * max(1, abs(stored))
        return bool(stored == taken.number or near)  # equal, too, where both are infinite
    return int.from_bytes(buffer[:size], "little") == int(taken.number) % (1 << 8 * size)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks glibc")
@example("%f", "1e310")
@given(
    st.lists(st.sampled_from([*PIECES, " ", ",", "x", "a"]), min_size=1, max_size=4).map("".join),
    st.text("0123456789+-. \n,xabcdef%", max_size=9),
)
def test_formats_take_what_the_c_library_takes(format_: str, text: str) -> None:
    buffers = [ctypes.create_string_buffer(b"\xee" * 32, 33) for _ in range(8)]
    result = ctypes.CDLL(None).sscanf(text.encode(), format_.encode(), *buffers)
    data = text.encode()
    found = scan(Cursor(data, len(data)), format_)
    assert found.result == result
    for taken, buffer in zip(found.values, buffers, strict=False):
        assert holds(buffer.raw, taken)


def test_nothing_is_taken_that_may_go_on_beyond_what_is_known() -> None:
    assert scan(Cursor(b"12 34", 9), "%d") == Scanned((Taken(12, None, "int"),), 1)
    with pytest.raises(PastKnownError):
        scan(Cursor(b"12 34", 9), "%d%d")
    with pytest.raises(PastKnownError):
        Cursor(b"ab", 9).line()
    assert Cursor(b"a\nb", 9).line() == b"a\n"


def test_the_end_of_a_file_is_noted_when_it_is_asked_for() -> None:
    cursor = Cursor(b"1\n2", 3)
    assert (cursor.line(), cursor.ended) == (b"1\n", False)
    assert (cursor.line(), cursor.ended) == (b"2", True)
    cursor = Cursor(b"ab", 2)
    assert (cursor.take(2), cursor.ended) == (b"ab", False)
    assert (cursor.take(1), cursor.ended) == (b"", True)


def test_a_line_is_looked_for_only_as_far_as_it_may_go() -> None:
    cursor = Cursor(b"abcdef\n", 7)
    assert [cursor.line(4), cursor.line(4), cursor.line(4)] == [b"abcd", b"ef\n", b""]
    assert cursor.ended
