"""What all tests share: property tests try the same examples in every run.

A check that fails by chance stops changes that have nothing to do with it. New examples are tried
with ``HYPOTHESIS_PROFILE=explore ./run-tests``.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
