"""Calls of GPU libraries in host code: what they move and compute."""
