"""Macro expansion over tokens.

The algorithm is that of GNU cpp: expansions are read from a stack of frames; a macro whose frame
has not been read to its end does not expand, and its name, if met meanwhile, is painted for good.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from roofline_parsers.preprocess.frames import SPACE, ArgumentSource, Frames
from roofline_parsers.preprocess.macros import Macro
from roofline_parsers.preprocess.substitution import PAD, Painted, Substitution, resolve_pads

_MAX_DEPTH = 48
"""Levels of invocations inside arguments; some five Python frames each."""
_SIMPLE_ARGUMENTS = re.compile(
    rb"""\([^()"'/\n]*(?:\([^()"'/\n]*(?:\([^()"'/\n]*\)[^()"'/\n]*)*\)[^()"'/\n]*)*\)"""
)
_PUNCTUATION = frozenset([b"(", b")", b","])


class UnterminatedInvocationError(Exception):
    """The text ends inside a macro's argument list."""


class ExpansionBudgetError(Exception):
    """Expansion costs more than any real file needs."""


class Expander:
    """Expands macros of one file. ``macros`` is read live."""

    def __init__(self, macros: dict[bytes, Macro], file_name: bytes, max_tokens: int) -> None:
        self.macros = macros
        self.line = 0
        """The value of ``__LINE__``."""
        self.tokens_left = max_tokens
        self.complaints: list[str] = []
        """Faults met since the caller last looked."""
        self._file_name = file_name
        self._counter = 0
        self._disabled: set[bytes] = set()
        self._depth = 0
        self._context_free = True
        self._object_texts: dict[bytes, bytes | None] = {}
        self._invocations: dict[bytes, bytes] = {}

    def macros_changed(self) -> None:
        """To be called when a macro was defined or undefined."""
        if self._object_texts:
            self._object_texts = {}
        if self._invocations:
            self._invocations = {}

    def object_text(self, name: bytes) -> bytes | None:
        """The expansion of an object-like macro if it is the same wherever the name stands."""
        if name not in self._object_texts:
            self._object_texts[name] = self._find_object_text(name)
        return self._object_texts[name]

    def _find_object_text(self, name: bytes) -> bytes | None:
        macro = self.macros[name]
        if macro.params is not None:
            return None
        plain = None if macro.dynamic else macro.plain_tokens
        if plain is not None and self.macros.keys().isdisjoint(plain):
            return self.join(plain)
        self._context_free = True
        counter = self._counter
        text = self.join(self.expand([name]))
        if self._context_free:
            return text
        self._counter = counter
        return None

    def expand_at(self, text: bytes, start: int, end: int) -> tuple[bytes, int] | None:
        """Expands the macro whose name is ``text[start:end]``.

        Gives the expansion and where the text goes on after the invocation; None if this is no
        invocation.
        """
        simple = _SIMPLE_ARGUMENTS.match(text, end)
        invocation = text[start : simple.end()] if simple else b""
        known = self._invocations.get(invocation)
        if known is not None:
            return known, start + len(invocation)
        name = text[start:end]
        source = ArgumentSource(text, end)
        self._context_free = True
        out: list[bytes] = []
        self._disabled.clear()
        self._depth = 0
        self._run(Frames([name], self._disabled), source, out)
        if source.position == end and out and out[0] == name:
            return None
        expansion = self.join(out)
        if self._context_free and source.position == start + len(invocation):
            self._invocations[invocation] = expansion
        return expansion, source.position

    def expand(self, tokens: list[bytes]) -> list[bytes]:
        """Fully expands tokens that stand alone, such as a directive's."""
        self._disabled.clear()
        self._depth = 0
        return self._expand_nested(tokens)

    def join(self, tokens: Sequence[bytes]) -> bytes:
        """The text of tokens, on one line, with a space where two would read as one."""
        self._spend(sum(map(len, tokens)) >> 2)
        if PAD in tokens:
            tokens = resolve_pads(tokens)
        return b"".join(tokens).replace(b"\n", SPACE)

    def _spend(self, tokens: int) -> None:
        self.tokens_left -= tokens
        if self.tokens_left < 0:
            raise ExpansionBudgetError

    def _expand_nested(self, tokens: list[bytes]) -> list[bytes]:
        if self.macros.keys().isdisjoint(tokens):
            return tokens
        if self._depth >= _MAX_DEPTH:
            self.complaints.append(f"macro invocations nest deeper than {_MAX_DEPTH} levels")
            return tokens
        self._depth += 1
        out: list[bytes] = []
        self._run(Frames(tokens, self._disabled), None, out)
        self._depth -= 1
        return resolve_pads(out)

    def _run(self, frames: Frames, source: ArgumentSource | None, out: list[bytes]) -> None:
        """Moves tokens from the frames to ``out``, expanding them on the way."""
        macros = self.macros
        stack = frames.stack
        append = out.append
        while stack:
            for token in stack[-1][0]:
                if token in macros:
                    break
                append(token)
            else:
                frames.pop()
                append(PAD)
                continue
            if token.__class__ is Painted:
                append(token)
            elif token in frames.disabled:
                append(Painted(token))
            elif not self._push_expansion(macros[token], frames, source, out):
                append(token)

    def _push_expansion(
        self, macro: Macro, frames: Frames, source: ArgumentSource | None, out: list[bytes]
    ) -> bool:
        """Replaces an invocation, whose name was just read; False if it is none."""
        args: list[list[bytes]] = []
        omitted = False
        if macro.params is not None:
            collected = self._collect(macro, frames, source)
            if collected is None:
                return False
            args, omitted = collected
        body: Sequence[bytes] | None = macro.plain_tokens
        if macro.dynamic:
            body = (self._dynamic_token(macro.name),)
        elif body is None:
            substitution = Substitution(macro, args, omitted, self._expand_nested)
            body = substitution.apply(macro.elements)
            self._spend(substitution.text_bytes)
        self._spend(len(body) + 1)
        out.append(PAD)
        if self.macros.keys().isdisjoint(body):
            out += body
            out.append(PAD)
        else:
            frames.push(body, macro.name)
        return True

    def _dynamic_token(self, name: bytes) -> bytes:
        self._context_free = False
        if name == b"__LINE__":
            return b"%d" % self.line
        if name == b"__FILE__":
            return b'"' + self._file_name + b'"'
        self._counter += 1
        return b"%d" % (self._counter - 1)

    def _open_paren(self, frames: Frames, source: ArgumentSource | None) -> bool:
        """Takes the parenthesis after a function-like macro's name, if one comes next."""
        skipped: list[bytes] = []
        stack = frames.stack
        while stack:
            token = next(stack[-1][0], None)
            if token is None:
                frames.pop()
                skipped.append(PAD)
            elif token == b"(":
                return True
            else:
                skipped.append(token)
                if token and token != SPACE:
                    break
        else:
            if source is not None and source.take_paren():
                return True
            self._context_free = False
        frames.push(skipped)
        return False

    def _collect(
        self, macro: Macro, frames: Frames, source: ArgumentSource | None
    ) -> tuple[list[list[bytes]], bool] | None:
        """An invocation's arguments, and whether the variable ones were left out altogether.

        None, with the tokens that were read put back, if this is no valid invocation.
        """
        if not self._open_paren(frames, source):
            return None
        taken = [b"("]
        commas = self._read_to_paren(frames, source, taken)
        self._spend(len(taken))
        args = None if commas is None else _split(taken, commas, macro)
        fault = None if args is None else _count_fault(macro, args)
        if args is None or fault:
            if fault:
                self.complaints.append(fault)
                self._context_free = False
            frames.push(taken)
            return None
        params = macro.params or ()
        omitted = len(args) < len(params) or (macro.variadic and len(params) == 1 and not args[0])
        while len(args) < len(params):
            args.append([])
        return args, omitted

    def _read_to_paren(
        self, frames: Frames, source: ArgumentSource | None, taken: list[bytes]
    ) -> list[int] | None:
        """Reads on to the closing parenthesis.

        Gives the indices in ``taken`` of the commas between arguments; None if the tokens end.
        """
        disabled = frames.disabled
        stack = frames.stack
        commas: list[int] = []
        depth = 0
        while True:
            tokens = stack[-1][0] if stack else source.tokens() if source else iter(())
            for token in tokens:
                if token in _PUNCTUATION:
                    if token == b"(":
                        depth += 1
                    elif token == b",":
                        if not depth:
                            commas.append(len(taken))
                    elif depth:
                        depth -= 1
                    else:
                        taken.append(token)
                        return commas
                elif token in disabled:
                    token = Painted(token)  # noqa: PLW2901
                taken.append(token)
            if stack:
                frames.pop()
                taken.append(PAD)
            elif source is None:
                self._context_free = False
                return None
            else:
                self._spend(len(taken))
                raise UnterminatedInvocationError


def _split(taken: list[bytes], commas: list[int], macro: Macro) -> list[list[bytes]]:
    """The arguments between the parentheses that ``taken`` begins and ends with."""
    if macro.variadic:
        commas = commas[: len(macro.params or ()) - 1]
    bounds = [0, *commas, len(taken) - 1]
    return [_trim(taken[start + 1 : end]) for start, end in pairwise(bounds)]


def _trim(arg: list[bytes]) -> list[bytes]:
    """Takes blanks off both ends."""
    start, end = 0, len(arg)
    while start < end and arg[start] in (SPACE, PAD):
        start += 1
    while start < end and arg[end - 1] in (SPACE, PAD):
        end -= 1
    return arg[start:end]


def _count_fault(macro: Macro, args: list[list[bytes]]) -> str | None:
    """What is wrong with the number of arguments, if anything."""
    count = len(macro.params or ())
    given = 0 if count == 0 and args == [[]] else len(args)
    if given == count or (macro.variadic and given == count - 1):
        return None
    name = macro.name.decode("utf-8", "replace")
    return f"macro {name!r} takes {count} arguments, not {given}"
