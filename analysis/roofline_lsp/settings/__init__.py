"""Typed settings: one frozen value, merged from files, editors and command lines.

Keys are the fields of ``Settings``: in kebab-case in ``roofline.toml`` and in
``[tool.roofline-lsp]`` of ``pyproject.toml`` (``include-dirs``), in camelCase in an editor's JSON
(``includeDirs``). Strongest last: defaults, settings file, initialization options or workspace
configuration, command line.
"""

from roofline_lsp.settings.errors import SettingsError, nearest, suggestion
from roofline_lsp.settings.files import OWN_FILE, SHARED_FILE, load, locate
from roofline_lsp.settings.merge import from_json, merge, resolve
from roofline_lsp.settings.model import CLOCKS, COMMON_GPUS, Clock, Settings
from roofline_lsp.settings.own_gpus import CEILING_KINDS, CeilingKind, OwnGpu
from roofline_lsp.settings.sources import (
    HOST_SUFFIXES,
    KERNEL_SUFFIXES,
    OPENCL_SUFFIXES,
    PYTHON_SUFFIXES,
    SKIPPED_FOLDERS,
    SOURCE_SUFFIXES,
    is_excluded,
)
from roofline_lsp.settings.validate import KeyStyle, Layer, setting_names, validate

__all__ = [
    "CEILING_KINDS",
    "CLOCKS",
    "COMMON_GPUS",
    "HOST_SUFFIXES",
    "KERNEL_SUFFIXES",
    "OPENCL_SUFFIXES",
    "OWN_FILE",
    "PYTHON_SUFFIXES",
    "SHARED_FILE",
    "SKIPPED_FOLDERS",
    "SOURCE_SUFFIXES",
    "CeilingKind",
    "Clock",
    "KeyStyle",
    "Layer",
    "OwnGpu",
    "Settings",
    "SettingsError",
    "from_json",
    "is_excluded",
    "load",
    "locate",
    "merge",
    "nearest",
    "resolve",
    "setting_names",
    "suggestion",
    "validate",
]
