"""Replacement of one invocation's parameters: ``#``, ``##``, ``__VA_OPT__`` and plain uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofline_lsp.parsers.preprocess.macros import Element, Macro, Parameter, Paste, VaOpt
from roofline_lsp.parsers.preprocess.tokens import SINGLE_TOKEN, merges

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
        for element in elements:
            if element.__class__ is tuple:
                if pasting:
                    self._paste(out, element)  # type: ignore[arg-type]
                    pasting = False
                else:
                    out += element  # type: ignore[arg-type]
            elif isinstance(element, Paste):
                pasting = True
            elif not pasting:
                out += self._piece(element)  # type: ignore[arg-type]
            else:
                pasting = False
                if not self._is_variable_after_comma(element, out):
                    self._paste(out, self._piece(element))  # type: ignore[arg-type]
                elif self._variable_omitted:
                    out[-1] = PAD
                else:
                    out += self._piece(element)  # type: ignore[arg-type]
        return resolve_pads(out) if PAD in out else out
