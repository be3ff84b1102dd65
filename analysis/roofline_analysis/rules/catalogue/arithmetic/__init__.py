"""Rules about operations."""
