"""Measure what a device operation becomes in SASS by running it on a model of one thread."""
