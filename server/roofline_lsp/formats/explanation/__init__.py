"""An explanation of kernels written down: as text, and as JSON with a published schema."""
