"""Rules about memory accesses."""
