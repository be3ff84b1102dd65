"""Symbolic execution of a kernel: what one thread computes and touches, as a tree of regions."""
