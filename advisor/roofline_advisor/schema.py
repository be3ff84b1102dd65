"""The part of JSON Schema that replies are held to: one checker, and the form that is sent.

Endpoints take a subset (no limits of numbers, lengths or counts), so that limits go into
descriptions there and are checked here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

_LIMITS = ("minimum", "maximum", "maxLength", "minItems", "maxItems")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def obj(**properties: Schema) -> Schema:
    """An object with exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def problem(value: object, schema: Schema, where: str = "reply") -> str | None:
    """What is wrong with a value, naming the place; None if it conforms."""
    if "anyOf" in schema:
        found = [problem(value, choice, where) for choice in schema["anyOf"]]
        return None if None in found else found[-1]
    if "enum" in schema:
        if value in schema["enum"]:
            return None
        return f"'{where}' must be one of {', '.join(map(str, schema['enum']))}"
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"'{where}' must be of type {kind}"
    if isinstance(value, dict):
        return _object_problem(value, schema, where)
    if isinstance(value, list):
        return _array_problem(value, schema, where)
    if isinstance(value, str):
        longest = schema.get("maxLength", math.inf)
        return f"'{where}' is longer than {longest} characters" if len(value) > longest else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf):
            return f"'{where}' is out of range"
        return None if math.isfinite(value) else f"'{where}' is no finite number"
    return None


def _object_problem(value: dict[str, object], schema: Schema, where: str) -> str | None:
    properties = schema["properties"]
    for name in schema["required"]:
        if name not in value:
            return f"'{where}' lacks '{name}'"
    for name, item in value.items():
        if name not in properties:
            return f"'{where}' has a '{name[:40]}' that was not asked for"
        found = problem(item, properties[name], f"{where}.{name}")
        if found is not None:
            return found
    return None


def _array_problem(value: list[object], schema: Schema, where: str) -> str | None:
    if len(value) < schema.get("minItems", 0):
        return f"'{where}' has fewer than {schema['minItems']} items"
    if len(value) > schema.get("maxItems", math.inf):
        return f"'{where}' has more than {schema['maxItems']} items"
    for at, item in enumerate(value):
        found = problem(item, schema["items"], f"{where}[{at}]")
        if found is not None:
            return found
    return None


def sent(schema: Schema) -> dict[str, Any]:
    """A schema as it is sent: what endpoints do not know of it stands in the description."""
    limits = {name: schema[name] for name in _LIMITS if name in schema}
    if limits.get("minItems") in {0, 1}:
        del limits["minItems"]  # so much endpoints know
    made: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "properties":
            made[name] = {key: sent(item) for key, item in value.items()}
        elif name == "items":
            made[name] = sent(value)
        elif name == "anyOf":
            made[name] = [sent(item) for item in value]
        elif name not in limits:
            made[name] = value
    if limits:
        words = ", ".join(f"{name}: {value}" for name, value in limits.items())
        made["description"] = f"{schema.get('description', '')}\n\n{{{words}}}".strip()
    return made
