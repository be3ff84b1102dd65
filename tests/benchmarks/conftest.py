"""Benchmarks are scripts and what they share, not an installed package."""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = str(Path(__file__).resolve().parents[2] / "benchmarks")
if FOLDER not in sys.path:
    sys.path.insert(0, FOLDER)
