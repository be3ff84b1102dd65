"""The two things that macro expansion reads tokens from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roofline_parsers.preprocess.tokens import TOKEN

SPACE = b" "
"""The token that stands for any run of blanks and comments."""


class Frames:
    """The tokens still to be read: those of the innermost expansion first."""

    __slots__ = ("disabled", "stack")

    def __init__(self, tokens: Iterable[bytes], disabled: set[bytes]) -> None:
        self.disabled = disabled
        """Names of the macros whose expansions are being read, which may not expand."""
        self.stack: list[tuple[Iterator[bytes], bytes]] = [(iter(tokens), b"")]

    def push(self, tokens: Iterable[bytes], name: bytes = b"") -> None:
        """Puts tokens in front of the others; a macro's name is disabled until they are read."""
        if name:
            self.disabled.add(name)
        self.stack.append((iter(tokens), name))

    def pop(self) -> None:
        """Ends the innermost expansion."""
        self.disabled.discard(self.stack.pop()[1])


class ArgumentSource:
    """The text after an invocation's name."""

    __slots__ = ("_text", "position")

    def __init__(self, text: bytes, position: int) -> None:
        self._text = text
        self.position = position
        """End of the last token that was taken."""

    def take_paren(self) -> bool:
        """Takes an opening parenthesis if one comes next, with the blanks before it."""
        found = TOKEN.match(self._text, self.position)
        if found and found.lastindex == 1:
            found = TOKEN.match(self._text, found.end())
        if not found or found[0] != b"(":
            return False
        self.position = found.end()
        return True

    def tokens(self) -> Iterator[bytes]:
        """The tokens that follow."""
        for found in TOKEN.finditer(self._text, self.position):
            self.position = found.end()
            yield SPACE if found.lastindex == 1 else found[0]
