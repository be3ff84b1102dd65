"""The smallest program that still shows a disagreement."""
