"""Front ends: preprocessing and, one a dialect, the way from source text to the kernel model."""
