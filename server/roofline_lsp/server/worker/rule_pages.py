"""A rule's documentation page, as a file that an editor can open.

A checkout has the pages in docs/rules. Of an installed package the worker, which has the catalogue
loaded, writes those of the rules that found something to the user's cache.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path

from roofline_lsp.formats.tool import tool_version

logger = logging.getLogger(__name__)

_CHECKOUT = Path(__file__).parents[4] / "docs" / "rules"


def page_uri(code: str) -> str | None:
    """The URI of a rule's page; None where there is none."""
    for folder in (_CHECKOUT, cache_folder()):
        page = folder / f"{code}.md"
        if page.is_file():
            return page.as_uri()
    return None


def write_pages(codes: Iterable[str]) -> None:
    """Write missing pages; a failure is logged and ends the writing."""
    for code in codes:
        page = cache_folder() / f"{code}.md"
        if (_CHECKOUT / page.name).is_file() or page.is_file():
            continue
        from roofline_analysis.rules import RULES  # noqa: PLC0415
        from roofline_lsp.formats.rules import rule_page  # noqa: PLC0415 - for the worker alone

        if code not in RULES:
            continue
        try:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(rule_page(RULES[code]), encoding="utf-8")
        except OSError as error:
            logger.info("no page for %s: %s", code, error)
            return


def cache_folder() -> Path:
    """Where pages are written: below ``XDG_CACHE_HOME`` or ``~/.cache``, by version."""
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path.home() / ".cache"
    return root / "roofline-lsp" / tool_version() / "rules"
