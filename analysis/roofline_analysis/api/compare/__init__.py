"""Variants of a kernel, side by side."""
