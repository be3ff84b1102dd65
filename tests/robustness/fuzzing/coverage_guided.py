"""Lets what an input reaches of the front end decide the next one, by atheris.

    pip install atheris
    python -m tests.robustness.fuzzing.coverage_guided FOLDER [options of libFuzzer]

FOLDER keeps the inputs that reach something new; it begins with the examples. atheris has wheels
for Linux and CPython alone, so nothing depends on it. The first byte chooses the dialect. An
exception, 5 s or 500 MB of one input end the run; ``-max_total_time=600`` ends it after 10 minutes.
"""

from __future__ import annotations

import importlib
import logging
import sys
from pathlib import Path
from typing import Any

from .corpus import corpus

SUFFIXES = (".cu", ".hip", ".cl", ".cpp")
LIMITS = ("-timeout=5", "-rss_limit_mb=1000", "-max_len=20000")


def main(words: list[str]) -> None:
    """Fuzz until libFuzzer's options or a fault end it."""
    atheris: Any = importlib.import_module("atheris")
    logging.disable(logging.CRITICAL)
    with atheris.instrument_imports(include=["roofline_parsers", "roofline_core.program"]):
        load = importlib.import_module("roofline_parsers.reading.load")
    seeds = Path(words[0])
    seeds.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(corpus()):
        kind = next((at for at, end in enumerate(SUFFIXES) if seed.name.endswith(end)), 0)
        (seeds / f"example-{number}").write_bytes(bytes((kind,)) + seed.text)

    def read(data: bytes) -> None:
        path = Path("/none/text" + SUFFIXES[(data[:1] or b"\0")[0] % len(SUFFIXES)])
        program = load.load_program([path], lambda wanted: data[1:] if wanted == path else None)
        for unit in program.units:
            for function in unit.functions:
                _ = function.body
                for problem in function.body_problems:
                    assert not problem.message.startswith("internal error"), problem.message

    atheris.Setup([sys.argv[0], str(seeds), *LIMITS, *words[1:]], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
