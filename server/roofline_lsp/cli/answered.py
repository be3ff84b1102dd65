"""``roofline-lsp --check`` where the same was asked before and nothing has changed since."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Final

from roofline_analysis.project.file_states import digest
from roofline_core.program.asked import asking
from roofline_core.settings import resolve
from roofline_lsp.batch.answers import Answers, RunAnswer, now_ns
from roofline_lsp.batch.identity import Identity
from roofline_lsp.cli.corpus_options import is_streamed, settled
from roofline_lsp.cli.options import analysis_layer, batch_options, warn_of_cache
from roofline_lsp.cli.output import PlainStream
from roofline_lsp.cli.paths import common_folder

_TAKEN_IN: Final = frozenset(
    "check gpu clock defines include_dirs rule compiler args settings_profile config what_if"
    " exclude select ignore format quiet fail_on".split()
)
"""Options that an answer may depend on, all of which are in its key."""
_WITHOUT_EFFECT: Final = frozenset({"jobs", "no_progress", "cache_dir", "no_cache"})
_FORMATS: Final = ("text", "full", "concise", "json")
"""Formats that are made of a report alone, of no file besides."""
_SURROUNDINGS: Final = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS")


def run(options: argparse.Namespace, defaults: argparse.Namespace) -> int:
    """RunAnswer a request as it was answered before, or else check; returns the exit code.

    ``defaults`` has the options as they are without being given: a request with an option that is
    not known here is checked. Raises SettingsError, UnknownGpuError and OutputError.
    """
    options = settled(options)
    cache = batch_options(options).cache
    out, err = sys.stdout, sys.stderr
    if cache is None or not (
        _is_plain(options, defaults)
        and isinstance(out, PlainStream)
        and isinstance(err, PlainStream)
        and not out.isatty()
    ):
        return _checked(options)
    begun_ns = now_ns()
    answers, key = Answers(cache, warn_of_cache), _key(options)
    known = answers.known(key)
    if known is not None:
        err.write_again(known.err)
        out.write_again(known.out)
        out.flush()
        return known.code
    out.copies, err.copies = [], []
    try:
        with asking() as paths:
            code = _checked(options)
        answer = RunAnswer("".join(out.copies), "".join(err.copies), code)
    finally:
        out.copies = err.copies = None
    answers.keep(key, answer, paths, begun_ns)
    return code


def _checked(options: argparse.Namespace) -> int:
    if is_streamed(options):
        from roofline_lsp.cli import corpus  # noqa: PLC0415 - for those who ask

        return corpus.run(options)
    from roofline_lsp.cli import check  # noqa: PLC0415 - takes longest to import

    return check.run(options)


def _is_plain(options: argparse.Namespace, defaults: argparse.Namespace) -> bool:
    """Whether nothing is asked for but what an answer holds."""
    given = {name for name, value in vars(options).items() if value != getattr(defaults, name)}
    there = all(os.path.lexists(path) for path in options.check)
    return there and options.format in _FORMATS and given <= _TAKEN_IN | _WITHOUT_EFFECT


def _key(options: argparse.Namespace) -> bytes:
    """The request as bytes. Raises SettingsError."""
    settings = resolve(common_folder(options.check), analysis_layer(options), file=options.config)
    parts = (
        "answer",
        Identity(settings).common,
        repr((settings.exclude, settings.warnings, settings.settings_profile)),
        repr([(name, getattr(options, name)) for name in sorted(_TAKEN_IN)]),
        repr([os.environ.get(name) for name in _SURROUNDINGS]),
        str(sys.stderr.isatty()),
    )
    return bytes.fromhex(digest(*map(os.fsencode, parts)))
