"""Contracts: what a kernel shall be and cost, stated in its source or in the settings."""
