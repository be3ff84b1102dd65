"""Heuristics switched off in turn: which there are, how one is taken out, what that costs."""
