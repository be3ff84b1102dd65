"""The options of ``--check`` that change files."""

from __future__ import annotations

import argparse


def add_fix_options(group: argparse._ArgumentGroup) -> None:
    """Add ``--fix`` and what belongs to it."""
    add = group.add_argument
    add(
        "--fix",
        action="store_true",
        help="apply the quick fixes of findings to the files, then check again",
    )
    add("--diff", action="store_true", help="show what --fix would change, and change nothing")
    add(
        "--inexact-fixes",
        action="store_true",
        help="with --fix or --diff, also those after which results may differ in their last bits",
    )
