"""What a launch asks of the machine, and how long that takes."""
