"""Text of strangers made harmless for where it is shown.

Names, messages and quoted source come from whoever wrote a project, words of a reply from a
language model. A terminal obeys control characters in them, a reader is misled by characters that
turn or hide what follows, and an editor makes links and pictures of what looks like markup.

- ``visible``: control and direction characters are shown instead of obeyed.
- ``plain``: also no link and no icon forms, for messages and titles.
- ``json_visible``: JSON with the same data, whose characters nobody obeys.
- ``cell``, ``github_message``, ``github_property``, ``xml_text``: what the formats of these names
  demand besides.

- ``code_span``: code in Markdown, the one form in which ``formats/pull_request.py`` quotes anybody.

Markdown is else composed in ``formats/markdown.py`` alone, which escapes.
"""

from __future__ import annotations

import html
import re
from typing import Final

_OBEYED: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0001\U000e0020-\U000e007f"
)
"""The categories Cc, Cf, Cs, Zl and Zp of Unicode, without tabs and newlines."""
_CONTROL: Final = re.compile(f"(?!\r\n)[{_OBEYED}]")
_IN_JSON: Final = re.compile(f"[{_OBEYED}]")
_BAR: Final = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_FORMULA: Final = re.compile(r"(?:^|[;|]\s*)(?=[-=+@\uff0b\uff0d\uff1d\uff20])")
"""Before what begins a formula, also in the wide forms that Japanese spreadsheets take."""
_MARKUP: Final = re.compile(r"\](?=[(\[])|\$(?=\()")


def visible(text: str) -> str:
    r"""Text with control and direction characters shown: ``\x1b``, ``<U+202E>``.

    Tabs and ends of lines stay.
    """
    return text if text.isascii() and text.isprintable() else _CONTROL.sub(_shown, text)


def plain(text: str) -> str:
    """The same, in which no link (``[text](command:...)``) and no icon (``$(name)``) forms."""
    return _MARKUP.sub(r"\g<0> ", visible(text))


def json_visible(text: str) -> str:
    """A JSON document with the same data, control and direction characters escaped as JSON does."""
    return text if text.isascii() and "\x7f" not in text else _IN_JSON.sub(_escaped, text)


def _shown(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"<U+{number:04X}>"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    if found[0] in "\r\n\t":
        return found[0]
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def cell(text: str) -> str:
    """Text for a cell of a spreadsheet, which takes it for no formula.

    Nor any part of it: some languages' spreadsheets end cells at semicolons or bars.
    """
    return _FORMULA.sub(r"\g<0>'", " ".join(visible(text).split()))


def github_message(text: str) -> str:
    """Text as the message of a command of GitHub Actions, which it cannot end or add to."""
    escaped = visible(text).replace("%", "%25")
    return escaped.replace("\r", "%0D").replace("\n", "%0A")


def github_property(text: str) -> str:
    """Text as the value of a property of such a command."""
    return github_message(text).replace(":", "%3A").replace(",", "%2C")


def xml_text(text: str) -> str:
    """Text within an XML or HTML document, in an element or a quoted attribute."""
    return html.escape(visible(text), quote=True)


def code_span(text: str, *, in_table: bool = False) -> str:
    """Text as code in Markdown, in which nothing else forms; empty text stays empty."""
    shown = " ".join(visible(text).split())
    if not shown:
        return ""
    if in_table:  # split at bars before code is looked for
        shown = _BAR.sub(r"\1\\|", shown)
    if "`" not in shown:
        return f"`{shown}`"
    fence = "`" * (1 + max(len(ticks) for ticks in re.findall("`+", shown)))
    return f"{fence} {shown} {fence}"
