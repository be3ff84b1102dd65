"""One helper for the tests of the preprocessor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from roofline_parsers.preprocess import (
    MacroTable,
    PreprocessCache,
    PreprocessedFile,
    PreprocessOptions,
    preprocess,
)

Run = Callable[..., PreprocessedFile]


def run_preprocessor(
    source: str | bytes,
    files: Mapping[str, str] | None = None,
    cache: PreprocessCache | None = None,
    bare: bool = False,
    **options: object,
) -> PreprocessedFile:
    """Preprocesses ``/src/main.cu``; ``files`` are the others, by path; ``bare``: no macros."""
    data = source.encode() if isinstance(source, str) else source
    contents = {Path(name): text.encode() for name, text in (files or {}).items()}
    if bare:
        options["base"] = MacroTable()
    asked = PreprocessOptions(**options)  # type: ignore[arg-type]
    result = preprocess(Path("/src/main.cu"), data, asked, contents.get, cache)
    assert result.text.count(b"\n") == data.count(b"\n")
    return result


@pytest.fixture
def run() -> Run:
    """``run_preprocessor``."""
    return run_preprocessor
