"""What one thread of a kernel does: a tree of regions, with conditions and what is not known."""
