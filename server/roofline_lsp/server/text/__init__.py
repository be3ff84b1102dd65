"""The texts of hovers, lenses and hints."""
