"""What hovers, lenses and hints say."""
