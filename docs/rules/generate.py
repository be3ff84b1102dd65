"""Write docs/rules from the catalogue, or, with ``--check``, tell what is not as it would be."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from roofline_analysis.rules import RULES
from roofline_lsp.formats.rules import index_page, rule_page

HERE = Path(__file__).parent


def pages() -> dict[str, str]:
    """Each page's text by its file name."""
    made = {f"{rule.code}.md": rule_page(rule) for rule in RULES.values()}
    made["README.md"] = index_page(RULES.values())
    return made


def main() -> int:
    """Write or compare; 1 if a page differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    wanted = pages()
    present = {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("*.md")}
    wrong = sorted(n for n in {*wanted, *present} if wanted.get(n) != present.get(n))
    if check:
        for name in wrong:
            print(f"docs/rules/{name} is not what docs/rules/generate.py writes", file=sys.stderr)
        return 1 if wrong else 0
    for name in wrong:
        if name in wanted:
            (HERE / name).write_text(wanted[name], encoding="utf-8")
        else:
            (HERE / name).unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
