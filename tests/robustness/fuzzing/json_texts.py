"""JSON that was right once: values exchanged, taken away or doubled, and now and then its bytes."""

from __future__ import annotations

import json
import random
from typing import Any, Final

from .mutations import mutated
from .settings_files import json_value

NUMBERS: Final = (0, 1, -1, 0.5, -0.0, 1e308, 5e-324, 2**31, 2**63, 10**19, 10**400, -(10**400))
WORDS: Final = ("", "CB", "BB", "\0", "\x1b[31m", "\u202e", "\ud800", "é", "a" * 3_000, "[x](y)")
LITERALS: Final = (b"NaN", b"Infinity", b"-Infinity", b"1e999", b"9" * 5_000, b"[" * 3_000, b"//")


def spoiled(chance: random.Random, value: Any) -> Any:
    """A copy of a JSON value in which up to three parts are others."""
    kept = json.loads(json.dumps(value))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        kept = _with_another_part(chance, kept)
    return kept


def spoiled_text(chance: random.Random, value: Any) -> bytes:
    """The same as text, of which bytes may be others too."""
    text = json.dumps(spoiled(chance, value)).encode()
    if chance.random() < 0.15:
        text = mutated(chance, text, ())
    if chance.random() < 0.1:
        at = chance.randint(0, len(text))
        text = text[:at] + chance.choice(LITERALS) + text[at + chance.randint(0, 3) :]
    return text


def _with_another_part(chance: random.Random, value: Any) -> Any:
    """Go down at random, and change what is there."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        if chance.random() < 0.15:
            moved = value.pop(key)
            if chance.random() < 0.5:
                value[chance.choice((key + "x", "", "class"))] = moved
        else:
            value[key] = _with_another_part(chance, value[key])
        return value
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        match chance.randrange(8):
            case 0:
                del value[at]
            case 1:
                value[at:at] = value[at : at + 1] * chance.choice((1, 2, 30))
            case _:
                value[at] = _with_another_part(chance, value[at])
        return value
    match chance.randrange(4):
        case 0:
            return json_value(chance)
        case 1:
            return chance.choice(NUMBERS)
        case 2:
            return chance.choice(WORDS)
        case _:
            return [value] if chance.random() < 0.5 else {"a": value}
