"""Kernel launches in every form, and what memory holds when they happen."""
