"""Texts of directives and macros, and what any preprocessed text must be."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from roofline_core.program.units import Dialect
from roofline_parsers.preprocess.driver import preprocess
from roofline_parsers.preprocess.result import PreprocessOptions

from .guard import FaultError

NAMES: Final = ("A", "B", "C", "M", "N", "f", "g", "__VA_ARGS__", "__LINE__", "__FILE__", "defined")
PIECES: Final = (
    *(*NAMES, *NAMES, "M(A, B)", "f(f(N))", "g()", "g(,)", "(", ")", ",", "##", "#", "x", "1", "0"),
    *("+", "-", "&&", "||", "!", "==", "<<", "?", ":", "%:", "...", "__VA_OPT__(A)", "\\\n"),
    *('"a"', '"', "'c'", "'", "/*", "*/", "/* c */", "// d", 'R"(A)"', "\t", "\f", "\0", "é"),
    *("0x1u", "18446744073709551615", "1.5", "1e", "'\\x41'", "\\", "\r", "\u2028", "??/"),
)
HEADS: Final = (
    *(
        "#define A",
        "#define B ",
        "#define M(a, b) ",
        "#define f(x) ",
        "#define g(...) ",
        "#undef A",
    ),
    *("#define N ", "#if ", "#ifdef ", "#ifndef ", "#elif ", "#else", "#endif", "#if 1", "#if 0"),
    *("#include ", '#include "a.h"', "#include <b.h>", "#include __FILE__", "#include_next <b.h>"),
    *("#pragma once", "#pragma unroll ", '_Pragma("unroll")', "#line 7", "#error ", "# ", "#"),
    *('#pragma push_macro("A")', '#pragma pop_macro("A")', "#embed ", "#elifdef "),
    *("%:define N ", "#undef A"),
)
DIALECTS: Final = tuple(Dialect)
_ENDS: Final = ("\n", "\n", "\n", "\n", "\r\n", "\\\n", "\n\n", "\r")


def directives_text(chance: random.Random, most_lines: int = 14) -> bytes:
    """Lines of directives, and of words that macros stand for."""
    lines = []
    for _ in range(chance.randint(1, most_lines)):
        head = chance.choice(HEADS) if chance.random() < 0.7 else ""
        words = " " * chance.randint(0, 1)
        lines.append(head + words.join(chance.choices(PIECES, k=chance.randint(0, 7))))
        lines.append(chance.choice(_ENDS))
    return "".join(lines).encode()


def check_directives(text: bytes, headers: dict[str, bytes], dialect: Dialect) -> None:
    """Raise FaultError where a line of the preprocessed text is not that of the source."""
    options = PreprocessOptions(include_dirs=(Path("/none/include"),), dialect=dialect)
    result = preprocess(Path("/none/text.cu"), text, options, lambda path: headers.get(path.name))
    for problem in result.problems:
        if problem.message.startswith("internal error"):
            raise FaultError(problem.message)
    if result.text.count(b"\n") != result.source.count(b"\n"):
        raise FaultError("another number of lines")
    pairs = zip(result.source.split(b"\n"), result.text.split(b"\n"), strict=True)
    for number, (before, after) in enumerate(pairs, 1):
        if number not in result.changed_lines and after.strip() and len(before) != len(after):
            raise FaultError(f"line {number} has another length and does not say so")
    again = preprocess(Path("/none/text.cu"), text, options, lambda path: headers.get(path.name))
    if (again.text, again.problems) != (result.text, result.problems):
        raise FaultError("another text when it is read again")
