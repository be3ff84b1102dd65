"""OpenCL C compiled for an emulation: to machine code of the GPU, with OpenCL's functions."""
