"""Values of a launch bound to a kernel's symbols, and sizes that no launch fixes."""
