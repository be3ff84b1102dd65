"""What host code can do, told from its shape and its words."""
