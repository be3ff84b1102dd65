"""Which bytes a launch touches, and how many of them DRAM moves."""
