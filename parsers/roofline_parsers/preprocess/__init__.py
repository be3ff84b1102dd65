"""The C and CUDA preprocessor: source bytes to bytes that a grammar can read.

Line i of the output comes from line i of the source: directives and inactive text become blank
lines, a macro invocation over several lines is expanded on its first one, and a header included
inside braces stands, on one line, where its ``#include`` stood. So the line map is the identity.
Columns are the source's in every line that is not in ``changed_lines``.

What the grammar of tree-sitter-cuda cannot hold is rewritten. With its length kept:

- ``__align__(n)`` becomes ``alignas(n)``, ``__restrict`` becomes ``restrict``; other attributes
  that the grammar does not know become spaces;
- ``[=] __device__ (int i) {...}`` becomes ``[=] [[device]] (int i) {...}``;
- ``__device__ friend`` becomes ``friend __device__``, or the qualifiers before ``friend`` spaces if
  they stand on a line of their own;
- ``new T*[n]`` becomes ``new T [n]``.

In changed lines: ``({ int a = f(); a * a; })`` becomes ``[&]{ int a = f(); return a * a; }()``.

Pragmas stay in the text as ``#pragma`` lines where a statement or declaration may stand. Where the
grammar has no room for one (between ``if (c)`` or ``else`` and the statement, after a label, from
``_Pragma``, in a header spliced into a line), ``unroll`` and ``omp`` become attributes of the
statement that follows, ``[[unroll]]``, ``[[unroll(4)]]``, ``[[omp::directive("parallel for")]]``,
and other pragmas are dropped.

The package does no I/O of its own but for ``load_compile_commands`` with a path: every file comes
from the caller's ``Reader``.
"""

from roofline_parsers.preprocess.compile_commands import CompileCommandsError, load_compile_commands
from roofline_parsers.preprocess.compile_flags import CompileFlags, parse_flags
from roofline_parsers.preprocess.driver import PreprocessCache, preprocess
from roofline_parsers.preprocess.macros import Macro, MacroOrigin, MacroTable
from roofline_parsers.preprocess.makefiles import makefile_defines, makefile_hints
from roofline_parsers.preprocess.predefined import cuda_macros, host_macros
from roofline_parsers.preprocess.result import PreprocessedFile, PreprocessOptions, Reader

__all__ = [
    "CompileCommandsError",
    "CompileFlags",
    "Macro",
    "MacroOrigin",
    "MacroTable",
    "PreprocessCache",
    "PreprocessOptions",
    "PreprocessedFile",
    "Reader",
    "cuda_macros",
    "host_macros",
    "load_compile_commands",
    "makefile_defines",
    "makefile_hints",
    "parse_flags",
    "preprocess",
]
