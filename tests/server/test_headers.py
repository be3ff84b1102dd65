"""A client whose headers are wrong is told in the log, and its session ends."""

from __future__ import annotations

import io
import logging

import pytest

from roofline_lsp.server.session.headers import MAX_HEADER_BYTES, CheckedHeaders


def read_all(stream: bytes) -> list[bytes]:
    checked = CheckedHeaders(io.BytesIO(stream))
    return list(iter(checked.readline, b""))


def test_right_headers_pass_and_so_does_the_body(caplog: pytest.LogCaptureFixture) -> None:
    lines = [b"Content-Length: 2\r\n", b"Content-Type: x\r\n", b"\r\n"]
    checked = CheckedHeaders(io.BytesIO(b"".join(lines) + b"{}" + lines[0]))
    assert [checked.readline() for _ in lines] == lines
    assert checked.read(2) == b"{}"
    assert checked.readline() == lines[0]
    assert checked.readline() == b""
    assert not caplog.records


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (b"Content-Length: x\r\n\r\n{}", "gives no length of a message"),
        (b"Content-Length: -2\r\n\r\n{}", "gives no length of a message"),
        (b"Content-Length: 0\r\n\r\n", "gives no length of a message"),
        (b"Content-Length: 99999999999\r\n\r\n", "gives no length of a message"),
        (b"content-length 2\r\n\r\n{}", "gives no length of a message"),
        (b"\r\n{}", "without 'Content-Length'"),
        (b"Content-Type: x\r\n\r\n{}", "without 'Content-Length'"),
        (b"x" * 100_000, f"longer than {MAX_HEADER_BYTES} bytes"),
    ],
)
def test_wrong_headers_end_the_session(
    stream: bytes, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        lines = read_all(stream)
    assert all(line.startswith(b"Content-Type") for line in lines)
    (record,) = caplog.records
    assert said in record.getMessage()
