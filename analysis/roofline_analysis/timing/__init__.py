"""A launch's demand on schedulers, caches and memory, its occupancy and its time."""
