"""Calls of GPU libraries in host code: what they move and compute, and how they are judged."""

# The host execution imports modules of this package while it is being imported itself; it must
# come first, whichever of the two is asked for.
import roofline_lsp.analysis.host  # noqa: F401
