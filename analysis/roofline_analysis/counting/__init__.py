"""How often each region of a kernel runs in a launch."""
