"""From counts, traffic and time to a class, with its reasons and how sure it is."""
