"""What the server says, made harmless where it leaves: the one gate that every message goes by.

Names of kernels, files and GPUs, settings, and words of the model are in messages, titles, hovers
and diagnostics. No client is given a control or direction character in them, nor, where it takes
text for markup that we did not write, what makes a link or an icon. Edits, addresses and what a
client hands back stay as they are: an edit's new text is checked before it is offered.
"""

from __future__ import annotations

from typing import Any, Final

from roofline_lsp.formats.strangers import plain, visible

_EXACT: Final = frozenset(
    {"newText", "uri", "targetUri", "originUri", "oldUri", "newUri", "baseUri", "token", "id"}
)
"""Keys whose values are no words: what an edit writes, addresses, identifiers."""
_HANDED_BACK: Final = frozenset({"data", "arguments", "changes", "capabilities", "registrations"})
"""Keys whose values clients give back, or look things up by."""
_WORDS: Final = frozenset({"message", "title", "label", "description", "detail", "reason"})
"""Keys whose values are shown as they are, in places where clients make links or icons."""


def harmless(message: Any) -> Any:
    """A message, or a part of one, as JSON types; the same where nothing has to change."""
    return _made(message, "")


def _made(value: Any, key: str) -> Any:
    if isinstance(value, str):
        if key in _EXACT:
            return value
        return plain(value) if key in _WORDS else visible(value)
    if key in _HANDED_BACK:
        return value
    if isinstance(value, dict):
        return {name: _made(each, name) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_made(each, key) for each in value]
    return value
