"""Models of the libraries that host programs call: C, C++ and the GPU runtimes."""
