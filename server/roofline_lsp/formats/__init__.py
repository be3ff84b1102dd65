"""Reports written out: one format a file."""
