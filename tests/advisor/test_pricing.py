from __future__ import annotations

import pytest

from roofline_advisor.pricing import Price, preview, price


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-opus-5", Price(5.0, 25.0)),
        ("claude-opus-5-5", Price(4.0, 20.0)),
        ("claude-sonnet-5-5", Price(2.0, 10.0)),
        ("claude-haiku-4-5-20251001", Price(1.0, 5.0)),
        ("llama", None),
    ],
)
def test_the_longest_name_counts(model: str, expected: Price | None) -> None:
    assert price(model) == expected


def test_a_preview() -> None:
    found = preview("claude-sonnet-5-5", 2_000_000, 1_000_000, requests=3, counted=True)
    assert (found.least_cost, found.most_cost) == (4.0, 14.0)
    assert found.text() == (
        "3 requests, 2000000 tokens in, at most 1000000 out; $4.0000 for the input, at most $14.00"
    )
    batch = preview("claude-sonnet-5-5", 2_000_000, 0, requests=3, counted=True, batch=True)
    assert batch.least_cost == 2.0
    unknown = preview("local", 10, 20, requests=1, counted=False)
    assert unknown.text() == (
        "1 request, about 10 tokens in, at most 20 out; the price of this model is not known"
    )
