"""Check the links of all pages, and build the documentation site, both without a network.

The site has the repository's Markdown files where they stand, so that their links are the same in
both; ``build/docs/site/index.html`` is its first page. ``--links`` only checks links.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "build" / "docs" / "source"
_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HTML = re.compile(r"\b(?:href|src|srcset)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
_ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def tracked() -> list[Path]:
    """The Markdown files that belong to the project."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    names = (name for name in listed.decode().split("\0") if name)
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def links(page: Path) -> Iterator[tuple[int, str]]:
    """The links of a page with their lines, but those to elsewhere and those in code."""
    text = _blank(_CODE, _blank(_FENCE, page.read_text(encoding="utf-8")))
    for pattern in (_LINK, _HTML):
        for found in pattern.finditer(text):
            if not _ELSEWHERE.match(found[1]):
                yield text.count("\n", 0, found.start()) + 1, unquote(found[1])


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The places in a page that links may name, as hosts of repositories name headings."""
    text = page.read_text(encoding="utf-8")
    found: dict[str, int] = {}
    names = set(_ANCHOR.findall(text))
    for heading in _HEADING.findall(_blank(_FENCE, text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        names.add(f"{slug}-{count}" if count else slug)
    return frozenset(names)


def broken(page: Path) -> Iterator[str]:
    """What is wrong with the links of a page, one sentence each."""
    for line, link in links(page):
        path, _, place = link.partition("#")
        where = f"{page.relative_to(ROOT)}:{line}"
        target = page if not path else (page.parent / path).resolve()
        if not target.exists():
            yield f"{where}: there is no '{path}'"
        elif place and target.suffix == ".md" and place not in anchors(target):
            yield f"{where}: '{path or page.name}' has no heading '#{place}'"


def gather(pages: list[Path]) -> None:
    """Copy the pages, and the files that they link to, to where the site is built from."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    wanted = set(pages)
    for page in pages:
        for _, link in links(page):
            path = link.partition("#")[0]
            target = (page.parent / path).resolve() if path else page
            if target.is_file() and target.is_relative_to(ROOT):
                wanted.add(target)
    for file in wanted:
        copy = SOURCE / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    for page in pages:
        _to_files(SOURCE / page.relative_to(ROOT), page)


def _to_files(copy: Path, page: Path) -> None:
    """Links to folders become links to their README; other folders are named, not linked."""

    def replaced(found: re.Match[str]) -> str:
        """The link to a folder's README; without an address where it has none."""
        target = (page.parent / found[1].partition("#")[0]).resolve()
        if _ELSEWHERE.match(found[1]) or not target.is_dir():
            return found[0]
        inside = f"{found[1].rstrip('/')}/README.md"
        return f"]({inside})" if (target / "README.md").exists() else "]()"

    text = copy.read_text(encoding="utf-8")
    copy.write_text(_LINK.sub(replaced, text), encoding="utf-8")


def main() -> int:
    """Check, and build unless only links are asked for; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", action="store_true", help="check links alone")
    options = parser.parse_args()
    pages = tracked()
    wrong = [each for page in pages for each in broken(page)]
    for each in wrong:
        print(each, file=sys.stderr)
    if wrong or options.links:
        return 1 if wrong else 0
    gather(pages)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    made = subprocess.run(
        [*command, "-f", "docs/mkdocs.yml"], cwd=ROOT, env=environment, check=False
    )
    return made.returncode


if __name__ == "__main__":
    sys.exit(main())
