"""Loops of device code: trip counts, loop-carried variables, unrolling."""
