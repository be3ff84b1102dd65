"""What studies take where nothing else is said."""

from __future__ import annotations

SEED = 20250720
"""Of all that is drawn; its value is arbitrary."""
TOKEN_LIMIT = 8000
"""The most tokens of a prompt, as in the HPDC 2025 study."""
QUESTIONS = 80
"""Of RQ1, for each form. Of 80, accuracies are multiples of 1.25%, as the published ones are."""
TRIALS = 1
"""How often each question is asked."""
