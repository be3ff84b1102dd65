"""What an answer took, in tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer."""

    input_tokens: int
    """Input tokens that are neither written to nor read from the endpoint's prompt cache."""
    output_tokens: int
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0

    @property
    def total_input(self) -> int:
        """Tokens of the question, however the endpoint's prompt cache served them."""
        return self.input_tokens + self.cache_write_tokens + self.cache_read_tokens

    @property
    def total(self) -> int:
        """All tokens, input and output."""
        return self.total_input + self.output_tokens
