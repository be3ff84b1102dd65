"""The kinds of inputs: how one is made from a random number, and what is done with it."""

from __future__ import annotations

import json
import random
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_analysis.api import AnalysisCache, gpu_used
from roofline_analysis.report.report import FileReport, Report
from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings, from_json, load, merge
from roofline_lsp import analyze
from roofline_lsp.formats import json as json_format
from roofline_lsp.formats import text as text_format
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult

from . import rows
from .corpus import Seed
from .directives import DIALECTS, check_directives, directives_text
from .frames import message_bytes, run_session, session_bytes
from .guard import FaultError
from .mutations import mutated
from .programs import Grammar
from .reading import check_reading
from .replies import check_reply, gpu, reply
from .settings_files import json_settings, large_setting, settings_text
from .small_values import (
    Typed,
    check_condition,
    check_expression,
    check_literal,
    condition,
    literal,
    spelled,
)

GPUS: Final = ("RTX 3080", "A100", "MI250X", "GTX 1080")
ARGS: Final = ((), ("1024",), ("1048576", "0", "-1"), ("", "nan", "99999999999999999999"))


@dataclass(frozen=True, slots=True)
class Input:
    """One input: what is kept of it where it comes to a fault, and what is to be run."""

    text: bytes
    name: str
    run: Callable[[], None]
    analyses: int = 1
    """How many are made: each may take as long as one."""
    light: bool = False
    """Whether it takes microseconds."""


Maker = Callable[[random.Random, Sequence[Seed]], Input]


def input_of(kind: str, seed: str, seeds: Sequence[Seed]) -> Input:
    """The input that a seed stands for."""
    return KINDS[kind](random.Random(f"{kind} {seed}"), seeds)


def check_report(report: FileReport, settings: Settings) -> None:
    """Raise FaultError for what no report may hold; write it out in each form."""
    for problem in report.problems:
        if problem.message.startswith("internal error"):
            raise FaultError(problem.message)
    whole = CheckResult(Report(gpu_used(settings), (report,)))
    text_format.render(whole, ColourStyle())
    json.loads(json_format.render(whole, ColourStyle()), parse_constant=_no_number)


def _no_number(word: str) -> None:
    raise FaultError(f"{word} in JSON")


def analysed(
    text: bytes,
    path: Path,
    settings: Settings,
    headers: dict[str, bytes],
    cache: AnalysisCache | None = None,
) -> FileReport:
    """The report on a text, made with warnings as errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return analyze(
            text, path, settings, reader=lambda wanted: headers.get(wanted.name), cache=cache
        )


def _settings(chance: random.Random) -> Settings:
    return Settings(gpu=chance.choice(GPUS), args=chance.choice(ARGS))


def _of_text(text: bytes, name: str, settings: Settings, headers: dict[str, bytes]) -> Input:
    path = Path("/none") / name

    def run() -> None:
        check_report(analysed(text, path, settings, headers), settings)

    return Input(text, name, run)


def _mutation(chance: random.Random, seeds: Sequence[Seed]) -> Input:
    """A real file that was changed."""
    seed = chance.choice(seeds)
    text = mutated(chance, seed.text, [each.text for each in chance.choices(seeds, k=3)])
    return _of_text(text, seed.name, _settings(chance), seed.headers)


def _grammar(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A program made by the grammar."""
    dialect, suffix = chance.choice(
        (("cuda", ".cu"), ("cuda", ".cu"), ("hip", ".hip"), ("opencl", ".cl"), ("openmp", ".cpp"))
    )
    text = Grammar(chance, dialect).program().encode()
    if chance.random() < 0.2:
        text = mutated(chance, text, ())
    return _of_text(text, "made" + suffix, _settings(chance), {})


def _host(chance: random.Random, _: Sequence[Seed]) -> Input:
    """Random arithmetic of host code, and a launch that takes what came of it."""
    text = Grammar(chance, "cuda").host_program().encode()
    return _of_text(text, "host.cu", _settings(chance), {})


def _edits(chance: random.Random, seeds: Sequence[Seed]) -> Input:
    """Edits of a real file, the last of which mends it: each report is what a fresh one would be.

    Of a broken text that is not asked: what was broken is looked for in the edited function alone.
    """
    seed = chance.choice(seeds)
    texts = [seed.text]
    for _ in range(chance.randint(1, 4)):
        back = chance.random() < 0.15
        texts.append(chance.choice(texts) if back else mutated(chance, texts[-1], ()))
    texts.append(seed.text)
    compared = chance.randrange(len(texts))
    settings, path = _settings(chance), Path("/none") / seed.name

    def run() -> None:
        cache = AnalysisCache(keep_trees=True)
        for number, text in enumerate(texts):
            kept = analysed(text, path, settings, seed.headers, cache)
            if number == compared or number == len(texts) - 1:
                fresh = analysed(text, path, settings, seed.headers)
                if kept != fresh and not _is_broken(fresh):
                    raise FaultError(f"text {number}: an edited document is not as a fresh one")

    return Input(b"\n/*---- next text ----*/\n".join(texts), seed.name, run, len(texts) + 2)


