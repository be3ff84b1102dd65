"""Symbolic numbers: polynomials in normal form, and their values for many threads at once."""
