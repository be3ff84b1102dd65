"""Settings files: right ones, whose keys and values are then exchanged and spoiled."""

from __future__ import annotations

import random
from typing import Final

from roofline_core.settings import setting_names

VALUES: Final = (
    *('"RTX 3080"', '""', '"\\u0000"', '"a\\nb"', "0", "-1", "1", "3000", "1e400", "nan", "-inf"),
    *("true", "false", "[]", '[""]', '["a", 1]', '["X=$(x)"]', '["-1", "1000000"]', "{}", "[[]]"),
    *('{ a = ["b"] }', '{ "*.cu" = ["1"] }', "1979-05-27", "9223372036854775808", "0x7f", "0.5"),
    *(
        '"base"',
        '"boost"',
        '"/etc/passwd"',
        '"../.."',
        '["../../x"]',
        '"https://x"',
        '"http://[::"',
    ),
    *('"\\u202e"', "'''x'''", '"' + "a" * 3_000 + '"', "[" + "[" * 40 + "]" * 40 + "]", "07"),
)
TABLES: Final = (
    *("", "[advisor]", "[tool.roofline-lsp]", "[tool.roofline-lsp.advisor]", "[gpus]", "[[x]]"),
    *('[gpus."My GPU"]', "[args-for]", "[a.b.c]", '["advisor"]'),
)
GPU_KEYS: Final = ("base", "sm-count", "boost-clock-mhz", "memory-gb", "bandwidth-gb-s", "l2-mb")


def settings_text(chance: random.Random) -> bytes:
    """A settings file's bytes."""
    keys = (*setting_names("kebab"), *setting_names("kebab", "advisor"), *GPU_KEYS, "unknown", '""')
    lines = []
    for _ in range(chance.randint(0, 8)):
        if chance.random() < 0.25:
            lines.append(chance.choice(TABLES))
        else:
            lines.append(f"{chance.choice(keys)} = {chance.choice(VALUES)}")
    text = "\n".join(lines).encode("utf-8", "surrogateescape")
    if chance.random() < 0.2:
        at = chance.randint(0, len(text))
        text = text[:at] + chance.randbytes(2) + text[at + chance.randint(0, 2) :]
    return text


def large_setting(chance: random.Random) -> bytes:
    """A line whose value is a number that no double holds, or hardly one."""
    keys = (*setting_names("kebab"), "sm-count", "memory-gb", "clock-cap-mhz", "grid", "n")
    digits = "1" + "0" * chance.choice((30, 307, 308, 309, 400))
    number = chance.choice((digits, f"-{digits}", "0x" + "f" * 5_000, "5e-324", "1e308"))
    form = chance.choice(("{}", "{}", "[{}]", "{{ n = {} }}", '["{}"]'))
    table = chance.choice(("", "", "[advisor]\n", '[gpus."My GPU"]\nlike = "A100"\n'))
    return f"\n{table}{chance.choice(keys)} = {form.format(number)}\n".encode()


def json_value(chance: random.Random, depth: int = 3) -> object:
    """Any JSON value, as an editor may send."""
    match chance.randrange(9 if depth else 7):
        case 0:
            return None
        case 1:
            return chance.random() < 0.5
        case 2:
            return chance.choice((0, 1, -1, 7, 2**31, 2**53, -(2**63), 10**30))
        case 3:
            return chance.choice((0.5, -0.0, 1e300, 1e-320))
        case 4 | 5 | 6:
            return chance.choice(
                ("", "cuda", "file:///none/k.cu", "k.cu", "\u202e", "\ud83d\ude00", "a" * 999, "\0")
            )
        case 7:
            return [json_value(chance, depth - 1) for _ in range(chance.randint(0, 3))]
        case _:
            keys = ("uri", "line", "character", "text", "settings", "advisor", "gpu", "x")
            return {chance.choice(keys): json_value(chance, depth - 1) for _ in range(3)}


def json_settings(chance: random.Random) -> dict[str, object]:
    """Settings as an editor sends them."""
    keys = (*setting_names("camel"), *setting_names("camel", "advisor"), "unknown")
    return {chance.choice(keys): json_value(chance) for _ in range(chance.randint(0, 5))}
