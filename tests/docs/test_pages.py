"""The scripts of the documentation: links, commands that are run, and the reference."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from roofline_core.settings import setting_names
from roofline_lsp.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILD, PAGES, REFERENCE = script("build"), script("pages"), script("reference")


def test_no_link_of_a_page_is_broken() -> None:
    pages = BUILD.tracked()
    assert len(pages) > 50
    assert [each for page in pages for each in BUILD.broken(page)] == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[a](b.md)", ["a.md:1: there is no 'b.md'"]),
        ("[a](other.md#two-words-1)", ["a.md:1: 'other.md' has no heading '#two-words-1'"]),
        ("\n[a](#no)", ["a.md:2: 'a.md' has no heading '#no'"]),
        ('<img src="no.png">', ["a.md:1: there is no 'no.png'"]),
        ("[a](other.md#two-words) [b](https://example.org/x) `[c](d.md)`", []),
        ("```\n[a](b.md)\n```\n", []),
    ],
)
def test_broken_links_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, wrong: list[str]
) -> None:
    monkeypatch.setattr(BUILD, "ROOT", tmp_path)
    (tmp_path / "other.md").write_text("# Two `words`\n```\n# no heading\n```\n")
    (tmp_path / "a.md").write_text(text)
    BUILD.anchors.cache_clear()
    assert list(BUILD.broken(tmp_path / "a.md")) == wrong


def test_the_reference_is_what_the_code_gives() -> None:
    wanted = REFERENCE.pages()
    for name, text in wanted.items():
        assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == text
    for key in setting_names("kebab"):
        assert f"\n## `{key}`\n" in wanted["settings.md"]
    for command in COMMANDS:
        assert f"\n## `{command}`\n" in wanted["cli.md"]
    assert "| `roofline/report` |" in wanted["lsp.md"]
    assert "| `settings_profile` |" in wanted["json.md"]


PAGE = """\
<!-- file: a/b.txt -->

```text
one
```

```console
$ cat a/b.txt
one
$ printf '1\\n2\\n3\\n'
1
...
3
$ cat no-file 2> /dev/null
```
"""


def test_commands_are_run_and_what_they_print_is_held_against_the_page(tmp_path: Path) -> None:
    assert PAGES.rerun(PAGE, tmp_path) == PAGE
    stale = PAGE.replace("$ cat a/b.txt\none\n", "$ cat a/b.txt\ntwo\n")
    assert PAGES.rerun(stale, tmp_path) == PAGE
    other = PAGE.replace("...\n3", "...\n4")
    assert PAGES.rerun(other, tmp_path) == PAGE.replace("...\n3", "2\n3")
