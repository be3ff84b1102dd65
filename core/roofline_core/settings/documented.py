"""The settings for people: what each means, in the words of ``Settings``, and an example of it."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from roofline_core.settings.advisor import AdvisorSettings
from roofline_core.settings.model import Settings

_NO_SETTINGS: Final = frozenset({"from_project", "origins", "size_ranges", "warnings"})
_NAME: Final = re.compile(r"``([a-z_]+)``")

EXAMPLES: Final[Mapping[str, str]] = {
    "gpu": 'gpu = "A100"',
    "clock": 'clock = "base"',
    "rule": 'rule = "study"',
    "compiler": 'compiler = "clang"',
    "fast_math": "fast-math = true",
    "args": 'args = "4096 100"',
    "per_program_args": '[per-program-args]\n"bench/*" = "100000000 10"\n"saxpy.cu" = "1048576"',
    "kernels": '[kernels."gemm*"]\nn = 4096\ngrid = [256, 256, 1]\n"argv[1]" = "4Ki"',
    "defines": 'defines = ["USE_DOUBLE", "TILE=32"]',
    "include_dirs": 'include-dirs = ["include", "third_party/include"]',
    "compile_commands": 'compile-commands = "out/compile_commands.json"',
    "background_gbs": "background-gbs = 2.5",
    "background_period_ms": "background-period-ms = 16.7",
    "exclude": 'exclude = ["third_party", "*_test.cu"]',
    "advisor": "[advisor]\nenabled = false",
    "ceilings": 'ceilings = "measured"',
    "what_if": 'what-if = ["H100", "MI300X"]',
    "gpus": '[gpus."my A100"]\nlike = "A100"\nclock-cap-mhz = 1200',
    "select": 'select = ["RL1", "RL2"]',
    "ignore": 'ignore = ["fast-intrinsics"]',
    "per_file_ignores": '[per-file-ignores]\n"third_party/*" = ["ALL"]',
    "contracts": '[contracts."gemm*"]\nexpect = "CB on H100"\nbudget = "time_ms <= 2"',
    "notes": "notes = false",
    "settings_profile": 'settings-profile = "big"',
    "profiles": '[profiles.big]\nargs = "100000000"\n[profiles.big.kernels.scan]\nn = "64Mi"',
}
"""By field of ``Settings``, an example of TOML; a test reads each."""


@dataclass(frozen=True, slots=True)
class SettingText:
    """What is told of one setting."""

    field: str
    key: str
    """As in a settings file: ``include-dirs``."""
    default: str
    """``"boost"``, ``[]``; empty where there is none."""
    meaning: str
    """Paragraphs, an empty line between them."""
    example: str
    """TOML."""


def settings_told() -> tuple[SettingText, ...]:
    """All settings in the order of ``Settings``."""
    default, texts = Settings(), field_texts(Settings)
    return tuple(
        SettingText(name, _kebab(name), _shown(getattr(default, name)), texts[name], EXAMPLES[name])
        for name in Settings.__dataclass_fields__
        if name not in _NO_SETTINGS
    )


def advisor_told() -> tuple[SettingText, ...]:
    """The settings of the table ``advisor``, without examples."""
    default, texts = AdvisorSettings(), field_texts(AdvisorSettings)
    return tuple(
        SettingText(name, _kebab(name), _shown(getattr(default, name)), texts[name], "")
        for name in AdvisorSettings.__dataclass_fields__
    )


def field_texts(record: type) -> dict[str, str]:
    """By field of a class, the text that stands below it, its names spelt as in a settings file."""
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(record))).body
    assert isinstance(made, ast.ClassDef)
    found = {}
    for field, text in zip(made.body, made.body[1:], strict=False):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            found[field.target.id] = _worded(inspect.cleandoc(str(text.value.value)))
    return found


def _worded(text: str) -> str:
    """A text for whoever writes TOML: ``None`` is what is not set."""
    text = _NAME.sub(lambda found: f"``{_kebab(found[1])}``", text)
    text = text.replace("None:", "Not set:").replace("None for", "not set for")
    return text.replace("``()``:", "``[]``:")


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int | float):
        return str(value)
    return "[]" if value == () else ""
