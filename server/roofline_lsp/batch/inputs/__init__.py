"""Sources that are no files of this machine: archives, URLs and tables, unpacked before a check."""
