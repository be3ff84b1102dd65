"""Measurements: imported or made by a profiler, kept beside the project, held against predictions.

The one package that starts other programs: profilers, compilers, and what a person has profiled.
"""
