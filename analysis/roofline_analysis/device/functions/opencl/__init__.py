"""What OpenCL C itself provides to kernels."""
