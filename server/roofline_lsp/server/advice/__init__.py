"""What a session asks of a language model, and the process that asks."""
