"""Loops of device code: how often they run, and what they carry from run to run."""
