"""Numbers at a glance."""

from __future__ import annotations

import pytest

from roofline_lsp.server.text.figures import count, factor, percent


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (4096, "4096"), (65536, "65,536"), (100_000, "100 k"), (1.5, "1.5"), (1e6, "1 M")],
)
def test_count(value: float, text: str) -> None:
    assert count(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (0.001, "<1%"),
        (0.009, "<1%"),
        (0.01, "1%"),
        (0.33, "33%"),
        (0.99, "99%"),
        (0.996, ">99%"),
        (1 - 1e-9, "100%"),
        (1, "100%"),
    ],
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.44, "1.4×"), (2.0, "2×"), (9.96, "10×"), (57.4, "57×"), (234, "230×"), (12_345, "12,000×")],
)
def test_factor(ratio: float, text: str) -> None:
    assert factor(ratio) == text
