"""The C and CUDA preprocessor: source bytes to bytes that a grammar can read.

Line i of the output comes from line i of the source: directives and inactive text become blank
lines, a macro invocation over several lines is expanded on its first one, and a header included
inside braces stands, on one line, where its ``#include`` stood. So the line map is the identity.
Columns are the source's in every line that is not in ``changed_lines``.

What the grammar of tree-sitter-cuda cannot hold is rewritten, with its length kept:

- ``__align__(n)`` becomes ``alignas(n)``; other attributes that it does not know become spaces;
- ``[=] __device__ (int i) {...}`` becomes ``[=] [[device]] (int i) {...}``.

Pragmas stay in the text as ``#pragma`` lines where a statement or declaration may stand. Where the
grammar has no room for one (between ``if (c)`` or ``else`` and the statement, after a label, from
``_Pragma``, in a header spliced into a line), ``unroll`` and ``omp`` become attributes of the
statement that follows, ``[[unroll]]``, ``[[unroll(4)]]``, ``[[omp::directive("parallel for")]]``,
and other pragmas are dropped.
"""

from roofline_lsp.parsers.preprocess.driver import PreprocessCache, preprocess
from roofline_lsp.parsers.preprocess.macros import Macro, MacroOrigin, MacroTable
from roofline_lsp.parsers.preprocess.result import PreprocessedFile, PreprocessOptions, Reader

__all__ = [
    "Macro",
    "MacroOrigin",
    "MacroTable",
    "PreprocessCache",
    "PreprocessOptions",
    "PreprocessedFile",
    "Reader",
    "preprocess",
]
