"""The kernel model: what every front end produces and every analysis reads.

It knows neither tree-sitter nor the language server protocol.
"""
