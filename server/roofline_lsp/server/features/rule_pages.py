"""Where a person reads on about a rule: its page, as a file that an editor can open."""

from __future__ import annotations

import logging
import os
from functools import cache
from pathlib import Path

from roofline_lsp.reports.rules import rule_page
from roofline_lsp.reports.tool import tool_version
from roofline_lsp.rules import RULES

logger = logging.getLogger(__name__)

_CHECKOUT = Path(__file__).parents[4] / "docs" / "rules"
"""The pages of a checkout."""


@cache
def page_uri(code: str) -> str | None:
    """The URI of a rule's page; None if it can be neither found nor written.

    An installed package has no docs folder, so the page is written to the user's cache.
    """
    shipped = _CHECKOUT / f"{code}.md"
    if shipped.is_file():
        return shipped.as_uri()
    rule = RULES.get(code)
    if rule is None:
        return None
    page = cache_folder() / f"{code}.md"
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(rule_page(rule), encoding="utf-8")
    except OSError as error:
        logger.info("no page for %s: %s", code, error)
        return None
    return page.as_uri()


def cache_folder() -> Path:
    """Where pages are written: below ``XDG_CACHE_HOME`` or ``~/.cache``, by version."""
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path.home() / ".cache"
    return root / "roofline-lsp" / tool_version() / "rules"
