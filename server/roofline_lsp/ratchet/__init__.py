"""What a check is held to: issues with fingerprints, baselines, contracts, and what changed."""
