"""JSON Schemas (draft 2020-12) of records, from their annotations and what stands below the fields.

A document that is published has a module that calls ``main`` with its schema, so that
``python -m`` writes it, and ``--check`` tells whether it is what its records give.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
import textwrap
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_lsp.formats.record_json import KEYS
from roofline_lsp.formats.tool import TOOL_NAME

_PUBLISHED_NAMES: Final = {"Crossover": "flip_point"}
"""Classes whose definition in a published schema has another name than theirs."""
_SIMPLE: Final[Mapping[object, str]] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    Path: "string",
}
_Schema = dict[str, Any]


@record(frozen=True, slots=True)
class PublishedRecord:
    """A record that is published as a JSON document."""

    cls: type[Any]
    name: str
    """One word: ``explanation``."""
    command: str
    """What prints it: ``roofline-lsp explain --format json``."""
    version: str
    """Of the document: major.minor."""
    file: Path
    """Of the schema."""


def schema_of(published: PublishedRecord) -> _Schema:
    """The schema as values that JSON can hold."""
    major = published.version.partition(".")[0]
    definitions: dict[str, _Schema] = {}
    properties = {**_head(major), **_record(published.cls, definitions)["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:roofline-lsp:{published.name}:{major}",
        "title": f"{published.name.capitalize()} of roofline-lsp",
        "description": f"What `{published.command}` prints. A number, name or class"
        " that is not known is null. Readers should accept further keys.",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text(published: PublishedRecord) -> str:
    """The schema as it is published."""
    return json.dumps(schema_of(published), indent=2, ensure_ascii=False) + "\n"


def main(published: PublishedRecord, description: str, module: str) -> int:
    """Write or compare; 1 if the file differs. ``module`` is what to run to write it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    wanted, file = schema_text(published), published.file
    if file.is_file() and file.read_text(encoding="utf-8") == wanted:
        return 0
    if check:
        print(f"{file.name} is not what its records give; run {module}", file=sys.stderr)
        return 1
    file.write_text(wanted, encoding="utf-8")
    return 0


def _head(major: str) -> _Schema:
    """What stands before the fields of the record."""
    return {
        "schema_version": {
            "description": "Major.minor. A minor step adds keys, a major one changes some.",
            "type": "string",
            "pattern": f"^{major}\\.[0-9]+$",
        },
        "tool": {
            "type": "object",
            "properties": {"name": {"const": TOOL_NAME}, "version": {"type": "string"}},
            "required": ["name", "version"],
            "additionalProperties": False,
        },
    }


def _record(cls: type[Any], definitions: dict[str, _Schema]) -> _Schema:
    hints, told = get_type_hints(cls), _descriptions(cls)
    properties: dict[str, _Schema] = {}
    for item in fields(cls):
        made = _of_type(hints[item.name], definitions)
        if item.name in told:
            made = {"description": told[item.name], **made}
        properties[KEYS.get(item.name, item.name)] = made
    return {
        "description": _clean(cls.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _of_type(hint: Any, definitions: dict[str, _Schema]) -> _Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (inner,) = (each for each in arguments if each is not type(None))
        return _or_null(_of_type(inner, definitions))
    if origin is tuple:
        return {"type": "array", "items": _of_type(arguments[0], definitions)}
    if origin is Literal:
        return {"enum": list(arguments)}
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if origin is not None:
        return _by_precision(definitions)
    if issubclass(hint, Enum):
        return {"enum": [each.value for each in hint]}
    assert isinstance(hint, type)
    assert is_dataclass(hint)
    name = (
        _PUBLISHED_NAMES.get(hint.__name__)
        or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", hint.__name__).lower()
    )
    if name not in definitions:
        definitions[name] = {}  # it may hold itself
        definitions[name] = _record(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _by_precision(definitions: dict[str, _Schema]) -> _Schema:
    names = [each.value for each in Precision]
    definitions["by_precision"] = {
        "description": "A number for each precision; null where it is not known.",
        "type": "object",
        "properties": {name: {"type": ["number", "null"]} for name in names},
        "required": names,
        "additionalProperties": False,
    }
    return {"$ref": "#/$defs/by_precision"}


def _or_null(made: _Schema) -> _Schema:
    if "enum" in made:
        return {"enum": [*made["enum"], None]}
    if isinstance(made.get("type"), str) and made["type"] != "array":
        return {**made, "type": [made["type"], "null"]}
    return {"anyOf": [made, {"type": "null"}]}


def _descriptions(cls: type[Any]) -> dict[str, str]:
    """What stands below the fields of a record."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for item, text in zip(definition.body, definition.body[1:], strict=False):
        if (
            isinstance(item, ast.AnnAssign)
            and isinstance(item.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            found[item.target.id] = _clean(str(text.value.value))
    return found


def _clean(text: str) -> str:
    """One line, with JSON's words."""
    return re.sub(r"\bNone\b", "null", " ".join(text.split()).replace("``", "`"))
