"""The result of an analysis as plain values."""
