"""A kernel judged over values of one number, or over GPUs."""
