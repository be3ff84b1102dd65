"""A launch's numbers put where a kernel's symbols are, and sizes that no launch fixes."""
