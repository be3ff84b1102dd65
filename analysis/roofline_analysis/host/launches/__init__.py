"""Kernel launches in every form, and the contents of memory at each launch."""
