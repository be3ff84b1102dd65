"""Contracts in source: comments above a kernel or in it, ``// roofline: expect BB on A100``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.api.formula import ContractError
from roofline_analysis.api.stated_sizes import SIZES
from roofline_analysis.report.report import KernelReport
from roofline_analysis.rules.source_text import SourceText
from roofline_core.program.records import record
from roofline_core.settings import nearest
from roofline_lsp.ratchet.contracts.statements import KINDS, Assume, Statement, read_statement

MARK: Final = b"roofline:"
_MARKED: Final = re.compile(
    rb"(?://|/\*)[ \t]*roofline:[ \t]*(?P<words>[A-Za-z_-]+\b.*)", re.DOTALL
)
_OTHER_WORD: Final = re.compile(r"[\w-]+\s*(?:=|\[)|ignore\b")
"""What begins comments of other kinds: suppressions, and numbers by name."""
_FARTHEST: Final = 20
"""The most lines between a comment and its kernel's: template parameters, attributes."""


@record(frozen=True, slots=True)
class Contract:
    """A statement, where it stands, and for which kernel."""

    statement: Statement
    text: str
    kernel: KernelReport
    path: Path
    line: int | None
    """None for one of the settings."""


@record(frozen=True, slots=True)
class ContractFault:
    """A contract that is not understood, or is nobody's."""

    text: str
    message: str
    path: Path
    line: int | None


@record(frozen=True, slots=True)
class _Comment:
    """A statement in a comment, before it is understood."""

    text: str
    line: int
    code_line: int
    """Its own line if code stands there, else the next one with code."""


def contracts_of(
    path: Path, text: bytes, kernels: Sequence[KernelReport]
) -> tuple[list[Contract], list[ContractFault]]:
    """The contracts of a file's kernels, in order, and what is wrong with others."""
    contracts: list[Contract] = []
    faults: list[ContractFault] = []
    if MARK not in text:
        return contracts, faults
    source = SourceText(path, text)
    for comment in _comments(source):
        try:
            statement = read_statement(comment.text)
        except ContractError as error:
            faults.append(ContractFault(comment.text, str(error), path, comment.line))
            continue
        kernel = _kernel(comment, kernels, source)
        if kernel is None and isinstance(statement, Assume):
            continue  # of a launch, or nobody's, which the analysis tells
        if kernel is None:
            message = "stands at no kernel; put it on the line above one, or into its body"
            faults.append(ContractFault(comment.text, message, path, comment.line))
        else:
            contracts.append(Contract(statement, comment.text, kernel, path, comment.line))
    return contracts, faults


def statements_in(path: Path, text: bytes) -> Iterator[Statement]:
    """All that is understood of a file's contracts, whichever kernels they are for."""
    if MARK in text:
        for comment in _comments(SourceText(path, text)):
            try:
                yield read_statement(comment.text)
            except ContractError:
                continue


def _comments(source: SourceText) -> Iterator[_Comment]:
    for begin, end in source.comments:
        found = _MARKED.match(source.text, begin, end)
        if found is None:
            continue
        words = found["words"].decode("utf-8", "replace").removesuffix("*/")
        line = source.span(begin, begin).line
        start, stop = source.bounds(line)
        alone = not source.code[start:stop].strip()
        code_line = _next_code(source, line) if alone else line
        for text in (" ".join(part.split()) for part in words.split(";")):
            if text and _is_contract(text):
                yield _Comment(text, line, code_line)
            elif SIZES.match(text) and _is_understood(f"assume {text}"):
                yield _Comment(f"assume {text}", line, code_line)


def _is_understood(text: str) -> bool:
    """Whether sizes are well written; the analysis tells what is wrong with others."""
    try:
        read_statement(text)
    except ContractError:
        return False
    return True


def _is_contract(text: str) -> bool:
    """Whether a comment is meant as one: it begins with the word, or with one much like it."""
    word = text.partition(" ")[0]
    if word in KINDS:
        return True
    return _OTHER_WORD.match(text) is None and nearest(word, KINDS) is not None


def _next_code(source: SourceText, line: int) -> int:
    for number in range(line + 1, source.text.count(b"\n") + 2):
        start, end = source.bounds(number)
        if source.code[start:end].strip():
            return number
    return line


def _kernel(
    comment: _Comment, kernels: Sequence[KernelReport], source: SourceText
) -> KernelReport | None:
    for kernel in kernels:
        if kernel.span.line <= comment.code_line <= kernel.span.end_line:
            return kernel
    following = (each for each in kernels if each.span.line > comment.code_line)
    first = min(following, key=lambda each: each.span.line, default=None)
    if first is None or first.span.line - comment.code_line > _FARTHEST:
        return None
    start, _ = source.bounds(comment.code_line)
    end, _ = source.bounds(first.span.line)
    between = source.code[start:end]
    return None if b";" in between or b"}" in between else first
