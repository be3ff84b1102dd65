"""What each dialect itself provides to device code."""
