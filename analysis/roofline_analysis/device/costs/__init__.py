"""The machine instructions that operations of device code compile to."""
