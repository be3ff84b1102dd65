"""Open documents: their texts, the newest analysis of each, and positions in them."""
