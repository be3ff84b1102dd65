"""Options of a check whose records are written as programs are finished, or made elsewhere."""

from __future__ import annotations

import argparse
import os
from typing import Final

from roofline_core.settings import SettingsError
from roofline_lsp.batch.inputs.address import is_address, local_path
from roofline_lsp.batch.records.output import SUFFIXES

_NEED_ALL: Final = (
    *("watch", "changed_since", "stdin_filename", "baseline", "baseline_commit", "write_baseline"),
    *("llm", "llm_preview", "also", "fix", "diff", "statistics"),
)
"""Options that need the whole report, or files that can be changed."""


def is_streamed(options: argparse.Namespace) -> bool:
    """Whether records are to be written as programs are finished."""
    return (
        options.output is not None
        and options.output.suffix in SUFFIXES
        and options.format == "text"  # that no other one was asked for
    )


def settled(options: argparse.Namespace) -> argparse.Namespace:
    """The options with paths as other machines need them, too. Raises SettingsError."""
    streamed = is_streamed(options)
    if not streamed:
        _check_whole(options)
    if not streamed and options.scheduler is None:
        return options
    if streamed:
        _check_streamed(options)
    elif "-" in options.check:
        raise SettingsError("--scheduler is for files; standard input is none")
    paths = [each if is_address(each) else os.path.abspath(each) for each in options.check]  # noqa: PTH100
    folders = options.include_dirs
    if folders is not None:
        folders = [os.path.abspath(each) for each in folders]  # noqa: PTH100
    return argparse.Namespace(**{**vars(options), "check": paths, "include_dirs": folders})


def _check_whole(options: argparse.Namespace) -> None:
    """Raises SettingsError for what is only possible where records are streamed."""
    remote = [each for each in options.check if is_address(each)]
    output = "add --output FILE.ndjson or FILE.parquet, and no --format"
    if remote:
        raise SettingsError(f"{remote[0]}: archives and addresses give records: {output}")
    if options.resume:
        raise SettingsError(f"--resume continues an output of records: {output}")
    if options.output is not None and options.output.suffix == ".parquet":
        raise SettingsError(f"{options.output}: Parquet holds records: leave out --format")


def _check_streamed(options: argparse.Namespace) -> None:
    given = [name for name in _NEED_ALL if getattr(options, name)]
    if given:
        option = given[0].replace("_", "-")
        raise SettingsError(
            f"--{option} needs the whole report, which is not kept where records are written as"
            f" they are made ({options.output}); give another --output, or --format ndjson"
        )
    if "-" in options.check:
        raise SettingsError(f"{options.output}: records are of files; standard input is none")


def named_paths(options: argparse.Namespace) -> list[str]:
    """The inputs that are paths on this machine."""
    found = []
    for each in options.check:
        local = local_path(each) if is_address(each) else each
        if local is not None:
            found.append(os.path.abspath(local))  # noqa: PTH100
    return found


def named_addresses(options: argparse.Namespace) -> list[str]:
    """The inputs that are to be unpacked first, each once."""
    named = dict.fromkeys(options.check)
    return [each for each in named if is_address(each) and local_path(each) is None]
