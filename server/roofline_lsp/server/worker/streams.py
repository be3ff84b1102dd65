"""Standard input and output kept for a protocol alone."""

from __future__ import annotations

import os
from typing import BinaryIO


def private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output as streams of which nothing else in the process knows.

    From then on standard input is empty and standard output goes to standard error, for the process
    and its children.
    """
    received, sent = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return received, sent
