"""What operations of device code become in machine code."""
