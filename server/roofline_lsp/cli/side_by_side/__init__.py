"""Prediction and measurement of kernels side by side, for ``evaluate --explain``."""
