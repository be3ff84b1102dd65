"""Lets what an input reaches of the front end decide the next one, by atheris.

    pip install atheris
    python -m tests.robustness.fuzzing.coverage_guided [--whole] FOLDER [options of libFuzzer]

With ``--whole`` it goes by what inputs reach of the whole analysis, and the report is written out.
FOLDER keeps the inputs that reach something new; it begins with the examples. atheris has wheels
for Linux and CPython alone, so nothing depends on it. The first byte chooses the dialect. An
exception, 5 s or 500 MB of one input end the run; ``-max_total_time=600`` ends it after 10 minutes.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .corpus import corpus

SUFFIXES = (".cu", ".hip", ".cl", ".cpp")
FRONT_END = ("roofline_parsers", "roofline_core.program")
WHOLE = ("roofline_parsers", "roofline_core", "roofline_analysis")
LIMITS = ("-timeout=5", "-rss_limit_mb=1000", "-max_len=20000")


Check = Callable[[bytes, Path], None]
"""What is done with a text of a path, which raises where that comes to a fault."""


def main(words: list[str]) -> None:
    """Fuzz until libFuzzer's options or a fault end it."""
    atheris: Any = importlib.import_module("atheris")
    logging.disable(logging.CRITICAL)
    whole = words[:1] == ["--whole"]
    folder, *options = words[1:] if whole else words
    with atheris.instrument_imports(include=list(WHOLE if whole else FRONT_END)):
        check = _analysed() if whole else _read()
    seeds = Path(folder)
    seeds.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(corpus()):
        kind = next((at for at, end in enumerate(SUFFIXES) if seed.name.endswith(end)), 0)
        (seeds / f"example-{number}").write_bytes(bytes((kind,)) + seed.text)

    def run(data: bytes) -> None:
        path = Path("/none/text" + SUFFIXES[(data[:1] or b"\0")[0] % len(SUFFIXES)])
        check(data[1:], path)

    atheris.Setup([sys.argv[0], str(seeds), *LIMITS, *options], run)
    atheris.Fuzz()


def _read() -> Check:
    """Read a text, and the bodies of its functions."""
    load = importlib.import_module("roofline_parsers.reading.load")

    def check(text: bytes, path: Path) -> None:
        program = load.load_program([path], lambda wanted: text if wanted == path else None)
        for unit in program.units:
            for function in unit.functions:
                _ = function.body
                for problem in function.body_problems:
                    assert not problem.message.startswith("internal error"), problem.message

    return check


def _analysed() -> Check:
    """Analyse a text, and write out the report."""
    kinds = importlib.import_module("tests.robustness.fuzzing.kinds")
    settings = kinds.Settings()

    def check(text: bytes, path: Path) -> None:
        kinds.check_report(kinds.analysed(text, path, settings, {}), settings)

    return check


if __name__ == "__main__":
    main(sys.argv[1:])
