"""The walk over a kernel's statements, expressions and calls."""
