"""Measure what a device operation becomes in SASS, by running its machine code on a model of one thread."""
