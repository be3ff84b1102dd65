"""What all parts are written in: programs as values, symbolic numbers, settings."""
