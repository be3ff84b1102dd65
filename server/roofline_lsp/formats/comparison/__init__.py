"""Comparisons of kernels: as text, as Markdown, as JSON with its schema."""
