"""The OpenCL host interfaces: C, and the C++ bindings."""
