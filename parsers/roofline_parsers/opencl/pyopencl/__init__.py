"""PyOpenCL programs: their kernels, and the host code as statements of the kernel model."""
