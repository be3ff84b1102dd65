"""The files that a host program reads: found safely, and scanned as the C library scans them."""
