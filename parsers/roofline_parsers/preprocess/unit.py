"""Preprocessing of one file: its directives in order, and the text between them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from roofline_core.program.units import Dialect, Problem, Severity
from roofline_parsers.preprocess.condition_reader import ConditionReader
from roofline_parsers.preprocess.conditional_stack import ConditionalStack
from roofline_parsers.preprocess.conditions import ConditionError
from roofline_parsers.preprocess.excluded import excluded_notes
from roofline_parsers.preprocess.expansion import Expander, ExpansionBudgetError
from roofline_parsers.preprocess.grammar_fixes import fix_for_grammar, separate_tokens
from roofline_parsers.preprocess.kernels_as_strings import is_string
from roofline_parsers.preprocess.macros import Macro, MacroTable
from roofline_parsers.preprocess.opencl_words import rewrite as rewrite_opencl
from roofline_parsers.preprocess.pragmas import (
    kept_line,
    pragma_attribute,
    replace_pragma_operators,
)
from roofline_parsers.preprocess.predefined import GPU_COMPILERS, GPU_WORDS, KNOWN_HEADERS
from roofline_parsers.preprocess.problem_list import ProblemList
from roofline_parsers.preprocess.required_branches import (
    Branches,
    conditionals_by_number,
    conditionals_with_error,
    flags_to_define,
)
from roofline_parsers.preprocess.result import PreprocessedFile
from roofline_parsers.preprocess.scanning import BraceTracker, ends_statement
from roofline_parsers.preprocess.stand_ins import (
    StandIn,
    bring,
    mark_of,
    marks_of,
    named_by,
    text_of,
)
from roofline_parsers.preprocess.statement_expressions import rewrite_statement_expressions
from roofline_parsers.preprocess.structure import (
    MAX_DIRECTIVES,
    MAX_SOURCE_BYTES,
    Chunk,
    PreprocessorDirective,
    SourceFile,
)
from roofline_parsers.preprocess.text_output import TextOutput
from roofline_parsers.preprocess.tokens import lex

_MAX_TOKENS = 1_000_000
"""What expansion may read and write in one file: about a second's work."""
_EXPANDED_PRAGMA = re.compile(rb"((?:GCC\s+)?unroll|omp|nounroll)\b")
_STATEMENT_ENDS = (b"", b";", b"{", b"}")
_NOT_PLAIN = re.compile(rb"[^\w .,:-]")
"""What scans of the text may take for a literal, a comment or a brace."""


class Includer(Protocol):
    """What a unit needs of the translation unit it belongs to."""

    macros: dict[bytes, Macro]
    """The macros in force. Units change it."""
    touched: list[bytes]
    """Names that were defined or undefined, as it happened."""
    dialect: Dialect
    """The language that the translation unit is compiled as."""

    def find(self, unit: Unit, name: bytes, quoted: bool, skip_self: bool) -> SourceFile | None:
        """Resolves a header; ``skip_self``: one other than the including file."""
        ...

    def refusal(self, unit: Unit, name: bytes, quoted: bool) -> str:
        """Why a header that was not found is left alone; empty where it is not there."""
        ...

    def is_guarded(self, unit: Unit, header: SourceFile) -> bool:
        """Whether including the header again would give nothing."""
        ...

    def include(self, unit: Unit, header: SourceFile) -> PreprocessedFile | None:
        """Preprocesses a header as a unit of its own; None if includes nest too deeply."""
        ...

    def splice(self, unit: Unit, header: SourceFile) -> bytes | None:
        """Preprocesses a header to text on one line; None if includes nest too deeply."""
        ...

    def table(self) -> MacroTable:
        """A copy of the macros in force."""
        ...

    def mark_once(self, file: SourceFile) -> None:
        """Takes note of ``#pragma once``."""
        ...

    def mark(self, name: bytes) -> None:
        """Takes note of something by a name that is no identifier."""
        ...


