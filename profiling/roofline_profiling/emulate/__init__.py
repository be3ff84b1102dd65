"""Programs run without a GPU: their kernels' machine code is executed on the CPU and counted."""
