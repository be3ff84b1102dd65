"""Loops of host code: executed, summarised or probed by one trip."""
