"""Sweeps: as a table, CSV, JSON with its schema, and a drawing."""
