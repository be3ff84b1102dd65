"""Kernels' names as compilers and profilers write them, and the code that a name stands for."""
