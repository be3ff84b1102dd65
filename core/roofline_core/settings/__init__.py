"""Typed settings: one frozen value, merged from files, editors and command lines.

Keys are the fields of ``Settings``: in kebab-case in ``roofline.toml`` and in
``[tool.roofline-lsp]`` of ``pyproject.toml`` (``include-dirs``), in camelCase in an editor's JSON
(``includeDirs``). Strongest last: defaults, the person's own file, the project's settings file,
initialization options or workspace configuration, command line. What sends source to a language
model or runs a command is not taken from a project's file.
"""

from roofline_core.settings.advisor import PROTOCOLS, AdvisorSettings
from roofline_core.settings.command_lines import args_of
from roofline_core.settings.compiler_words import (
    PLAIN,
    definition,
    refused_character,
    special_character,
)
from roofline_core.settings.errors import SettingsError, nearest, suggestion
from roofline_core.settings.files import (
    OWN_FILE,
    SHARED_FILE,
    load,
    load_personal,
    locate,
    personal_file,
)
from roofline_core.settings.merge import from_json, merge, profile_names, resolve
from roofline_core.settings.model import (
    CLOCKS,
    COMMON_GPUS,
    COMPILERS,
    VERDICT_RULES,
    Clock,
    CompilerName,
    Settings,
    VerdictRuleName,
)
from roofline_core.settings.own_gpus import CEILING_KINDS, CeilingKind, OwnGpu
from roofline_core.settings.sources import (
    HOST_SUFFIXES,
    KERNEL_SUFFIXES,
    PYTHON_SUFFIXES,
    SKIPPED_FOLDERS,
    SOURCE_SUFFIXES,
    fits,
    is_excluded,
)
from roofline_core.settings.validate import KeyStyle, Layer, setting_names, validate

__all__ = [
    "CEILING_KINDS",
    "CLOCKS",
    "COMMON_GPUS",
    "COMPILERS",
    "HOST_SUFFIXES",
    "KERNEL_SUFFIXES",
    "OWN_FILE",
    "PLAIN",
    "PROTOCOLS",
    "PYTHON_SUFFIXES",
    "SHARED_FILE",
    "SKIPPED_FOLDERS",
    "SOURCE_SUFFIXES",
    "VERDICT_RULES",
    "AdvisorSettings",
    "CeilingKind",
    "Clock",
    "CompilerName",
    "KeyStyle",
    "Layer",
    "OwnGpu",
    "Settings",
    "SettingsError",
    "VerdictRuleName",
    "args_of",
    "definition",
    "fits",
    "from_json",
    "is_excluded",
    "load",
    "load_personal",
    "locate",
    "merge",
    "nearest",
    "personal_file",
    "profile_names",
    "refused_character",
    "resolve",
    "setting_names",
    "special_character",
    "suggestion",
    "validate",
]
