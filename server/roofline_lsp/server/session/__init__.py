"""One session with an editor: its messages, its settings, and what it is told unasked."""
