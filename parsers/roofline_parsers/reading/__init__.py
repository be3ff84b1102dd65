"""Files and programs read: which dialect a file is in, and each in its own."""
