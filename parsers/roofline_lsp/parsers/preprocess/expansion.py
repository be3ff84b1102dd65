"""Macro expansion over tokens.

The algorithm is the one of GNU cpp: a stack of tokens to read, on which an expansion is pushed
above a marker that, once reached, lets its macro expand again. A name met while its macro may not
expand is painted, for good.
"""

from __future__ import annotations

from collections.abc import Sequence

from roofline_lsp.parsers.preprocess.macros import Macro
from roofline_lsp.parsers.preprocess.substitution import PAD, Painted, Substitution
from roofline_lsp.parsers.preprocess.tokens import TOKEN, merges

_MAX_DEPTH = 48
"""Levels of invocations inside arguments; three Python frames each."""
_SPACE = b" "


class UnterminatedInvocationError(Exception):
    """The text ends inside a macro's argument list."""


class ExpansionBudgetError(Exception):
    """Expansion costs more than any real file needs."""


class _End:
    """Marks the end of an expansion on the stack."""

    __slots__ = ("name",)

    def __init__(self, name: bytes) -> None:
        self.name = name


_Stack = list[bytes | _End]


class _Source:
    """The text after an invocation's name, read a token at a time."""

    __slots__ = ("_text", "_tokens", "position")

    def __init__(self, text: bytes, position: int) -> None:
        self._text = text
        self._tokens = TOKEN.finditer(text, position)
        self.position = position
        """End of the last token that was taken."""

    def take_paren(self) -> bool:
        """Takes an opening parenthesis if one comes next, with the blanks before it."""
        position = self.position
        found = TOKEN.match(self._text, position)
        if found and found.lastindex == 1:
            found = TOKEN.match(self._text, found.end())
        if not found or found[0] != b"(":
            return False
        self.position = found.end()
        self._tokens = TOKEN.finditer(self._text, self.position)
        return True

    def take(self) -> bytes | None:
        """The next token; None at the end of the text."""
        found = next(self._tokens, None)
        if found is None:
            return None
        self.position = found.end()
        return _SPACE if found.lastindex == 1 else found[0]


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

    def macros_changed(self) -> None:
        """To be called when a macro was defined or undefined."""
        if self._object_texts:
            self._object_texts = {}

    def object_text(self, name: bytes) -> bytes | None:
        """The expansion of an object-like macro if it is the same wherever the name stands."""
        if name not in self._object_texts:
            self._object_texts[name] = self._find_object_text(name)
        return self._object_texts[name]

    def _find_object_text(self, name: bytes) -> bytes | None:
        if self.macros[name].params is not None:
            return None
        self._context_free = True
        text = self.join(self.expand([name]))
        return text if self._context_free else None

    def expand_at(self, text: bytes, start: int, end: int) -> tuple[bytes, int] | None:
        """Expands the macro whose name is ``text[start:end]``.

        Gives the expansion and where the text goes on after the invocation; None if this is no
        invocation.
        """
        name = text[start:end]
        source = _Source(text, end)
        out: list[bytes] = []
        self._disabled.clear()
        self._depth = 0
        self._run([name], source, out)
        if out == [name]:
            return None
        return self.join(out), source.position

    def expand(self, tokens: list[bytes]) -> list[bytes]:
        """Fully expands tokens that stand alone, such as a directive's."""
        self._disabled.clear()
        self._depth = 0
        return self._expand_nested(tokens)

    def join(self, tokens: Sequence[bytes]) -> bytes:
        """The text of tokens, on one line, with a space where two would read as one."""
        self._spend(sum(map(len, tokens)) >> 2)
        if PAD in tokens:
            tokens = _resolve_pads(tokens)
        return b"".join(tokens).replace(b"\n", _SPACE)

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
        self._run([*reversed(tokens)], None, out)
        self._depth -= 1
        return out

    def _run(self, stack: _Stack, source: _Source | None, out: list[bytes]) -> None:
        """Moves tokens from the stack to ``out``, expanding them on the way."""
        find = self.macros.get
        while stack:
            token = stack.pop()
            if isinstance(token, _End):
                self._disabled.discard(token.name)
                out.append(PAD)
                continue
            macro = find(token)
            if macro is None or token.__class__ is Painted:
                out.append(token)
            elif token in self._disabled:
                out.append(Painted(token))
            elif not self._push_expansion(macro, stack, source, out):
                out.append(token)

    def _push_expansion(
        self, macro: Macro, stack: _Stack, source: _Source | None, out: list[bytes]
    ) -> bool:
        """Replaces an invocation, whose name was just read, on the stack; False if it is none."""
        args: list[list[bytes]] = []
        omitted = False
        if macro.params is not None:
            collected = self._collect(macro, stack, source)
            if collected is None:
                return False
            args, omitted = collected
        body: Sequence[bytes] | None = macro.reversed_tokens
        if macro.dynamic:
            body = (self._dynamic_token(macro.name),)
        elif body is None:
            substitution = Substitution(macro, args, omitted, self._expand_nested)
            body = substitution.apply(macro.elements)
            body.reverse()
            self._spend(substitution.text_bytes)
        self._spend(len(body) + 1)
        out.append(PAD)
        if self.macros.keys().isdisjoint(body):
            out += reversed(body)
            out.append(PAD)
            return True
        self._disabled.add(macro.name)
        stack.append(_End(macro.name))
        stack += body
        return True

    def _dynamic_token(self, name: bytes) -> bytes:
        self._context_free = False
        if name == b"__LINE__":
            return b"%d" % self.line
        if name == b"__FILE__":
            return b'"' + self._file_name + b'"'
        self._counter += 1
        return b"%d" % (self._counter - 1)

    def _open_paren(self, stack: _Stack, source: _Source | None) -> bool:
        """Takes the parenthesis after a function-like macro's name, if one comes next."""
        skipped: list[bytes] = []
        while stack:
            token = stack.pop()
            if isinstance(token, _End):
                self._disabled.discard(token.name)
                skipped.append(PAD)
            elif token == b"(":
                return True
            else:
                skipped.append(token)
                if token and token != _SPACE:
                    break
        else:
            self._context_free = False
            if source is not None and source.take_paren():
                return True
        stack += reversed(skipped)
        return False

    def _collect(
        self, macro: Macro, stack: _Stack, source: _Source | None
    ) -> tuple[list[list[bytes]], bool] | None:
        """An invocation's arguments, and whether the variable ones were left out altogether.

        None, with the stack as it was but for its markers, if this is no valid invocation.
        """
        if not self._open_paren(stack, source):
            return None
        taken = [b"("]
        args = self._read_args(macro, stack, source, taken)
        self._spend(len(taken))
        fault = None if args is None else _count_fault(macro, args)
        if args is None or fault:
            if fault:
                self.complaints.append(fault)
            stack += reversed(taken)
            return None
        params = macro.params or ()
        omitted = len(args) < len(params) or (macro.variadic and len(params) == 1 and not args[0])
        while len(args) < len(params):
            args.append([])
        return args, omitted

    def _read_args(
        self, macro: Macro, stack: _Stack, source: _Source | None, taken: list[bytes]
    ) -> list[list[bytes]] | None:
        """Reads to the closing parenthesis; None if the stack ends first."""
        last = len(macro.params or ()) - 1 if macro.variadic else -1
        args: list[list[bytes]] = []
        arg: list[bytes] = []
        depth = 0
        while True:
            token = stack.pop() if stack else (source.take() if source else None)
            if isinstance(token, _End):
                self._disabled.discard(token.name)
                token = PAD
            elif token is None:
                if source is not None:
                    self._spend(len(taken))
                    raise UnterminatedInvocationError
                return None
            elif token in self._disabled:
                token = Painted(token)
            taken.append(token)
            if token == b"(":
                depth += 1
            elif token == b")":
                if not depth:
                    args.append(_trim(arg))
                    return args
                depth -= 1
            elif token == b"," and not depth and len(args) != last:
                args.append(_trim(arg))
                arg = []
                continue
            arg.append(token)


def _resolve_pads(tokens: Sequence[bytes]) -> list[bytes]:
    """Takes the pads out, leaving a space where tokens would merge without."""
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
            kept.append(_SPACE)
    return kept


def _trim(arg: list[bytes]) -> list[bytes]:
    """Takes blanks off both ends."""
    start, end = 0, len(arg)
    while start < end and arg[start] in (_SPACE, PAD):
        start += 1
    while start < end and arg[end - 1] in (_SPACE, PAD):
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
