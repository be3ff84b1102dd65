"""Host values, counts, traffic, roofline and time: everything computed from the kernel model."""
