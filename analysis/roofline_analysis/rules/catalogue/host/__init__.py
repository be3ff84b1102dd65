"""Rules about host code: copies, waits and launches."""
