"""The process that analyses, and the pipe to it."""
