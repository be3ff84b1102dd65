"""The page on security names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
NAMED = re.compile(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`")


def test_every_promise_is_held_by_a_test() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`tests/" in line]
    assert len(rows) >= 20
    for row in rows:
        file = None
        for path, test in NAMED.findall(row.split(" | ")[-1]):
            file = (ROOT / path).read_text(encoding="utf-8") if path else file
            assert file is not None, row
            assert not test or re.search(rf"^(?:async )?def {test}\(", file, re.MULTILINE), test


def test_every_promise_names_one() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    promises = text.split("## Promises")[1].split("## Tries of")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ")]
    told = [row for row in rows if not row.startswith(("| promise", "| ---"))]
    assert all("`tests/" in row for row in told)


def test_tries_are_of_different_kinds() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    tries = text.split("## Tries of")[1].split("## Not promised")[0]
    rows = [line.split(" | ") for line in tries.splitlines() if re.match(r"\| \d", line)]
    assert [row[0] for row in rows] == [f"| {number}" for number in range(1, len(rows) + 1)]
    assert len({row[-1] for row in rows}) == len(rows) >= 40
    assert f"{len(rows)} ways" in tries
