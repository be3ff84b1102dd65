"""Many programs analysed: reports kept between runs, and work shared out to processes."""
