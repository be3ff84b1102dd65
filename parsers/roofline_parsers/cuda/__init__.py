"""The CUDA front end: preprocessed text to the kernel model, by way of tree-sitter.

``parse_unit`` is the way in; ``parse_expression`` reads an expression on its own. A file's
declarations are read in one scan that skips function bodies; a body is read when a ``Function`` is
first asked for it.
"""

from roofline_parsers.cuda.cache import ParseCache
from roofline_parsers.cuda.snippets import parse_expression
from roofline_parsers.cuda.unit import parse_unit

__all__ = ["ParseCache", "parse_expression", "parse_unit"]
