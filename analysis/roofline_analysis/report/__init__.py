"""What an analysis says, as plain values."""
