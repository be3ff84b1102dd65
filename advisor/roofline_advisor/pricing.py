"""What requests will cost at most, before they are sent."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from roofline_advisor.request import Request

_CHARACTERS_A_TOKEN = 3.0
"""Of source code, few rather than many, so that estimates are high."""
BATCH_SHARE = 0.5
"""What a request in a batch costs of the price of one by itself."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for 10^6 tokens, without the endpoint's prompt cache."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Preview:
    """Requests to come."""

    requests: int
    input_tokens: int
    most_output_tokens: int
    counted: bool
    """By the endpoint; else estimated from the length of the texts."""
    least_cost: float | None
    """US dollars for the input alone; None where the model's price is not known."""
    most_cost: float | None
    """If every reply is as long as it may be."""

    def text(self) -> str:
        """In one line."""
        about = "" if self.counted else "about "
        plural = "" if self.requests == 1 else "s"
        said = (
            f"{self.requests} request{plural}, {about}{self.input_tokens} tokens in, at most"
            f" {self.most_output_tokens} out"
        )
        if self.least_cost is None or self.most_cost is None:
            return f"{said}; the price of this model is not known"
        return f"{said}; {about}${self.least_cost:.4f} for the input, at most ${self.most_cost:.2f}"


def price(model: str) -> Price | None:
    """The price of a model, None where it is not known."""
    known = [name for name in _prices() if model.startswith(name)]
    return _prices()[max(known, key=len)] if known else None


def estimated_tokens(request: Request) -> int:
    """The tokens of a request by the length of its texts."""
    texts = [request.system, *(turn.text for turn in request.turns)]
    return int(sum(map(len, texts)) / _CHARACTERS_A_TOKEN)


def preview(
    model: str,
    input_tokens: int,
    most_output_tokens: int,
    *,
    requests: int,
    counted: bool,
    batch: bool = False,
) -> Preview:
    """What requests to a model may cost."""
    found = price(model)
    least = most = None
    if found is not None:
        share = (BATCH_SHARE if batch else 1.0) / 1e6
        least = share * found.input * input_tokens
        most = least + share * found.output * most_output_tokens
    return Preview(requests, input_tokens, most_output_tokens, counted, least, most)


@cache
def _prices() -> Mapping[str, Price]:
    path = resources.files("roofline_advisor") / "prices.toml"
    models = tomllib.loads(path.read_text(encoding="utf-8"))["models"]
    return {name: Price(**values) for name, values in models.items()}
