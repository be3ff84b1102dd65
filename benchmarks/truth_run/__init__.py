"""Emulated counts held against measured ones: what ``emulation_truth.py`` is made of."""
