"""Loops of host code: executed, summarised or tried out."""
