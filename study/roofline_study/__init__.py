"""Predictions held against measured kernels: data sets, metrics and the evaluation."""
