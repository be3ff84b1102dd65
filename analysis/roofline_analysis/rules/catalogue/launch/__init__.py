"""Rules about grids, blocks and how warps run."""
