"""Exit codes of every command."""

OK = 0
"""Done, without errors or findings to fail on."""
FINDINGS = 1
"""Done, but something could not be read in full, or what ``--fail-on`` names was found."""
FAILED = 2
"""Nothing was done: wrong usage, wrong settings or no file to check."""
INTERRUPTED = 130
"""Ended by Ctrl-C, as shells report SIGINT."""
