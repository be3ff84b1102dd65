"""Nsight Compute report files made by hand, for NVIDIA's own reader: no number was measured.

The layout is that of the documentation's "Report File Format": a magic number, a file header, then
blocks of a header and messages, all Protocol Buffers with their sizes before them. Field numbers
are those of the schemas that NVIDIA ships with the tool.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Instances:
    """A metric's value by program counter."""

    total: float
    by_address: Mapping[int, int]


@dataclass(frozen=True)
class FakeLaunch:
    kernel: str
    grid: Dim3
    block: Dim3
    metrics: Mapping[str, float | str | Instances] = field(default_factory=dict)


def report_file(launches: Sequence[FakeLaunch], version: int = 7) -> bytes:
    """A whole report."""
    names: dict[str, int] = {}
    results = [_result(launch, names) for launch in launches]
    payload = b"".join(_sized(result) for result in results)
    strings = b"".join(_bytes(1, name.encode()) for name in names)
    process = _varint(1, 42) + _bytes(2, b"127.0.0.1") + _bytes(3, b"app")
    header = (
        _varint(1, 0)
        + _varint(2, len(results))
        + _bytes(3, b"")
        + _bytes(4, strings)
        + _varint(5, len(payload))
        + _bytes(6, process)
    )
    return b"NVR\0" + _sized(_varint(1, version)) + _sized(header) + payload


def _result(launch: FakeLaunch, names: dict[str, int]) -> bytes:
    name = launch.kernel.encode()
    base = launch.kernel.partition("(")[0].encode()
    parts = [_varint(number, 1) for number in range(1, 5)]
    parts += [_bytes(5, base), _bytes(6, base), _bytes(7, name), _varint(8, 3)]
    parts += [_bytes(9, _three((0, 0, 0))), _bytes(10, _three(launch.grid))]
    parts.append(_bytes(11, _three(launch.block)))
    for metric, value in launch.metrics.items():
        number = names.setdefault(metric, len(names))
        parts.append(_bytes(13, _metric(number, value)))
    parts.append(_bytes(15, b""))
    return b"".join(parts)


def _metric(number: int, value: float | str | Instances) -> bytes:
    total = value.total if isinstance(value, Instances) else value
    parts = [_varint(1, number), _bytes(2, _value(total))]
    if isinstance(value, Instances):
        for address, count in value.by_address.items():
            element = _bytes(1, _value(address)) + _bytes(2, _value(count))
            parts.append(_bytes(3, element))
    return b"".join(parts)


def _value(value: float | str) -> bytes:
    if isinstance(value, str):
        return _bytes(1, value.encode())
    if isinstance(value, int):
        return _varint(5, value)
    return _key(3, 1) + struct.pack("<d", value)


def _three(sizes: Iterable[int]) -> bytes:
    return b"".join(_varint(number, size) for number, size in enumerate(sizes, 1))


def _sized(message: bytes) -> bytes:
    return struct.pack("<i", len(message)) + message


def _key(number: int, wire: int) -> bytes:
    return _base128(number << 3 | wire)


def _varint(number: int, value: int) -> bytes:
    return _key(number, 0) + _base128(value)


def _bytes(number: int, content: bytes) -> bytes:
    return _key(number, 2) + _base128(len(content)) + content


def _base128(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
