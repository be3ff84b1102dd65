"""What to tell of an exception that nobody expected."""

from __future__ import annotations

import traceback
from pathlib import Path


def crash_reason(error: BaseException) -> str:
    """``ValueError: message (module.py:12 in function)``, the place being where it was raised."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return text
    last = frames[-1]
    return f"{text} ({Path(last.filename).name}:{last.lineno} in {last.name})"
