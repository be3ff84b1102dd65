"""Replacement of one invocation's parameters: ``#``, ``##``, ``__VA_OPT__`` and plain uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofline_parsers.preprocess.macros import Element, Macro, Parameter, Paste, VaOpt
from roofline_parsers.preprocess.tokens import SINGLE_TOKEN, merges

PAD = b""
"""A token without text: it keeps its neighbours apart and is an empty operand of ``##``."""


class Painted(bytes):
    """A name met inside its own expansion: it never expands again."""

    __slots__ = ()


class _Gap(bytes):
    """A space that only keeps two tokens from reading as one; ``#`` does not see it."""

    __slots__ = ()


GAP = _Gap(b" ")


def resolve_pads(tokens: Sequence[bytes]) -> list[bytes]:
    """Takes the pads out, leaving a gap where tokens would merge without."""
    kept: list[bytes] = []
    start = 0
    end = len(tokens)
    while start < end:
        try:
            pad = tokens.index(PAD, start)
        except ValueError:
            pad = end
        kept += tokens[start:pad]
        start = pad
        while start < end and not tokens[start]:
            start += 1
        if kept and start < end and merges(kept[-1], tokens[start]):
            kept.append(GAP)
    return kept


class Substitution:
    """The replacement list of one invocation, with the arguments put in."""

    def __init__(
        self,
        macro: Macro,
        args: list[list[bytes]],
        variable_omitted: bool,
        expand: Callable[[list[bytes]], list[bytes]],
    ) -> None:
        """``variable_omitted``: not even an empty argument stands for ``...``."""
        self._variadic_index = len(macro.params or ()) - 1 if macro.variadic else -1
        self._args = args
        self._expanded: list[list[bytes] | None] = [None] * len(args)
        self._variable_omitted = variable_omitted
        self._expand = expand
        self.text_bytes = 0
        """Length of the tokens made by ``#`` and ``##``."""

    def apply(self, elements: Sequence[Element]) -> list[bytes]:
        """The tokens that the elements of the replacement list give, without pads."""
        out: list[bytes] = []
        pasting = False
        after_parameter = False
        for element in elements:
            if isinstance(element, Paste):
                pasting = True
                continue
            separate = after_parameter
            after_parameter = False
            piece: Sequence[bytes]
            if isinstance(element, tuple):
                piece = element
            elif isinstance(element, Parameter) and not (element.raw or element.stringize):
                piece = self._expanded_arg(element.index)
                separate = after_parameter = True
            else:
                piece = self._special_piece(element)
            if pasting:
                pasting = False
                self._paste(out, piece, element)
            else:
                if separate and out and piece and merges(out[-1], piece[0]):
                    out.append(GAP)
                out += piece
        return resolve_pads(out) if PAD in out else out

    def _special_piece(self, element: Parameter | VaOpt) -> list[bytes]:
        if isinstance(element, VaOpt):
            present = any(token.strip() for token in self._expanded_arg(self._variadic_index))
            tokens = self.apply(element.elements) if present else []
            return [_string(tokens)] if element.stringize else [PAD, *tokens, PAD]
        if element.stringize:
            text = _string(self._args[element.index])
            self.text_bytes += len(text)
            return [text]
        return self._args[element.index] or [PAD]

    def _expanded_arg(self, index: int) -> list[bytes]:
        tokens = self._expanded[index]
        if tokens is None:
            tokens = self._expanded[index] = self._expand(self._args[index])
        return tokens

    def _paste(self, out: list[bytes], right: Sequence[bytes], element: Element) -> None:
        """``##`` between the last token so far and the first of those on the right."""
        if (
            isinstance(element, Parameter)
            and element.index == self._variadic_index
            and out
            and out[-1] == b","
        ):
            # GNU's ``, ## __VA_ARGS__``: no pasting, but the comma goes if there is nothing.
            if self._variable_omitted:
                out[-1] = PAD
            else:
                out += right
            return
        right = [token for token in right if token] or [PAD]
        left = out.pop() if out else PAD
        if not left or not right[0]:
            out.append(left or right[0])
        else:
            joined = bytes(left) + right[0]
            self.text_bytes += len(joined)
            out += [joined] if SINGLE_TOKEN.fullmatch(joined) else [left, right[0]]
        out += right[1:]


def _string(tokens: list[bytes]) -> bytes:
    """``#``: blanks become single spaces; quotes and backslashes of literals are escaped."""
    parts: list[bytes] = []
    for token in tokens:
        if token[-1:] in (b'"', b"'") and len(token) > 1:
            parts.append(token.replace(b"\\", b"\\\\").replace(b'"', b'\\"'))
        elif token != b" " or (token is not GAP and parts and parts[-1] != b" "):
            parts.append(token)
    text = b"".join(parts).strip().replace(b"\n", b"\\n")
    return b'"' + text + b'"'