def _is_broken(report: FileReport) -> bool:
    said = [problem.message for problem in report.problems]
    return any(each.startswith("syntax error") or each.endswith(" is missing") for each in said)


def _settings_file(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A settings file, as a project's and as a person's, and JSON of an editor."""
    text, values = settings_text(chance), json_settings(chance)
    name = chance.choice(("roofline.toml", "pyproject.toml"))
    if chance.random() < 0.2:
        text += large_setting(chance)

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(text)
            for shared in (True, False):
                _tried(lambda shared=shared: gpu_used(merge(load(path, shared=shared))))  # type: ignore[misc]
            _tried(lambda: merge(from_json(values, origin="editor", folder=Path(folder))))

    return Input(text + b"\n# " + json.dumps(values).encode(), name, run)


def _tried(make: Callable[[], object]) -> None:
    try:
        make()
    except RooflineError as error:
        if not str(error):
            raise FaultError("an error without a message") from None


def _frames(chance: random.Random, seeds: Sequence[Seed]) -> Input:
    """A session of the language server whose client sends what it should not."""
    data = session_bytes(chance, SMALL if chance.random() < 0.9 else chance.choice(seeds).text)
    return Input(data, "session.bin", lambda: run_session(data))


def _messages(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A session of a few messages that are spoiled, about a text without code."""
    data, is_answered = message_bytes(chance)
    return Input(data, "session.bin", lambda: run_session(data, is_answered=is_answered))


def _reading(chance: random.Random, seeds: Sequence[Seed]) -> Input:
    """A real file that was changed, or a program of the grammar, for the front end alone."""
    if chance.random() < 0.3:
        suffix = chance.choice((".cu", ".hip", ".cl", ".cpp"))
        dialect = {".cu": "cuda", ".hip": "hip", ".cl": "opencl", ".cpp": "openmp"}[suffix]
        text, name = Grammar(chance, dialect).program().encode(), "made" + suffix
        text = mutated(chance, text, ())
        return Input(text, name, lambda: check_reading(text, name, {}), 2)
    seed = chance.choice(seeds)
    changed = mutated(chance, seed.text, [each.text for each in chance.choices(seeds, k=3)])
    return Input(changed, seed.name, lambda: check_reading(changed, seed.name, seed.headers), 2)


def _replies(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A model's replies."""
    found, source = reply(chance, SMALL.decode()), SMALL.decode()
    used = gpu(chance.choice(GPUS))
    text = b"\n".join(found[1])
    return Input(text, "reply.json", lambda: check_reply(found, source, used), light=True)


def _rows(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A row of a store, of kept reports or of measurements, or a compilation database."""
    make, check = chance.choice(
        (
            (rows.report_row, rows.check_report_row),
            (rows.measurement_row, rows.check_measurement_row),
            (rows.compile_database, rows.check_database),
        )
    )
    text = make(chance)
    return Input(text, "row.json", lambda: check(text), light=True)


def _files(chance: random.Random, _: Sequence[Seed]) -> Input:
    """What a profiler printed, or a baseline, which was changed."""
    make, check = chance.choice(
        (
            (rows.profile_text, rows.check_profile),
            (rows.baseline_file, rows.check_baseline),
        )
    )
    text = make(chance)
    return Input(text, "file.txt", lambda: check(text))


def _directives(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A text of directives and macros, with two headers of the same make."""
    text, dialect = directives_text(chance), chance.choice(DIALECTS)
    headers = {name: directives_text(chance, 4) for name in ("a.h", "b.h")}
    kept = b"\n// ---- header\n".join((text, *headers.values()))
    return Input(kept, "text.cu", lambda: check_directives(text, headers, dialect))


def _arithmetic(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A constant expression, whose value NumPy tells too."""
    node = Typed(chance).expression(chance.randint(1, 5))
    return Input(spelled(node).encode(), "value.txt", lambda: check_expression(node), light=True)


def _conditions(chance: random.Random, _: Sequence[Seed]) -> Input:
    """A condition of ``#if``, whose value Python's integers tell too."""
    text, wanted = condition(chance, chance.randint(1, 5))
    return Input(text.encode(), "condition.txt", lambda: check_condition(text, wanted), light=True)


def _literals(chance: random.Random, _: Sequence[Seed]) -> Input:
    """Numbers as C++ spells them, and what only looks like one."""
    text, wanted = literal(chance)
    return Input(text.encode(), "literal.txt", lambda: check_literal(text, wanted), light=True)


SMALL: Final = b"""
__global__ void k(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
int main() { float *p; cudaMalloc(&p, 1 << 20); k<<<1024, 256>>>(p, 1 << 18); }
"""

KINDS: Final[dict[str, Maker]] = {
    "mutations": _mutation,
    "grammar": _grammar,
    "host": _host,
    "edits": _edits,
    "settings": _settings_file,
    "frames": _frames,
    "messages": _messages,
    "reading": _reading,
    "replies": _replies,
    "rows": _rows,
    "files": _files,
    "directives": _directives,
    "arithmetic": _arithmetic,
    "conditions": _conditions,
    "literals": _literals,
}
