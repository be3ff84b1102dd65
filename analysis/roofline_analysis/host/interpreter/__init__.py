"""The execution of host code's statements, expressions and calls."""
