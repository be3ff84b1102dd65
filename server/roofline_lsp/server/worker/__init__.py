"""The analysis process and the pipe to it."""
