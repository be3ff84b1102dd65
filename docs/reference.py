"""Write docs/reference from the code, or, with ``--check``, tell what is not as it would be."""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from roofline_core.settings.documented import SettingText, advisor_told, settings_told
from roofline_lsp.cli.main import EXIT_CODES
from roofline_lsp.cli.parsers import CommandTold, commands_told
from roofline_lsp.formats.json import SCHEMA_VERSION, schema_text

ROOT = Path(__file__).parents[1]
HERE = ROOT / "docs" / "reference"
SERVER = ROOT / "server" / "roofline_lsp" / "server"
_MADE = "<!-- Written by docs/reference.py from the code: change that. -->\n"


def pages() -> dict[str, str]:
    """Each page's text by its file name."""
    return {
        "settings.md": "".join(_settings()),
        "cli.md": "".join(_commands()),
        "json.md": "".join(_json(json.loads(schema_text()))),
        "lsp.md": "".join(_protocol()),
    }


# ---- Settings


def _settings() -> Iterator[str]:
    yield f"# Settings\n\n{_MADE}\n"
    yield "Of `roofline.toml`, of `[tool.roofline-lsp]` in `pyproject.toml`, and, in camelCase"
    yield " (`include-dirs` is `includeDirs`), of editors. Strongest last: the person's own file,"
    yield " the project's, the editor's settings, the command line. `roofline-lsp init` writes a"
    yield " file with all of them.\n"
    for each in settings_told():
        yield from _setting(each, "##")
    yield "\n## The table `[advisor]`\n\nIn a person's own settings, not in a project's file.\n"
    for each in advisor_told():
        yield from _setting(each, "###")


def _setting(told: SettingText, level: str) -> Iterator[str]:
    default = f"\n\nDefault: `{told.default}`." if told.default else ""
    meaning = told.meaning.replace("``", "`")
    yield f"\n{level} `{told.key}`\n\n{meaning}{default}\n"
    if told.example:
        yield f"\n```toml\n{told.example}\n```\n"


# ---- Commands


def _commands() -> Iterator[str]:
    yield f"# Commands\n\n{_MADE}\n"
    yield "`roofline-lsp` alone serves editors. `--check`, `--validate` and `--profile` are"
    yield " `check`, `validate` and `profile`.\n\n| exit status | meaning |\n| --- | --- |\n"
    for code, what in EXIT_CODES:
        yield f"| {code} | {what} |\n"
    for command in commands_told():
        yield from _command(command)


def _command(command: CommandTold) -> Iterator[str]:
    yield f"\n## `{command.name}`\n\n{_cell(command.description)}\n"
    rows = [(name, text) for name, text, _ in command.positionals]
    for option in command.options:
        value = f" {option.value}" if option.value else ""
        rows.append((", ".join(f"{name}{value}" for name in option.names), option.help))
    if rows:
        yield "\n| argument | meaning |\n| --- | --- |\n"
    for name, text in rows:
        shown = name.replace("|", "\\|")
        yield f"| `{shown}` | {_cell(text)} |\n"
    if command.epilog:
        yield f"\n```text\n{command.epilog.strip()}\n```\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


# ---- JSON


def _json(schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"# The JSON report\n\n{_MADE}\nVersion {SCHEMA_VERSION} of what `--format json` prints;"
    yield " the schema itself is printed by `roofline-lsp schema`. An unknown number is null.\n"
    yield from _object("The report", schema)
    for name, definition in schema["$defs"].items():
        yield from _object(f"`{name}`", definition)


def _object(title: str, schema: Mapping[str, Any]) -> Iterator[str]:
    text = schema.get("description", "")
    yield f"\n## {title}\n{f'{chr(10)}{_cell(text)}{chr(10)}' if text else ''}"
    properties = schema.get("properties", {})
    if not properties:
        yield f"\n{_kind(schema)}\n"
        return
    yield "\n| key | type | meaning |\n| --- | --- | --- |\n"
    for name, value in properties.items():
        yield f"| `{name}` | {_kind(value)} | {_cell(value.get('description', ''))} |\n"


def _kind(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        return f"[{(name := value['$ref'].rsplit('/', 1)[1])}](#{name})"
    if "enum" in value:
        return ", ".join(f"`{json.dumps(each)}`" for each in value["enum"])
    for key in ("anyOf", "oneOf"):
        if key in value:
            return " or ".join(_kind(each) for each in value[key])
    kind = value.get("type", "any")
    kinds = kind if isinstance(kind, list) else [kind]
    if kinds[0] == "array" and "items" in value:
        return f"list of {_kind(value['items'])}"
    return " or ".join(kinds)


# ---- The language server


def _protocol() -> Iterator[str]:
    yield f"# The language server\n\n{_MADE}\n"
    yield "It answers hovers, code lenses, inlay hints, diagnostics and code actions of the"
    yield " protocol. What that has no words for are requests and commands of its own; a client may"
    yield " leave them be. `editor-clients/vscode/src/protocol.ts` has the types.\n\n"
    yield "| name | kind | what it is for |\n| --- | --- | --- |\n"
    for name, text in sorted(_names()):
        kind = "request or notification" if "/" in name else "command"
        yield f"| `{name}` | {kind} | {_cell(text)} |\n"


def _names() -> Iterator[tuple[str, str]]:
    """The names with a ``roofline`` of their own, and what the constant or its module says."""
    for path in sorted(SERVER.rglob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        said = (ast.get_docstring(module) or "").split("\n\n")[0]
        for at, node in enumerate(module.body):
            value = getattr(node, "value", None)
            name = value.value if isinstance(value, ast.Constant) else None
            if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(name, str):
                continue
            if re.fullmatch(r"roofline[./][a-zA-Z]+", name) is None:
                continue
            after = module.body[at + 1] if at + 1 < len(module.body) else None
            own = after.value if isinstance(after, ast.Expr) else None
            text = own.value if isinstance(own, ast.Constant) else said
            yield name, str(text).replace("``", "`")


def main() -> int:
    """Write or compare; 1 if a page differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    HERE.mkdir(exist_ok=True)
    wanted = pages()
    present = {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("*.md")}
    wrong = sorted(n for n in {*wanted, *present} if wanted.get(n) != present.get(n))
    for name in wrong:
        if check:
            print(f"docs/reference/{name} is not what docs/reference.py writes", file=sys.stderr)
        elif name in wanted:
            (HERE / name).write_text(wanted[name], encoding="utf-8")
        else:
            (HERE / name).unlink()
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
