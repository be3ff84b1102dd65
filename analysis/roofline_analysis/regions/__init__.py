"""One thread of a kernel as a tree of regions, with their conditions and unknowns."""
