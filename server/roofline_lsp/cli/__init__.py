"""The command line: ``roofline-lsp``."""
