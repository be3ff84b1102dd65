"""The class of a launch from its counts, traffic and time, with evidence and a confidence."""
