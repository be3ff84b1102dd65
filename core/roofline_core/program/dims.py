"""Extents in three dimensions: of a grid in blocks, of a block in threads."""

Dim3 = tuple[int, int, int]
"""Along x, y and z."""
