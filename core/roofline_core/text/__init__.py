"""Numbers in the words of a report, and columns of plain text: what every package prints with."""
