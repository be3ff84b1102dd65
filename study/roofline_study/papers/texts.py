"""The constant texts of questions, in the folder ``text``."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def constant_text(name: str) -> str:
    """A text by its file name without ``.md``."""
    path = resources.files("roofline_study.papers") / "text" / f"{name}.md"
    return path.read_text(encoding="utf-8").strip()


def paragraphs(*texts: str) -> str:
    """Texts with a blank line between them."""
    return "\n\n".join(texts)
