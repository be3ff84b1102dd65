"""Differential testing: what programs execute under emulation, held against what is predicted."""