class Unit:
    """One file being preprocessed."""

    def __init__(self, includer: Includer, file: SourceFile, depth: int, spliced: bool) -> None:
        """``depth``: how many files include this one; ``spliced``: into a line of another."""
        self.file = file
        self.depth = depth
        self.spliced = spliced
        self.words: set[bytes] = set()
        """Words of spliced and included headers, for the cache."""
        self.problems = ProblemList(file.path)
        self.includes: list[PreprocessedFile] = []
        self.include_lines: list[int] = []
        self.unresolved_includes: list[str] = []
        self._includer = includer
        name = os.fsencode(file.name).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
        self._expander = Expander(includer.macros, name, _MAX_TOKENS)
        self._output = TextOutput(self._expander, self.problems.report)
        self._conditions = ConditionReader(self._expander)
        self._groups = ConditionalStack()
        self._braces = BraceTracker()
        self._pieces_tracked = 0
        self._last_byte = b""
        """The last byte of what ``_ends_with`` has looked at that is neither blank nor comment."""
        self._pieces_seen = 0
        self._pragmas: dict[int, list[bytes]] = {}

    def run(self) -> bytes:
        """Preprocesses the whole file; gives its text without the fixes for the grammar."""
        output = self._output
        for part in self.file.parts:
            if isinstance(part, Chunk):
                if self._groups.active:
                    output.add_chunk(part)
                else:
                    output.add_blank(part.newlines)
            else:
                self._directive(part)
        output.flush()
        for line in self._groups.open_lines:
            self.problems.report("#if without #endif", line)
        if self.file.left_out_line is not None:
            message = (
                f"more than {MAX_SOURCE_BYTES / 1e6:.0f} MB or {MAX_DIRECTIVES} directives:"
                " from here on it is not read"
            )
            self.problems.report(message, self.file.left_out_line)
        if self.file.unclosed_comment_line is not None:
            self.problems.report("comment without an end", self.file.unclosed_comment_line)
        text = b"".join(output.pieces)[1:]
        if b"_Pragma" in text:
            text, operators = replace_pragma_operators(text)
            for line, end_line, pragma in operators:
                self._pragmas.setdefault(line, []).append(pragma)
                self._output.changed_lines.update(range(line, end_line + 1))
        if b"({" in text:
            text, lines = rewrite_statement_expressions(text)
            self._output.changed_lines |= lines
        return text

    def finish(self) -> PreprocessedFile:
        """Preprocesses the file as a unit of its own."""
        text = self.run()
        if self._includer.dialect is Dialect.OPENCL:
            text, lines = rewrite_opencl(text)
            self._output.changed_lines |= lines
        text, lines = separate_tokens(text)
        self._output.changed_lines |= lines
        text = fix_for_grammar(text)
        return PreprocessedFile(
            path=self.file.path,
            source=self.file.source,
            text=text,
            changed_lines=frozenset(self._output.changed_lines),
            includes=tuple(self.includes),
            include_lines=tuple(self.include_lines),
            unresolved_includes=tuple(dict.fromkeys(self.unresolved_includes)),
            macros=self._includer.table(),
            pragmas={line: tuple(found) for line, found in self._pragmas.items()},
            problems=(*self.problems.found, *self._excluded(text)),
            dialect=self._includer.dialect,
        )

    def _excluded(self, text: bytes) -> tuple[Problem, ...]:
        """Notes on kernels that inactive branches hold."""
        file = self.file
        macros = self._includer.table()
        return excluded_notes(file.path, file.source, text, self._pragmas, macros)

    def _directive(self, directive: PreprocessorDirective) -> None:
        keyword = directive.keyword
        condition = _CONDITIONALS.get(keyword)
        if condition:
            condition(self, directive)
        elif self._groups.active:
            handler = _HANDLERS.get(keyword)
            if handler:
                handler(self, directive)
                if handler in _WRITES_ITSELF:
                    return
        self._output.add_blank(b"\n" + directive.newlines)

    # ---- Conditionals

    def _if(self, directive: PreprocessorDirective) -> None:
        branches = self._required_branches.get(directive.line)
        if branches and self._groups.active and not self._inside_braces():
            self._take_a_branch(branches)
        numbered = self._numbered_branches.get(directive.line)
        if numbered and self._groups.active and numbered[0] not in self._includer.macros:
            name, value = numbered
            who = "which hosts may do when they build the kernels"
            what = f"nothing defines {name.decode()}, {who}: taken as {value.decode()}"
            self._define_as(name, value)
            self.problems.report(what, directive.line, Severity.NOTE)
        self._groups.open(directive.line, lambda: self._holds(directive))

    def _elif(self, directive: PreprocessorDirective) -> None:
        keyword = directive.keyword.decode("ascii", "replace")
        condition = None if directive.keyword == b"else" else lambda: self._holds(directive)
        fault = self._groups.alternative(keyword, condition)
        if fault:
            self.problems.report(fault, directive.line)

    def _endif(self, directive: PreprocessorDirective) -> None:
        fault = self._groups.close()
        if fault:
            self.problems.report(fault, directive.line)

    @cached_property
    def _required_branches(self) -> Mapping[int, Branches]:
        """The conditionals whose ``#else`` is an ``#error``, by the lines of their ``#if``."""
        return conditionals_with_error(self.file)

    @cached_property
    def _numbered_branches(self) -> Mapping[int, tuple[bytes, bytes]]:
        """Of OpenCL's kernels, which hosts build with macros: the conditionals by number."""
        opencl = self._includer.dialect is Dialect.OPENCL
        return conditionals_by_number(self.file) if opencl else {}

    def _define_as(self, name: bytes, value: bytes) -> None:
        self._includer.macros[name] = Macro(name, body=value)
        self._includer.touched.append(name)
        self._expander.macros_changed()

    def _take_a_branch(self, branches: Branches) -> None:
        """Define what makes one of the branches active where none is."""
        known = len(self.problems.found)
        holds = any(self._holds(branch) for branch in branches)
        del self.problems.found[known:]
        flags = () if holds else flags_to_define(branches)
        for name in flags:
            self._define_as(name, b"1")
        if flags:
            names = b", ".join(flags).decode("utf-8", "replace")
            message = f"without {names} this is an #error: taken as defined"
            self.problems.report(message, branches[0].line, Severity.NOTE)

    def _holds(self, directive: PreprocessorDirective) -> bool:
        keyword = directive.keyword
        if keyword.endswith(b"def"):
            if not directive.name:
                self.problems.report(f"#{keyword.decode()} without a name", directive.line)
            return self._conditions.is_defined(directive.name) != keyword.endswith(b"ndef")
        text = directive.argument
        if text in (b"0", b"1"):
            return text == b"1"
        self._expander.line = directive.line
        try:
            return self._conditions.is_true(text, self._finds_include)
        except ConditionError as error:
            self.problems.report(f"#{keyword.decode()} taken as false: {error}", directive.line)
        except ExpansionBudgetError:
            self.problems.report(
                f"#{keyword.decode()} taken as false: it is too big", directive.line
            )
        finally:
            self._expander.complaints.clear()
        return False

    def _finds_include(self, name: bytes, quoted: bool) -> bool:
        if not quoted and name in KNOWN_HEADERS:
            return True
        return self._includer.find(self, name, quoted, False) is not None

    # ---- Macros

    def _define(self, directive: PreprocessorDirective) -> None:
        macro = directive.definition
        if macro is None:
            self.problems.report("#define without a name", directive.line)
            return
        if macro.name in GPU_WORDS and not self._includer.macros.keys().isdisjoint(GPU_COMPILERS):
            return
        self._includer.macros[macro.name] = macro
        self._includer.touched.append(macro.name)
        self._expander.macros_changed()

    def _undef(self, directive: PreprocessorDirective) -> None:
        if self._includer.macros.pop(directive.name, None):
            self._includer.touched.append(directive.name)
            self._expander.macros_changed()

    def _error(self, directive: PreprocessorDirective) -> None:
        """Report it. Inside braces it also stays as a line: code is missing there."""
        text = directive.argument.decode("utf-8", "replace")
        self.problems.report(f"#error {text}".rstrip(), directive.line)
        output = self._output
        stays = not self.spliced and not output.holding and self._inside_braces()
        if stays and self._ends_with() in _STATEMENT_ENDS:
            kept = b"#error " + _NOT_PLAIN.sub(b" ", directive.argument)
            output.changed_lines.add(directive.line)
            output.add_line(kept, directive.newlines)
        else:
            output.add_blank(b"\n" + directive.newlines)

    # ---- Includes

    def _include(self, directive: PreprocessorDirective) -> None:
        self._output.flush()
        newlines = b"\n" + directive.newlines
        name, quoted = self._header_name(directive)
        skip_self = directive.keyword == b"include_next"
        header = self._includer.find(self, name, quoted, skip_self) if name else None
        if header is None and (last := directive.header_behind_macros):
            name, quoted = last, True
            header = self._includer.find(self, name, quoted, skip_self)
        if header is None and name:
            self._note_missing(name, quoted, directive.line)
        elif header is None:
            self.problems.report("#include without a header's name", directive.line)
        if header is None or self._includer.is_guarded(self, header):
            if header is None and name:
                self._stand_in(directive.line, [name])
            elif self._wanted:
                self._stand_in_again(directive.line)
            self._output.add_blank(newlines)
            return
        if directive.keyword == b"import":
            self._includer.mark_once(header)
        if self._includer.dialect is not Dialect.OPENCL and is_string(header.path, header.source):
            self._output.add_line(b'""', directive.newlines)
            self._output.changed_lines.add(directive.line)
            return
        if self.spliced or self._inside_declaration():
            self._splice(directive, header)
        else:
            self.include_unit(header, directive.line)
            self._output.add_blank(newlines)
            if self._wanted:
                self._stand_in(directive.line, _missing(self.includes[-1:]))

    def _note_missing(self, name: bytes, quoted: bool, line: int) -> None:
        """Takes note of a header that was not found."""
        text = name.decode("utf-8", "replace")
        shown = f'"{text}"' if quoted else f"<{text}>"
        self.unresolved_includes.append(shown)
        for mark in marks_of(name):
            self._includer.mark(mark)
        if why := self._includer.refusal(self, name, quoted):
            self.problems.report(f"{shown} {why}", line)

    def _stand_in(self, line: int, missing: Sequence[bytes]) -> None:
        """Includes the texts that stand for headers that were not found and are needed here."""
        self._include_texts([each for each in self._wanted if bring(each, missing)], line)

    def _stand_in_again(self, line: int) -> None:
        """The same where a header is left out that an earlier one had included.

        That one may have named nothing of a library whose headers the left out one did not find.
        """
        self.words.update(map(mark_of, self._wanted))
        missing = [each for each in self._wanted if mark_of(each) in self._includer.macros]
        self._include_texts(missing, line)

    def _include_texts(self, libraries: Sequence[StandIn], line: int) -> None:
        if not libraries or self.spliced or self._inside_declaration():
            return
        for library in libraries:
            header = text_of(library)
            if not self._includer.is_guarded(self, header):
                self.include_unit(header, line)

    @cached_property
    def _wanted(self) -> tuple[StandIn, ...]:
        """The libraries of which the file names something."""
        return named_by(self.file.words)

    def include_unit(self, header: SourceFile, line: int) -> None:
        """Includes a header at brace depth 0."""
        included = self._includer.include(self, header)
        if included is None:
            self.problems.report(
                "includes nest too deeply or are too many; this one is left out", line
            )
            return
        self.includes.append(included)
        self.include_lines.append(line)
        self._expander.macros_changed()

    def _splice(self, directive: PreprocessorDirective, header: SourceFile) -> None:
        text = self._includer.splice(self, header)
        self._expander.macros_changed()
        if text is not None and self._output.spend(len(text)):
            self._output.add_line(text, directive.newlines)
            self._output.changed_lines.add(directive.line)
        else:
            self.problems.report(
                "includes nest too deeply or are too big; one is left out", directive.line
            )
            self._output.add_blank(b"\n" + directive.newlines)

    def _header_name(self, directive: PreprocessorDirective) -> tuple[bytes, bool]:
        """The header's name, empty if there is none, and whether it stands in quotes."""
        text = directive.argument
        if text[:1] not in (b"<", b'"'):
            try:
                text = self._expander.join(self._expander.expand(lex(text))).strip()
            except ExpansionBudgetError:
                return b"", False
            self._expander.complaints.clear()
        end = text.find({b"<": b">", b'"': b'"'}.get(text[:1], b"\n"), 1)
        return (text[1:end].strip() if end > 0 else b""), text[:1] == b'"'

    def _inside_declaration(self) -> bool:
        """Whether the text so far ends inside braces or in the middle of a declaration."""
        return self._inside_braces() or self._braces.inside_declaration

    def _inside_braces(self) -> bool:
        pieces = self._output.pieces
        if self._pieces_tracked < len(pieces):
            self._braces.feed(b"".join(pieces[self._pieces_tracked :]))
            self._pieces_tracked = len(pieces)
        return self._braces.depth > 0

    def _ends_with(self) -> bytes:
        """See ``ends_statement``; pieces that were looked at before are not looked at again."""
        pieces = self._output.pieces
        self._last_byte = ends_statement(pieces[self._pieces_seen :]) or self._last_byte
        self._pieces_seen = len(pieces)
        return self._last_byte

    # ---- Pragmas

    def _pragma(self, directive: PreprocessorDirective) -> None:
        text = directive.argument
        output = self._output
        if text == b"once":
            self._includer.mark_once(self.file)
        key = _EXPANDED_PRAGMA.match(text)
        expanded = self._expand_pragma(text) if key else text
        line = directive.line
        self._pragmas.setdefault(line, []).append(expanded)
        attribute = pragma_attribute(expanded, line if self.spliced else None, self.file.name)
        if output.holding or (self.spliced and not attribute):
            output.add_blank(b"\n" + directive.newlines)
            return
        last = self._ends_with()
        if not self.spliced and (last in _STATEMENT_ENDS or (last == b":" and not attribute)):
            kept = kept_line(directive.raw, text, expanded)
            if kept != directive.raw:
                output.changed_lines.add(line)
        else:
            output.changed_lines.add(line)
            kept = directive.raw[: directive.raw.find(b"#")] + attribute
        output.add_line(kept, directive.newlines)

    def _expand_pragma(self, text: bytes) -> bytes:
        tokens = lex(text)
        if self._expander.macros.keys().isdisjoint(tokens):
            return text
        try:
            return self._expander.join(self._expander.expand(tokens)).strip()
        except ExpansionBudgetError:
            return text
        finally:
            self._expander.complaints.clear()


def _missing(included: Sequence[PreprocessedFile]) -> list[bytes]:
    """The headers that files and those they include did not find, without quotes."""
    found: list[bytes] = []
    waiting = list(included)
    seen: set[int] = set()
    while waiting:
        file = waiting.pop()
        if id(file) not in seen:
            seen.add(id(file))
            found += (name[1:-1].encode() for name in file.unresolved_includes)
            waiting += file.includes
    return found


_Handler = Callable[[Unit, PreprocessorDirective], None]
_CONDITIONALS: dict[bytes, _Handler] = {
    b"if": Unit._if,
    b"ifdef": Unit._if,
    b"ifndef": Unit._if,
    b"elif": Unit._elif,
    b"elifdef": Unit._elif,
    b"elifndef": Unit._elif,
    b"else": Unit._elif,
    b"endif": Unit._endif,
}
_HANDLERS: dict[bytes, _Handler] = {
    b"define": Unit._define,
    b"undef": Unit._undef,
    b"include": Unit._include,
    b"include_next": Unit._include,
    b"import": Unit._include,
    b"pragma": Unit._pragma,
    b"error": Unit._error,
}
_WRITES_ITSELF = (Unit._include, Unit._pragma, Unit._error)
