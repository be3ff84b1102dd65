"""Front ends: the preprocessor and, for each dialect, a parser from text to the kernel model."""
